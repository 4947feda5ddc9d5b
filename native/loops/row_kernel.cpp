#include "row_kernel.h"

#include "buffer.h"
#include "distance.h"
#include "radial.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index PANEL = 256;        // rows of a panel, and ...
constexpr Index WIDTH = 512;        // ... its columns: half a megabyte of float32, inside the second-level cache
constexpr Index NARROW = 12;  // up to so many columns, differences cost no more than a matrix product

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

// Chosen rows side by side, and their squared norms; where they are narrow, their columns too.
template <class T>
class Chosen {
   public:
    Chosen(const RowKernel<T>& kernel, Vector<const Index> which)
        : width_(kernel.X.cols), count_(which.size), rows_(count_ * width_), norms_(count_),
          columns_(width_ <= NARROW ? count_ * width_ : 0) {
        for (Index i = 0; i < which.size; ++i) {
            const Index place = kernel.places == nullptr ? which[i] : kernel.places[which[i]];
            const T* from = kernel.X.row(place);
            T* to = rows_.data() + i * width_;
            for (Index k = 0; k < width_; ++k) to[k] = from[k];
            norms_[i] = kernel.square_norms[place];
            for (Index k = 0; width_ <= NARROW && k < width_; ++k) columns_[k * count_ + i] = from[k];
        }
    }
    const T* row(Index i) const { return rows_.data() + i * width_; }
    const T* norms(Index i) const { return norms_.data() + i; }
    Matrix<const T> columns(Index first, Index count) const {
        return {columns_.data() + first, width_, count, count_};
    }
    Index width() const { return width_; }

   private:
    Index width_, count_;
    Buffer<T> rows_, norms_, columns_;
};

// Squared distances of chosen rows a.. and b.., with all their digits.
template <class T>
void distances(const Chosen<T>& A, Index a, const Chosen<T>& B, Index b, Matrix<T> out, const Blas& blas) {
    const Index d = A.width();
    const Matrix<const T> X{A.row(a), out.rows, d, d};
    if (d <= NARROW) {
        direct<T>(X, B.columns(b, out.cols), out);
        return;
    }
    multiply(blas, out.rows, out.cols, d, A.row(a), B.row(b), out.data, out.stride);
    from_dots<T>(out, {A.norms(a), out.rows}, {B.norms(b), out.cols}, X, {B.row(b), out.cols, d, d});
}

// One tile from chosen rows a.. and b..
template <class T>
void tile(const RowKernel<T>& kernel, const Chosen<T>& A, Index a, const Chosen<T>& B, Index b, Matrix<T> out,
          const Blas& blas) {
    distances(A, a, B, b, out, blas);
    if (kernel.function == PairFunction::gaussian) exponential(out, kernel.c);
    else polynomial_exponential(out, kernel.c, kernel.coefficients);
}

}  // namespace

template <class T>
void kernel_block(const RowKernel<T>& kernel, Vector<const Index> I, Vector<const Index> J, T* out, Index stride,
                  const Blas& blas) {
    const Chosen<T> A(kernel, I), B(kernel, J);
    for (Index a = 0; a < I.size; a += PANEL)
        for (Index b = 0; b < J.size; b += WIDTH)
            tile(kernel, A, a, B, b,
                 Matrix<T>{out + a * stride + b, smaller(PANEL, I.size - a), smaller(WIDTH, J.size - b), stride}, blas);
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
            tile(kernel, A, a, B, b, Matrix<T>{panel.data(), rows, cols, width}, blas);
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
