#include "graph_paths.h"

#include "key_table.h"

namespace mercer::MERCER_ISA {

namespace {

// Counts of keys in memory of the caller, which may be too little.
struct Counter {
    KeyTable table;
    std::int64_t* keys = nullptr;
    double* counts = nullptr;
    Index found = 0, most = 0;

    void begin(std::int64_t* at, double* counted, Index room) {
        keys = at;
        counts = counted;
        found = 0;
        most = room;
        table.clear(64);
    }

    // False if there is no room for a new key.
    bool add(Hash key) {
        if (!table.has_room(found)) {
            table.clear(2 * found);
            for (Index i = 0; i < found; ++i) table.place(static_cast<Hash>(keys[i]), keys, i);
        }
        if (found == most) {
            const Index known = table.find(key, keys);
            if (known < 0) return false;
            counts[known] += 1.0;
            return true;
        }
        const Index at = table.place(key, keys, found);
        if (at == found) {
            keys[found] = static_cast<std::int64_t>(key);
            counts[found++] = 0.0;
        }
        counts[at] += 1.0;
        return true;
    }
};

Hash ends_of(Hash a, Hash b, bool ordered) { return !ordered && b < a ? paired(b, a) : paired(a, b); }

// All nodes that are reached from `source`, nearest first, to `queue`; their distances to `distance`, which holds -1
// before.  Returns how many.
Index reached(Graphs graphs, Index base, Index source, Index* queue, Index* distance) {
    Index filled = 1;
    queue[0] = source;
    distance[source] = 0;
    for (Index q = 0; q < filled; ++q) {
        const Index u = queue[q], next = distance[u] + 1;
        for (Index e = graphs.start[base + u]; e < graphs.start[base + u + 1]; ++e) {
            const Index v = graphs.neighbour[e];
            if (distance[v] >= 0) continue;
            distance[v] = next;
            queue[filled++] = v;
        }
    }
    return filled;
}

bool count_graph(Graphs graphs, Index g, const std::int64_t* label, bool ordered, Index* queue, Index* distance,
                 Counter& counter) {
    const Index base = graphs.nodes[g], n = graphs.size(g);
    for (Index v = 0; v < n; ++v) distance[v] = -1;
    for (Index u = 0; u < n; ++u) {
        const Index filled = reached(graphs, base, u, queue, distance);
        const Hash own = static_cast<Hash>(label[base + u]);
        bool fits = true;
        for (Index q = 1; q < filled && fits; ++q) {
            const Index v = queue[q];
            if (ordered || v > u)
                fits = counter.add(paired(ends_of(own, static_cast<Hash>(label[base + v]), ordered),
                                          static_cast<Hash>(distance[v])));
        }
        for (Index q = 0; q < filled; ++q) distance[queue[q]] = -1;
        if (!fits) return false;
    }
    return true;
}

Index largest(Graphs graphs) {
    Index most = 0;
    for (Index g = 0; g < graphs.count(); ++g) most = larger(most, graphs.size(g));
    return most;
}

}  // namespace

Index path_counts(Graphs graphs, Vector<const std::int64_t> label, bool ordered, Index first, Vector<std::int64_t> keys,
                  Vector<double> counts, Vector<Index> ends) {
    const Index n = largest(graphs);
    Buffer<Index> queue(n), distance(n);
    Counter counter;
    Index end = 0, g = first;
    ends[0] = 0;
    for (; g < graphs.count() && g - first + 1 < ends.size; ++g) {
        counter.begin(keys.data + end, counts.data + end, keys.size - end);
        if (!count_graph(graphs, g, label.data, ordered, queue.data(), distance.data(), counter)) break;
        end += counter.found;
        ends[g - first + 1] = end;
    }
    return g;
}

}  // namespace mercer::MERCER_ISA
