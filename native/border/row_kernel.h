// Kernels of rows of numbers at the border.
#pragma once

#include <string>

#include "arrays.h"
#include "loops/row_kernel_types.h"

namespace mercer {

inline PairFunction function_named(const Call& call, const std::string& name) {
    if (name == "gaussian") return PairFunction::gaussian;
    if (name == "matern") return PairFunction::matern;
    call.wrong_value("function", "'gaussian' or 'matern'", name);
}

// Rows with their squared norms and the function of their squared distances; the names are those of the arguments.
template <class T>
RowKernel<T> rows_of(Call& call, nb::handle X, const char* X_name, nb::handle norms, const char* norms_name,
                     const std::string& function, double c, Vector<const double> coefficients) {
    auto X_ = call.matrix<const T>(X, X_name);
    auto norms_ = call.vector<const T>(norms, norms_name, X_.rows);
    return {X_, norms_.data, nullptr, function_named(call, function), c, coefficients};
}

}  // namespace mercer
