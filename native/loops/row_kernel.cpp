#include "row_kernel.h"

#include <cmath>

#include "buffer.h"
#include "exp.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index PANEL = 256;        // rows of a panel, and ...
constexpr Index WIDTH = 512;        // ... its columns: half a megabyte of float32, inside the second-level cache
constexpr double NEAR = 1.0 / 64.0; // share of |x|^2 + |y|^2 below which a squared distance is summed directly

void multiply(const Blas& blas, Index m, Index n, Index k, const float* a, const float* b, float* c, Index ldc) {
    char t = 'T', no = 'N';
    int m_ = static_cast<int>(m), n_ = static_cast<int>(n), k_ = static_cast<int>(k), ldc_ = static_cast<int>(ldc);
    float one = 1.0f, zero = 0.0f;
    blas.sgemm(&t, &no, &n_, &m_, &k_, &one, const_cast<float*>(b), &k_, const_cast<float*>(a), &k_, &zero, c, &ldc_);
}

void multiply(const Blas& blas, Index m, Index n, Index k, const double* a, const double* b, double* c, Index ldc) {
    char t = 'T', no = 'N';
    int m_ = static_cast<int>(m), n_ = static_cast<int>(n), k_ = static_cast<int>(k), ldc_ = static_cast<int>(ldc);
    double one = 1.0, zero = 0.0;
    blas.dgemm(&t, &no, &n_, &m_, &k_, &one, const_cast<double*>(b), &k_, const_cast<double*>(a), &k_, &zero, c,
               &ldc_);
}

// Chosen rows side by side, and their squared norms.
template <class T>
class Chosen {
   public:
    Chosen(const RowKernel<T>& kernel, Vector<const Index> which)
        : width_(kernel.X.cols), rows_(which.size * kernel.X.cols), norms_(which.size) {
        for (Index i = 0; i < which.size; ++i) {
            const Index place = kernel.places == nullptr ? which[i] : kernel.places[which[i]];
            const T* from = kernel.X.row(place);
            T* to = rows_.data() + i * width_;
            for (Index k = 0; k < width_; ++k) to[k] = from[k];
            norms_[i] = kernel.square_norms[place];
        }
    }
    const T* row(Index i) const { return rows_.data() + i * width_; }
    const T* norms(Index i) const { return norms_.data() + i; }
    Index width() const { return width_; }

   private:
    Index width_;
    Buffer<T> rows_, norms_;
};

// sum_k (x_k - y_k)^2.
template <class T>
T square_distance(const T* x, const T* y, Index width) {
    T s = 0;
    for (Index k = 0; k < width; ++k) {
        const T t = x[k] - y[k];
        s += t * t;
    }
    return s;
}

// Inner products of one row with others become squared distances, in place.
template <class T>
void distances(T* __restrict row, const T* x, T norm, const Chosen<T>& B, Index first, Index count) {
    const T* __restrict norms = B.norms(first);
    const T near = static_cast<T>(NEAR);
    int close = 0;
#pragma omp simd reduction(| : close)
    for (Index j = 0; j < count; ++j) {
        const T total = norm + norms[j], s = total - 2 * row[j];
        row[j] = s;
        close |= s < near * total;
    }
    if (!close) return;
    for (Index j = 0; j < count; ++j)
        if (row[j] < near * (norm + norms[j])) row[j] = square_distance(x, B.row(first + j), B.width());
}

// The function of the kernel on a row of statistics, in place.
template <class T>
void apply(const RowKernel<T>& kernel, T* __restrict row, Index count) {
    const T c = static_cast<T>(kernel.c);
    if (kernel.function == PairFunction::gaussian) {
        for (Index j = 0; j < count; ++j) row[j] = exp_minus(c * row[j]);
    } else {
        for (Index j = 0; j < count; ++j) {
            const T t = std::sqrt(c * row[j]);
            T p = 0;
            for (Index k = 0; k < kernel.coefficients.size; ++k)
                p = p * t + static_cast<T>(kernel.coefficients[k]);
            row[j] = p * exp_minus(t);
        }
    }
}

// One tile from chosen rows a.. and b..
template <class T>
void tile(const RowKernel<T>& kernel, const Chosen<T>& A, Index a, Index rows, const Chosen<T>& B, Index b,
          Index cols, T* out, Index stride, const Blas& blas) {
    multiply(blas, rows, cols, A.width(), A.row(a), B.row(b), out, stride);
    for (Index i = 0; i < rows; ++i) {
        T* row = out + i * stride;
        distances(row, A.row(a + i), *A.norms(a + i), B, b, cols);
        apply(kernel, row, cols);
    }
}

}  // namespace

template <class T>
void kernel_block(const RowKernel<T>& kernel, Vector<const Index> I, Vector<const Index> J, T* out, Index stride,
                  const Blas& blas) {
    const Chosen<T> A(kernel, I), B(kernel, J);
    for (Index a = 0; a < I.size; a += PANEL)
        for (Index b = 0; b < J.size; b += WIDTH)
            tile(kernel, A, a, smaller(PANEL, I.size - a), B, b, smaller(WIDTH, J.size - b), out + a * stride + b,
                 stride, blas);
}

template <class T>
void kernel_product(const RowKernel<T>& kernel, Vector<const Index> I, Vector<const Index> J, const double* v,
                    double* out, const Blas& blas) {
    const Chosen<T> A(kernel, I), B(kernel, J);
    const Index width = smaller(WIDTH, J.size);
    Buffer<T> panel(smaller(PANEL, I.size) * width);
    for (Index i = 0; i < I.size; ++i) out[i] = 0.0;
    for (Index a = 0; a < I.size; a += PANEL) {
        const Index rows = smaller(PANEL, I.size - a);
        for (Index b = 0; b < J.size; b += WIDTH) {
            const Index cols = smaller(WIDTH, J.size - b);
            tile(kernel, A, a, rows, B, b, cols, panel.data(), width, blas);
            for (Index i = 0; i < rows; ++i) {
                const T* __restrict row = panel.data() + i * width;
                double sum = 0.0;
#pragma omp simd reduction(+ : sum)
                for (Index j = 0; j < cols; ++j) sum += static_cast<double>(row[j]) * v[b + j];
                out[a + i] += sum;
            }
        }
    }
}

#define INSTANTIATE(T)                                                                                            \
    template void kernel_block(const RowKernel<T>&, Vector<const Index>, Vector<const Index>, T*, Index, const Blas&); \
    template void kernel_product(const RowKernel<T>&, Vector<const Index>, Vector<const Index>, const double*,    \
                                 double*, const Blas&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
