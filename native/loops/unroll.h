// UNROLL before a loop of a few constant steps: it becomes straight code, so that the loop around it can be vectorised.

#ifndef UNROLL
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 8")
#else
#define UNROLL
#endif
#endif
