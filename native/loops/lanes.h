// Vectors of numbers as the processor has them, for the few loops that the compiler does not turn into good vector code
// by itself.  LANES float64 numbers fill one vector.  Compilers without this extension define no MERCER_LANES.

#if defined(__GNUC__) || defined(__clang__)
#define MERCER_LANES

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace mercer::MERCER_ISA {

#ifdef __AVX__
constexpr int LANES = 4;  // with AVX-512 too: four are converted faster than eight
#else
constexpr int LANES = 2;
#endif

// `aligned` and `may_alias`: they are read from any place in an array.
typedef double Doubles __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef float Floats __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

// LANES numbers from p on, in double precision.
inline Doubles load(const double* p) { return *reinterpret_cast<const Doubles*>(p); }
inline Doubles load(const float* p) {
#ifdef __AVX__
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    return __builtin_convertvector(*reinterpret_cast<const Floats*>(p), Doubles);
#endif
}

inline void store(double* p, Doubles values) { *reinterpret_cast<Doubles*>(p) = values; }

}  // namespace mercer::MERCER_ISA

#endif
