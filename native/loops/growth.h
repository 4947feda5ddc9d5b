// A growing active set: solve on a few items, look at all of them, take in those that violate, until none does.
//
//     1. a rough solution on a random sample, or on the support vectors of b, gives a first gradient on all items;
//     2. items outside of the active set that violate the conditions, or nearly do, come in; at most as many as it has;
//     3. the problem is solved on the active set, whose Gram is stored in single precision and grows with it;
//     4. the gradient of all other items is one evaluation of K(items, support vectors).
//
// Steps 2 to 4 are repeated two or three times.  In the end the gradients that decide the violation, and a few others, are
// computed again in double precision; if single precision moved any of them by a tenth of the tolerance, all are.

#include "blas.h"
#include "dual_types.h"
#include "lapack.h"
#include "row_kernel_types.h"

namespace mercer::MERCER_ISA {

// Solve a plain problem whose F is right at the start; writes b and F.
Grown grow(Box box, const double* z, GrowthRules rules, GramCalls gram, const Lapack& lapack);

// The same for many problems on rows of numbers, each from b = 0 and all without a return to Python.
//
// Writes b, F, the steps made (-1: not solved), the errors of single precision and the proofs (dual_proof.h).
void grow_batch(Batch batch, GrowthRules rules, RowKernel<float> fast, RowKernel<double> exact, Task task,
                Vector<Index> steps, Vector<double> errors, Matrix<double> proofs, void* context,
                void (*report)(void* context, Index active, double violation, double objective, Index steps),
                const Blas& blas, const Lapack& lapack);

}  // namespace mercer::MERCER_ISA
