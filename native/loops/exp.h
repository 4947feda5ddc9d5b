// exp(-x) for x >= 0, written so that the compiler turns a loop over it into vector instructions.
//
//     exp(-x) = 2^k e^r,   k = round(-x / log 2),   |r| <= log(2) / 2
//
// k comes from adding a big number (the sum keeps only whole bits), e^r from a minimax polynomial, 2^k from building
// the bits of the exponent.  There is no branch and no call of the mathematics library.  The relative error is below
// 2 units in the last place; where the result is below the smallest normal number it is 0.  NaN stays NaN.

#include <bit>
#include <cstdint>

namespace mercer::MERCER_ISA {

inline double exp_minus(double x) {
    constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
    // e^r on |r| <= log(2)/2, highest power first; relative error 3e-18
    constexpr double poly[] = {2.4994314804695103e-08, 2.763229324465008e-07,  2.7557622499432988e-06,
                               2.4801486521540782e-05, 0.0001984126943271505,  0.0013888888951223862,
                               0.008333333333559253,   0.04166666666649277,    0.1666666666666617,
                               0.5000000000000018,     1.0,                    1.0};
    x = -x;
    const double t = x * 1.4426950408889634 + magic;
    const double k = t - magic;
    const double r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
    double p = 0.0;
    for (double c : poly) p = p * r + c;
    const double value = p * std::bit_cast<double>((std::bit_cast<std::int64_t>(t) + 1023) << 52);
    return x < -708.0 ? 0.0 : value;
}

inline float exp_minus(float x) {
    constexpr float magic = 12582912.0f;  // 1.5 * 2^23
    // relative error 2e-9
    constexpr float poly[] = {0.0013836846126504068f, 0.008374815786407733f, 0.04166822556671505f,
                              0.1666642017017184f,    0.49999992079835665f,  1.0f,
                              1.0f};
    x = -x;
    const float t = x * 1.4426950408889634f + magic;
    const float k = t - magic;
    const float r = (x - k * 0.693359375f) - k * -2.12194440e-4f;
    float p = 0.0f;
    for (float c : poly) p = p * r + c;
    const float value = p * std::bit_cast<float>((std::bit_cast<std::int32_t>(t) + 127) << 23);
    return x < -87.0f ? 0.0f : value;
}

}  // namespace mercer::MERCER_ISA
