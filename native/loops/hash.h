// Hashes of 64 bits that depend on their arguments alone, not on what was hashed before.

#include "graph_types.h"

namespace mercer::MERCER_ISA {

// A bijection of 64-bit numbers after which every bit depends on every bit (the finaliser of SplitMix64).
inline Hash mixed(Hash x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

// The hash of an ordered pair.  Both are mixed, and not alike: sums of hashes are paired with hashes, and without that
// a node and one of its neighbours could change places.
inline Hash paired(Hash a, Hash b) { return mixed(mixed(a) + mixed(b ^ 0xD1B54A32D192ED03u)); }

}  // namespace mercer::MERCER_ISA
