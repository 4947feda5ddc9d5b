// Labels of nodes that describe what surrounds them (Weisfeiler and Leman).
//
// Hashes are held as int64, which NumPy and all platforms have.  `arc` holds a hash for every arc, or is empty.

#include "graph_types.h"

namespace mercer::MERCER_ISA {

// next_u <- the hash of label_u and of the multiset of (label of arc, label of neighbour).
//
// A multiset is hashed by the sum of its hashes modulo 2^64, which needs no sorting.
void refine(Graphs graphs, Vector<const std::int64_t> arc, Vector<const std::int64_t> label,
            Vector<std::int64_t> next);

// key_e <- the hash of (label of source, label of arc, label of target); without direction if `undirected`.
void arc_keys(Graphs graphs, Vector<const std::int64_t> arc, Vector<const std::int64_t> label, bool undirected,
              Vector<std::int64_t> key);

}  // namespace mercer::MERCER_ISA
