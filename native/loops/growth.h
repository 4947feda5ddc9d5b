// A growing active set: solve on a few items, look at all of them, take in those that violate, until none does.
//
//     1. a rough solution on the items `first` gives a first gradient on all items;
//     2. items outside of the active set that violate the conditions, or nearly do, come in; at most as many as it has;
//     3. the problem is solved on the active set, whose Gram is stored in single precision and grows with it;
//     4. the gradient of all other items is one evaluation of K(items, support vectors).
//
// Steps 2 to 4 are repeated two or three times.  In the end the gradients that decide the violation, and a few others, are
// computed again in double precision; if single precision moved any of them by a tenth of the tolerance, all are.

#include "dual_types.h"
#include "lapack.h"

namespace mercer::MERCER_ISA {

// Solve a plain problem whose F is right at the start; writes b and F.
Grown grow(Box box, const double* z, Vector<const Index> first, GrowthRules rules, GramCalls gram,
           const Lapack& lapack);

}  // namespace mercer::MERCER_ISA
