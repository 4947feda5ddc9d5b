#include "isa.h"

#include <stdexcept>

#ifdef MERCER_X86_LEVELS
#include "processor.h"
#endif

namespace mercer {

Isa isa = Isa::plain;

namespace {

std::vector<Isa> available() {
#ifdef MERCER_X86_LEVELS
    const Processor processor;
    std::vector<Isa> found;
    if (processor.v2()) found.push_back(Isa::v2);
    if (processor.v3()) found.push_back(Isa::v3);
    if (processor.v4()) found.push_back(Isa::v4);
    return found;
#else
    return {Isa::plain};
#endif
}

}  // namespace

const char* isa_name(Isa which) {
    switch (which) {
        case Isa::v2: return "v2";
        case Isa::v3: return "v3";
        case Isa::v4: return "v4";
        default: return "plain";
    }
}

std::vector<std::string> available_isas() {
    std::vector<std::string> names;
    for (Isa one : available()) names.emplace_back(isa_name(one));
    return names;
}

void choose_isa(const char* name) {
    const std::vector<Isa> found = available();
    if (found.empty()) throw std::runtime_error("this processor has no SSE4.2, the least that mercer is compiled for");
    if (name == nullptr || *name == '\0') {
        isa = found.back();
        return;
    }
    std::string all;
    for (Isa one : found) {
        if (std::string(name) == isa_name(one)) {
            isa = one;
            return;
        }
        all += std::string(all.empty() ? "" : ", ") + isa_name(one);
    }
    throw std::runtime_error("MERCER_ISA must be one of " + all + " on this processor; got " + name);
}

}  // namespace mercer
