// Gains and costs of one variable of a Box (dual_types.h).
//
// Raising b_i gains at the rate up_i - F_i, lowering it costs at the rate down_i - F_i, where up and down are -epsilon or
// +epsilon by the side of 0, or infinite at a bound.  The optimum is where no gain exceeds any cost.

#include "dual_types.h"

namespace mercer::MERCER_ISA {

constexpr double NEVER = 1e30;  // stands for infinity, also in float32

// The non-smooth part of the gain when b rises.
inline double up_offset(double b, double hi, double epsilon) {
    return b >= hi ? -NEVER : b >= 0.0 ? -epsilon : epsilon;
}

// The non-smooth part of the cost when b falls.
inline double down_offset(double b, double lo, double epsilon) {
    return b <= lo ? NEVER : b > 0.0 ? -epsilon : epsilon;
}

// Whether a coefficient is neither 0 nor at a bound.
inline bool is_free(double b, double lo, double hi) { return lo < b && b < hi && b != 0.0; }

}  // namespace mercer::MERCER_ISA
