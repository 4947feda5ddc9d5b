#include "graphlets.h"

#include "buffer.h"

namespace mercer::MERCER_ISA {

namespace {

// The search in one graph: `chosen` nodes, those that may be added, and which nodes are chosen or beside a chosen one.
struct Search {
    Graphs graphs;
    Index base, size, root;
    const Index* kind;
    double* counts;
    Index* chosen;
    Index* lists;  // for each depth a list of nodes that may be added
    Index width;   // of a list
    bool* seen;

    Index* open(Index depth) const { return lists + depth * width; }

    Index begin(Index u) const { return graphs.start[base + u]; }
    Index end(Index u) const { return graphs.start[base + u + 1]; }

    bool adjacent(Index u, Index v) const {
        Index low = begin(u), high = end(u);
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (graphs.neighbour[middle] < v) low = middle + 1;
            else high = middle;
        }
        return low < end(u) && graphs.neighbour[low] == v;
    }

    // Add node w as number `depth`, and go on with every set of nodes that follows; `count` nodes are open.
    void extend(Index w, Index depth, Index bits, Index count) {
        for (Index i = 0; i < depth; ++i)
            if (adjacent(w, chosen[i])) bits |= Index{1} << (depth * (depth - 1) / 2 + i);
        if (depth + 1 == size) {
            counts[kind[bits]] += 1.0;
            return;
        }
        chosen[depth] = w;
        Index* list = open(depth);
        const Index before = count;
        for (Index e = begin(w); e < end(w); ++e) {
            const Index v = graphs.neighbour[e];
            if (v <= root || seen[v]) continue;
            seen[v] = true;
            list[count++] = v;
        }
        const Index added = count;
        for (Index c = count - 1; c >= 0; --c) {
            for (Index i = 0; depth + 2 < size && i < c; ++i) open(depth + 1)[i] = list[i];
            extend(list[c], depth + 1, bits, c);
        }
        for (Index i = before; i < added; ++i) seen[list[i]] = false;
    }
};

}  // namespace

void graphlets(Graphs graphs, Index size, Vector<const Index> kind, Matrix<double> counts) {
    Index most = 0;
    for (Index g = 0; g < graphs.count(); ++g) most = larger(most, graphs.size(g));
    Buffer<Index> chosen(size), lists((most + 1) * size);
    Buffer<bool> seen(most + 1);
    Search search{graphs, 0, size, 0, kind.data, nullptr, chosen.data(), lists.data(), most + 1, seen.data()};
    for (Index v = 0; v <= most; ++v) seen[v] = false;
    for (Index g = 0; g < graphs.count(); ++g) {
        search.base = graphs.nodes[g];
        search.counts = counts.row(g);
        for (Index k = 0; k < counts.cols; ++k) search.counts[k] = 0.0;
        for (Index u = 0; u < graphs.size(g); ++u) {
            search.root = u;
            seen[u] = true;
            search.extend(u, 0, 0, 0);
            seen[u] = false;
        }
    }
}

}  // namespace mercer::MERCER_ISA
