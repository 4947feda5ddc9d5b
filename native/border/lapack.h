// BLAS and LAPACK from SciPy's capsules, so that nothing has to be linked.
#pragma once

#include "loops/blas.h"
#include "loops/lapack.h"

namespace mercer {

// The routines; SciPy is imported at the first call.  Both hold the interpreter lock.
const Lapack& scipy_lapack();
const Blas& scipy_blas();

}  // namespace mercer
