#include "tally.h"

#include "key_table.h"

namespace mercer::MERCER_ISA {

void tally(Matrix<const std::int64_t> keys, Vector<const Index> ends, Vector<std::int64_t> out_keys,
           Vector<double> out_counts, Vector<Index> out_ends) {
    KeyTable table;
    Index end = 0;
    out_ends[0] = 0;
    for (Index g = 0; g + 1 < ends.size; ++g) {
        std::int64_t* list = out_keys.data + end;
        double* counts = out_counts.data + end;
        Index found = 0;
        table.clear((ends[g + 1] - ends[g]) * keys.rows);
        for (Index r = 0; r < keys.rows; ++r) {
            const std::int64_t* row = keys.row(r);
            for (Index i = ends[g]; i < ends[g + 1]; ++i) {
                const Index at = table.place(static_cast<Hash>(row[i]), list, found);
                if (at == found) {
                    list[found] = row[i];
                    counts[found++] = 0.0;
                }
                counts[at] += 1.0;
            }
        }
        end += found;
        out_ends[g + 1] = end;
    }
}

Index codes(Vector<const std::int64_t> keys, Vector<std::int32_t> code, Vector<std::int64_t> different) {
    KeyTable table;
    table.clear(keys.size);
    Index found = 0;
    for (Index i = 0; i < keys.size; ++i) {
        const Index at = table.place(static_cast<Hash>(keys[i]), different.data, found);
        if (at == found) different[found++] = keys[i];
        code[i] = static_cast<std::int32_t>(at);
    }
    return found;
}

void look_up(Vector<const std::int64_t> keys, Vector<const std::int64_t> different, Vector<std::int32_t> code) {
    KeyTable table;
    table.clear(different.size);
    for (Index i = 0; i < different.size; ++i) table.place(static_cast<Hash>(different[i]), different.data, i);
    for (Index i = 0; i < keys.size; ++i)
        code[i] = static_cast<std::int32_t>(table.find(static_cast<Hash>(keys[i]), different.data));
}

}  // namespace mercer::MERCER_ISA
