// The few BLAS routines the loops call, as function pointers that the border takes from SciPy.
#pragma once

namespace mercer {

struct Blas {
    void (*sgemm)(char* ta, char* tb, int* m, int* n, int* k, float* alpha, float* a, int* lda, float* b, int* ldb,
                  float* beta, float* c, int* ldc);
    void (*dgemm)(char* ta, char* tb, int* m, int* n, int* k, double* alpha, double* a, int* lda, double* b, int* ldb,
                  double* beta, double* c, int* ldc);
};

}  // namespace mercer
