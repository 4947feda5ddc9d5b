// Arrays as the loops see them: a pointer, sizes and, for matrices, the distance between rows.
//
// Elements of a row lie side by side; rows may be further apart than they are long (columns c..d of a larger matrix).
// Nothing here owns memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer {

using Index = std::ptrdiff_t;

template <class T>
struct Vector {
    T* data;
    Index size;

    T& operator[](Index i) const { return data[i]; }
};

template <class T>
struct Matrix {
    T* data;
    Index rows, cols;
    Index stride;  // elements from one row to the next

    T* row(Index i) const { return data + i * stride; }
    T& operator()(Index i, Index j) const { return data[i * stride + j]; }
};

}  // namespace mercer
