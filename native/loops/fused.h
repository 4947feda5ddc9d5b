// a b + s, rounded once if the instruction set can.
//
// Compilers fuse a * b + s of themselves, but not in every copy they make of a loop: the last elements of a row may be
// rounded twice where the others are rounded once.  Where a value must not depend on its place, the fusing is written out.

namespace mercer::MERCER_ISA {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline float fused(float a, float b, float s) { return __builtin_fmaf(a, b, s); }
inline double fused(double a, double b, double s) { return __builtin_fma(a, b, s); }
#else
inline float fused(float a, float b, float s) { return a * b + s; }
inline double fused(double a, double b, double s) { return a * b + s; }
#endif

}  // namespace mercer::MERCER_ISA
