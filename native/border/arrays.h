// Arrays at the border: Python objects become views after type, order, shape and writability have been checked.
//
//     void exponential(nb::handle S, double c) {
//         Call call("exponential");
//         by_type<float, double>(call, S, "S", [&]<class T>() {
//             auto tile = call.matrix<T>(S, "S");
//             call.unlocked([&] { BEST(exponential<T>)(tile, c); });
//         });
//     }
//
// A view of const elements accepts read-only arrays, one of plain elements is written to and refuses them.  Every
// complaint names the function and the argument.  Buffers are held until the Call ends.
#pragma once

#include <nanobind/nanobind.h>

#include <cfenv>
#include <complex>
#include <string>
#include <type_traits>

#include "loops/views.h"

namespace mercer {

namespace nb = nanobind;

constexpr Index ANY = -1;

template <class T>
constexpr const char* type_name() {
    using U = std::remove_const_t<T>;
    if constexpr (std::is_same_v<U, float>) return "float32";
    else if constexpr (std::is_same_v<U, double>) return "float64";
    else if constexpr (std::is_same_v<U, std::complex<float>>) return "complex64";
    else if constexpr (std::is_same_v<U, std::complex<double>>) return "complex128";
    else if constexpr (std::is_same_v<U, std::int32_t>) return "int32";
    else if constexpr (std::is_same_v<U, std::int64_t>) return "int64";
    else if constexpr (std::is_same_v<U, Index>) return "int64";
    else if constexpr (std::is_same_v<U, std::uint8_t>) return "uint8";
    else {
        static_assert(std::is_same_v<U, bool>);
        return "bool";
    }
}

// One call from Python.
class Call {
   public:
    explicit Call(const char* function) : function_(function) {}
    ~Call() {
        for (int i = 0; i < held_; ++i) PyBuffer_Release(&buffers_[i]);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // A contiguous vector, of a given size if one is named.
    template <class T>
    Vector<T> vector(nb::handle object, const char* name, Index size = ANY) {
        const Py_buffer& b = get(object, name, 1, !std::is_const_v<T>, type_name<T>());
        if (size != ANY && b.shape[0] != size) wrong_shape(name, b, std::to_string(size) + " long");
        if (b.shape[0] > 1 && b.strides[0] != b.itemsize) wrong(name, "contiguous", "a strided array");
        return {static_cast<T*>(b.buf), b.shape[0]};
    }

    // A matrix whose rows are contiguous, of a given shape if one is named.
    template <class T>
    Matrix<T> matrix(nb::handle object, const char* name, Index rows = ANY, Index cols = ANY) {
        const Py_buffer& b = get(object, name, 2, !std::is_const_v<T>, type_name<T>());
        if ((rows != ANY && b.shape[0] != rows) || (cols != ANY && b.shape[1] != cols))
            wrong_shape(name, b, "of shape (" + side(rows) + ", " + side(cols) + ")");
        const Index size = b.itemsize;
        Index stride = b.shape[1];
        if (b.shape[0] > 0 && b.shape[1] > 0) {
            if (b.shape[1] > 1 && b.strides[1] != size) wrong(name, "contiguous along its rows", "a strided array");
            if (b.shape[0] > 1) {
                if (b.strides[0] % size != 0 || b.strides[0] < b.shape[1] * size)
                    wrong(name, "contiguous along its rows", "rows that overlap");
                stride = b.strides[0] / size;
            }
        }
        return {static_cast<T*>(b.buf), b.shape[0], b.shape[1], stride};
    }

    // Complain unless every entry is a place in something of a given size.
    void places(Vector<const Index> index, const char* name, Index size) const;

    // The name of the element type of an array, "" if it is none that is known here.
    std::string type_of(nb::handle object, const char* name);

    // Do something without the interpreter lock.
    //
    // Loops compute in all lanes and discard some results, so that flags such as "invalid" say nothing.  They are cleared
    // in the end: numpy.linalg takes an old flag for a fault of its own.
    template <class F>
    auto unlocked(F&& work) {
        struct Cleared {
            ~Cleared() { std::feclearexcept(FE_ALL_EXCEPT); }
        } cleared;
        nb::gil_scoped_release release;
        return work();
    }

    // Refuse a number below 0.
    void not_negative(Index value, const char* name) const {
        if (value < 0) wrong_value(name, "0 or more", std::to_string(value));
    }

    [[noreturn]] void wrong(const char* name, const std::string& rule, const std::string& got) const;
    [[noreturn]] void wrong_value(const char* name, const std::string& rule, const std::string& got) const;

   private:
    static constexpr int MOST = 32;

    const Py_buffer& get(nb::handle object, const char* name, int ndim, bool writable, const char* type);
    [[noreturn]] void wrong_shape(const char* name, const Py_buffer& b, const std::string& rule) const;
    static std::string side(Index n) { return n == ANY ? "any" : std::to_string(n); }

    const char* function_;
    Py_buffer buffers_[MOST];
    int held_ = 0;
};

// Call f<T>() for the T of the list that is the element type of an array; complain if there is none.
template <class First, class... Rest, class F>
auto by_type(Call& call, nb::handle object, const char* name, F&& f) {
    const std::string type = call.type_of(object, name);
    using Result = decltype(f.template operator()<First>());
    std::string rule = type_name<First>();
    ((rule += std::string(" or ") + type_name<Rest>()), ...);
    auto pick = [&]<class T, class... Others>(auto& self) -> Result {
        if (type == type_name<T>()) return f.template operator()<T>();
        if constexpr (sizeof...(Others) > 0) return self.template operator()<Others...>(self);
        else call.wrong(name, "an array of " + rule, type.empty() ? "another type" : type);
    };
    return pick.template operator()<First, Rest...>(pick);
}

}  // namespace mercer
