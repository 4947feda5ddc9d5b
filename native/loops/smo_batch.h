// Many small problems on one stored Gram: pairs of classes, folds, values of C; solved without a return to Python.

#include "dual_types.h"
#include "lapack.h"

namespace mercer::MERCER_ISA {

// SMO on every problem; writes b, F, the steps made and the proof (dual_proof.h) of each.
//
// A problem whose dual is unbounded or that wants more than `max_steps` has the steps -1.  Steps are in single precision;
// the F of the proof is computed from the Gram as it is.  Coefficients keep the sum they begin with.
template <class K>
void solve_batch(Matrix<const K> gram, Batch batch, double tol, Index max_steps, Task task,
                 Vector<Index> steps, Matrix<double> proofs, const Lapack& lapack);

// One problem solved again for each column of `held`, without the items it marks; writes f of all items by each.
//
// Starts from b.  Returns false where one of them takes too long.
template <class K>
bool solve_folds(Matrix<const K> gram, Vector<const Index> index, Matrix<const bool> held, Vector<const double> z,
                 Vector<const double> lo, Vector<const double> hi, double epsilon, Vector<const double> b, double tol,
                 Index max_steps, Matrix<double> scores, const Lapack& lapack);

// Problems from the one at `done` on, counted chain after chain; returns how many are done then.
//
// The first starts from what is in `coef` after `spent` steps, and if this is the `last` try it is done in any case.  A
// problem that wants more than `max_steps` is the end, and so is a chain after which so many have been made.
Index solve_chains(Matrix<const float> gram, Chains chains, double tol, Index max_steps, Index done, Index spent,
                   bool last, const Lapack& lapack);

}  // namespace mercer::MERCER_ISA
