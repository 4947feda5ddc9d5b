#include "lapack.h"

#include <nanobind/nanobind.h>

namespace mercer {

namespace nb = nanobind;

namespace {

template <class Function>
void take(nb::handle table, const char* name, Function*& routine) {
    nb::object capsule = table[name];
    void* address = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
    if (address == nullptr) throw nb::python_error();
    routine = reinterpret_cast<Function*>(address);
}

nb::object capsules(const char* module) { return nb::module_::import_(module).attr("__pyx_capi__"); }

}  // namespace

// No guarded statics: the import may give the interpreter lock away, and whoever waits for the guard would hold it.

const Lapack& scipy_lapack() {
    static Lapack routines{};
    if (routines.dpotrs == nullptr) {
        nb::object table = capsules("scipy.linalg.cython_lapack");
        take(table, "dpotrf", routines.dpotrf);
        take(table, "dpotrs", routines.dpotrs);
    }
    return routines;
}

const Blas& scipy_blas() {
    static Blas routines{};
    if (routines.dgemm == nullptr) {
        nb::object table = capsules("scipy.linalg.cython_blas");
        take(table, "sgemm", routines.sgemm);
        take(table, "dgemm", routines.dgemm);
    }
    return routines;
}

}  // namespace mercer
