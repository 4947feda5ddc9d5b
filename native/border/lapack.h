// LAPACK from SciPy's capsules, so that nothing has to be linked.
#pragma once

#include "loops/lapack.h"

namespace mercer {

// The routines; SciPy is imported at the first call.  Holds the interpreter lock.
const Lapack& scipy_lapack();

}  // namespace mercer
