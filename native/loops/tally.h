// How often each key occurs, in groups; and codes 0, 1, ... for keys.

#include "views.h"

namespace mercer::MERCER_ISA {

// Group g holds keys(r, i) for all rows r and ends_g <= i < ends_{g + 1}.  Its different keys, in the order of their
// first occurrence, and how often each occurs go to places [out_ends_g, out_ends_{g + 1}) of out_keys and out_counts,
// which have room for all keys.
void tally(Matrix<const std::int64_t> keys, Vector<const Index> ends, Vector<std::int64_t> out_keys,
           Vector<double> out_counts, Vector<Index> out_ends);

// code_i <- the number of different keys that occur before the first occurrence of keys_i; that key goes to
// different[code_i].  Returns how many there are.
Index codes(Vector<const std::int64_t> keys, Vector<std::int32_t> code, Vector<std::int64_t> different);

// code_i <- the place of keys_i in `different`, whose entries differ; -1 if it is not there.
void look_up(Vector<const std::int64_t> keys, Vector<const std::int64_t> different, Vector<std::int32_t> code);

}  // namespace mercer::MERCER_ISA
