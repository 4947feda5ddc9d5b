// A table of 64-bit keys with open addressing; a key is known by its place in a list that the caller keeps.

#include "buffer.h"
#include "hash.h"

namespace mercer::MERCER_ISA {

class KeyTable {
   public:
    // Empty, with room for `keys` of them.
    void clear(Index keys) {
        Index slots = 16;
        while (slots < 2 * keys) slots *= 2;
        mask_ = slots - 1;
        slots_ = room_.at_least(slots);
        for (Index s = 0; s < slots; ++s) slots_[s] = 0;
    }

    // Room for another key besides `count` of them?
    bool has_room(Index count) const { return 2 * (count + 1) <= mask_ + 1; }

    // The place of a key in `list`; `count`, to be appended there, if it is new.
    Index place(Hash key, const std::int64_t* list, Index count) {
        Index s = slot(key, list);
        if (slots_[s] == 0) slots_[s] = static_cast<std::int32_t>(count + 1);
        return slots_[s] - 1;
    }

    // The place of a key in `list`; -1 if it is not there.
    Index find(Hash key, const std::int64_t* list) const { return slots_[slot(key, list)] - 1; }

   private:
    Index slot(Hash key, const std::int64_t* list) const {
        Index s = static_cast<Index>(mixed(key)) & mask_;
        while (slots_[s] != 0 && static_cast<Hash>(list[slots_[s] - 1]) != key) s = (s + 1) & mask_;
        return s;
    }

    Room<std::int32_t> room_;
    std::int32_t* slots_ = nullptr;  // 1 + place; 0 where there is none
    Index mask_ = 0;
};

}  // namespace mercer::MERCER_ISA
