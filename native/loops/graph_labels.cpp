#include "graph_labels.h"

#include "hash.h"

namespace mercer::MERCER_ISA {

void refine(Graphs graphs, Vector<const std::int64_t> arc, Vector<const std::int64_t> label,
            Vector<std::int64_t> next) {
    for (Index g = 0; g < graphs.count(); ++g) {
        const Index base = graphs.nodes[g];
        for (Index u = base; u < graphs.nodes[g + 1]; ++u) {
            Hash around = 0;
            for (Index e = graphs.start[u]; e < graphs.start[u + 1]; ++e) {
                const Hash other = static_cast<Hash>(label[base + graphs.neighbour[e]]);
                around += arc.size ? paired(static_cast<Hash>(arc[e]), other) : mixed(other);
            }
            next[u] = static_cast<std::int64_t>(paired(static_cast<Hash>(label[u]), around));
        }
    }
}

void arc_keys(Graphs graphs, Vector<const std::int64_t> arc, Vector<const std::int64_t> label, bool undirected,
              Vector<std::int64_t> key) {
    for (Index g = 0; g < graphs.count(); ++g) {
        const Index base = graphs.nodes[g];
        for (Index u = base; u < graphs.nodes[g + 1]; ++u) {
            for (Index e = graphs.start[u]; e < graphs.start[u + 1]; ++e) {
                Hash a = static_cast<Hash>(label[u]), b = static_cast<Hash>(label[base + graphs.neighbour[e]]);
                if (undirected && b < a) {
                    const Hash swapped = a;
                    a = b;
                    b = swapped;
                }
                const Hash ends = paired(a, b);
                key[e] = static_cast<std::int64_t>(arc.size ? paired(ends, static_cast<Hash>(arc[e])) : ends);
            }
        }
    }
}

}  // namespace mercer::MERCER_ISA
