#include "arrays.h"

#include <cstring>

namespace mercer {

namespace {

// The NumPy name of a buffer's element type, "" if it is none the loops know.
const char* name_of(const Py_buffer& b) {
    const char* format = b.format ? b.format : "B";
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    const char kind = format[0] == 'Z' ? format[1] : format[0];
    if (kind == '\0' || format[format[0] == 'Z' ? 2 : 1] != '\0') return "";
    if (format[0] == 'Z') return kind == 'f' ? "complex64" : kind == 'd' ? "complex128" : "";
    switch (kind) {
        case 'f': return "float32";
        case 'd': return "float64";
        case 'i':
        case 'l':
        case 'q': return b.itemsize == 4 ? "int32" : "int64";
        case '?': return "bool";
        case 'B': return "uint8";
        default: return "";
    }
}

// Fill a buffer; false, without a Python error, if the object has none or must not be written to.
bool open(nb::handle object, Py_buffer& b, bool writable) {
    const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &b, flags) == 0) return true;
    PyErr_Clear();
    return false;
}

// The name of an object's Python type.
std::string type_of_object(nb::handle object) {
    return nb::borrow<nb::str>(object.type().attr("__name__")).c_str();
}

}  // namespace

void Call::wrong(const char* name, const std::string& rule, const std::string& got) const {
    throw nb::type_error(
        (std::string(function_) + ": " + name + " must be " + rule + "; got " + got + ".").c_str());
}

void Call::wrong_value(const char* name, const std::string& rule, const std::string& got) const {
    throw nb::value_error(
        (std::string(function_) + ": " + name + " must be " + rule + "; got " + got + ".").c_str());
}

void Call::places(Vector<const Index> index, const char* name, Index size) const {
    for (Index i = 0; i < index.size; ++i)
        if (index[i] < 0 || index[i] >= size)
            wrong_value(name, "indices from 0 to below " + std::to_string(size), std::to_string(index[i]));
}

void Call::wrong_shape(const char* name, const Py_buffer& b, const std::string& rule) const {
    std::string shape = "(";
    for (int i = 0; i < b.ndim; ++i) shape += (i ? ", " : "") + std::to_string(b.shape[i]);
    throw nb::value_error(
        (std::string(function_) + ": " + name + " must be " + rule + "; got shape " + shape + ").").c_str());
}

std::string Call::type_of(nb::handle object, const char* name) {
    Py_buffer b;
    if (!open(object, b, false)) wrong(name, "an array", type_of_object(object));
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
              array ? "a read-only array" : type_of_object(object));
    }
    ++held_;  // from here on it is released by the destructor
    const char* found = name_of(b);
    if (std::strcmp(found, type) != 0)
        wrong(name, std::string("an array of ") + type, *found == '\0' ? "another type" : found);
    if (b.ndim != ndim) wrong_shape(name, b, ndim == 1 ? "a vector" : "a matrix");
    if (reinterpret_cast<std::uintptr_t>(b.buf) % static_cast<std::uintptr_t>(b.itemsize > 8 ? 8 : b.itemsize) != 0)
        wrong(name, "aligned in memory", "an array that is not");
    return b;
}

}  // namespace mercer
