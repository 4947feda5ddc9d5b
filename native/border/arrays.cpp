#include "arrays.h"

#include <cstring>

namespace mercer {

namespace {

// The NumPy name of a buffer's element type, "" if it is none the loops know.
std::string name_of(const Py_buffer& b) {
    std::string format = b.format ? b.format : "B";
    if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) format.erase(0, 1);
    if (format == "f" || format == "d") return b.itemsize == 4 ? "float32" : "float64";
    if (format == "Zf" || format == "Zd") return b.itemsize == 8 ? "complex64" : "complex128";
    if (format == "i" || format == "l" || format == "q") return b.itemsize == 4 ? "int32" : "int64";
    if (format == "?") return "bool";
    if (format == "B") return "uint8";
    return "";
}

// Fill a buffer; false, without a Python error, if the object has none or must not be written to.
bool open(nb::handle object, Py_buffer& b, bool writable) {
    const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &b, flags) == 0) return true;
    PyErr_Clear();
    return false;
}

}  // namespace

void Call::wrong(const char* name, const std::string& rule, const std::string& got) const {
    throw nb::type_error(
        (std::string(function_) + ": " + name + " must be " + rule + "; got " + got + ".").c_str());
}

void Call::bad(const char* name, const std::string& rule, const std::string& got) const {
    throw nb::value_error(
        (std::string(function_) + ": " + name + " must be " + rule + "; got " + got + ".").c_str());
}

void Call::wrong_shape(const char* name, const Py_buffer& b, const std::string& rule) const {
    std::string shape = "(";
    for (int i = 0; i < b.ndim; ++i) shape += (i ? ", " : "") + std::to_string(b.shape[i]);
    throw nb::value_error(
        (std::string(function_) + ": " + name + " must be " + rule + "; got shape " + shape + ").").c_str());
}

std::string Call::type_of(nb::handle object, const char* name) {
    Py_buffer b;
    if (!open(object, b, false)) wrong(name, "an array", Py_TYPE(object.ptr())->tp_name);
    std::string type = name_of(b);
    PyBuffer_Release(&b);
    return type;
}

const Py_buffer& Call::get(nb::handle object, const char* name, int ndim, bool writable, const char* type) {
    if (held_ == MOST) wrong(name, "one of at most 32 arrays", "more");
    Py_buffer& b = buffers_[held_];
    if (!open(object, b, writable)) {
        const bool array = writable && open(object, b, false);
        if (array) PyBuffer_Release(&b);
        wrong(name, writable && array ? "writable" : "an array",
              array ? "a read-only array" : Py_TYPE(object.ptr())->tp_name);
    }
    ++held_;  // from here on it is released by the destructor
    const std::string found = name_of(b);
    if (found != type) wrong(name, std::string("an array of ") + type, found.empty() ? "another type" : found);
    if (b.ndim != ndim) wrong_shape(name, b, ndim == 1 ? "a vector" : "a matrix");
    if (reinterpret_cast<std::uintptr_t>(b.buf) % static_cast<std::uintptr_t>(b.itemsize > 8 ? 8 : b.itemsize) != 0)
        wrong(name, "aligned in memory", "an array that is not");
    return b;
}

}  // namespace mercer
