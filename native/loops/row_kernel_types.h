// What a kernel of rows is to the loops: the rows, and a function of the squared distance of a pair.
#pragma once

#include "views.h"

namespace mercer {

enum class PairFunction {
    gaussian,  // exp(-c s) of a squared distance s
    matern     // P(t) exp(-t), t = sqrt(c s); coefficients of P from the highest power down
};

template <class T>
struct RowKernel {
    Matrix<const T> X;
    const T* square_norms;
    const Index* places;  // item i is row places[i] of X; null: row i
    PairFunction function;
    double c;
    Vector<const double> coefficients;
};

}  // namespace mercer
