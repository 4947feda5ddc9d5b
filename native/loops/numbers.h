// One arithmetic for real and complex numbers: the formulas of the loops hold for both.

#include <complex>

namespace mercer::MERCER_ISA {

template <class T>
struct RealPart {
    using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
    using type = T;
};

// The type of |x|.
template <class T>
using Real = typename RealPart<T>::type;

// x*, the complex conjugate.
template <class T>
inline T conjugate(T x) {
    return x;
}
template <class T>
inline std::complex<T> conjugate(std::complex<T> x) {
    return {x.real(), -x.imag()};
}

// a b; of complex numbers by the plain formula, without the second look at infinities of std::complex.
template <class T>
inline T times(T a, T b) {
    return a * b;
}
template <class T>
inline std::complex<T> times(std::complex<T> a, std::complex<T> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// 0 if x is finite, NaN if it is not.
template <class T>
inline T not_finite(T x) {
    return x - x;
}
template <class T>
inline T not_finite(std::complex<T> x) {
    return (x.real() - x.real()) + (x.imag() - x.imag());
}

}  // namespace mercer::MERCER_ISA
