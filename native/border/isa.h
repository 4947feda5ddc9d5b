// Which instruction set the loops run on.
//
// Every file of loops/ is compiled once per instruction set, into a namespace of that name.  A file of border/ says
//
//     #define MERCER_LOOPS "loops/radial.h"
//     #include "every_isa.h"
//
// and then calls BEST(exponential<float>)(S, c): the version for the best set this processor has, or for the lower one
// that the environment variable MERCER_ISA names.  The choice is made once, when the module is imported.
#pragma once

#include <string>
#include <vector>

namespace mercer {

enum class Isa { plain, v2, v3, v4 };

extern Isa isa;  // in use; set by choose_isa

// Take the best instruction set, or the one that is named; throws std::runtime_error if there is no such set here.
void choose_isa(const char* name);

// The sets this processor has, lowest first.
std::vector<std::string> available_isas();

const char* isa_name(Isa which);

}  // namespace mercer

#ifdef MERCER_X86_LEVELS
#define BEST(...) \
    (::mercer::isa == ::mercer::Isa::v4   ? &::mercer::v4::__VA_ARGS__ \
     : ::mercer::isa == ::mercer::Isa::v3 ? &::mercer::v3::__VA_ARGS__ \
                                          : &::mercer::v2::__VA_ARGS__)
#else
#define BEST(...) (&::mercer::plain::__VA_ARGS__)
#endif
