// log(1 + x) for finite x > -1, written so that the compiler turns a loop over it into vector instructions.
//
//     u = 1 + x = 2^k (1 + f),   1 + f in [1/sqrt 2, sqrt 2),   s = f / (2 + f)
//     log(1 + x) = k log 2 + log(1 + f) + (x - (u - 1)) / u,    log(1 + f) = f - s (f - R(s^2))
//
// k and f come from the bits of u, R is the minimax polynomial of fdlibm, and the last term restores the digits of x that
// the sum 1 + x has lost.  There is no branch and no call of the mathematics library.  The relative error is below 2 units
// in the last place.  NaN stays NaN.

#include <bit>
#include <cstdint>

namespace mercer::MERCER_ISA {

inline double log_one_plus(double x) {
    constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;  // the bits of 1/sqrt 2
    constexpr std::uint64_t bias = 1023;
    constexpr double magic = 4503599627370496.0;  // 2^52: a whole number in its lowest bits becomes a double
    // R(w) / w on 0 <= w <= 0.0295, highest power first
    constexpr double poly[] = {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                               2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                               6.666666666666735130e-01};
    const double u = 1.0 + x;
    const double lost = (x - (u - 1.0)) / u;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(u);
    const std::uint64_t power = (bits - root_half + (bias << 52)) >> 52;  // k + bias
    const double k = std::bit_cast<double>(power | std::bit_cast<std::uint64_t>(magic)) - (magic + 1023.0);
    const double f = std::bit_cast<double>(bits - (power << 52) + (bias << 52)) - 1.0;
    const double s = f / (2.0 + f);
    const double w = s * s;
    double p = 0.0;
    for (double c : poly) p = p * w + c;
    const double half_square = 0.5 * f * f;
    const double low = s * (half_square + w * p) + (k * 1.90821492927058770002e-10 + lost);
    return k * 6.93147180369123816490e-01 - ((half_square - low) - f);
}

}  // namespace mercer::MERCER_ISA
