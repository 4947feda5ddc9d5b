// The few LAPACK routines the loops call, as function pointers that the border takes from SciPy.
#pragma once

namespace mercer {

struct Lapack {
    void (*dpotrf)(char* uplo, int* n, double* a, int* lda, int* info);
    void (*dpotrs)(char* uplo, int* n, int* nrhs, double* a, int* lda, double* b, int* ldb, int* info);
};

}  // namespace mercer
