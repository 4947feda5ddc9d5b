#include "lapack.h"

#include <nanobind/nanobind.h>

namespace mercer {

namespace nb = nanobind;

namespace {

template <class Function>
Function* pointer(nb::handle table, const char* name) {
    nb::object capsule = table[name];
    void* address = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
    if (address == nullptr) throw nb::python_error();
    return reinterpret_cast<Function*>(address);
}

Lapack load() {
    nb::object table = nb::module_::import_("scipy.linalg.cython_lapack").attr("__pyx_capi__");
    Lapack found{};
    found.dpotrf = pointer<void(char*, int*, double*, int*, int*)>(table, "dpotrf");
    found.dpotrs = pointer<void(char*, int*, int*, double*, int*, double*, int*, int*)>(table, "dpotrs");
    return found;
}

}  // namespace

const Lapack& scipy_lapack() {
    // no guarded static: the import may give the interpreter lock away, and whoever waits for the guard would hold it
    static Lapack routines{};
    if (routines.dpotrf == nullptr) routines = load();
    return routines;
}

}  // namespace mercer
