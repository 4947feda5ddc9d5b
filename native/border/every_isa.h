// Declares the functions of the header MERCER_LOOPS once for every instruction set.  No include guard: it is meant to be
// included again with another MERCER_LOOPS.
#ifdef MERCER_X86_LEVELS
#define MERCER_ISA v2
#include MERCER_LOOPS
#undef MERCER_ISA
#define MERCER_ISA v3
#include MERCER_LOOPS
#undef MERCER_ISA
#define MERCER_ISA v4
#include MERCER_LOOPS
#undef MERCER_ISA
#else
#define MERCER_ISA plain
#include MERCER_LOOPS
#undef MERCER_ISA
#endif
#undef MERCER_LOOPS
