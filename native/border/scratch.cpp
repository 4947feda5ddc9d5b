#include "loops/scratch.h"

#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace mercer {

namespace {

constexpr std::size_t HUGE_PAGE = std::size_t{1} << 21;
constexpr std::size_t LARGE = std::size_t{1} << 22;  // from here on the first touch of small pages costs more than the work

}  // namespace

void* take_scratch(std::size_t bytes) {
    void* memory = nullptr;
#ifdef __linux__
    if (bytes >= LARGE) {
        if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0) throw std::bad_alloc();
        madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: nothing is lost where it is refused
        return memory;
    }
#endif
    memory = std::malloc(bytes ? bytes : 1);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void return_scratch(void* memory) { std::free(memory); }

}  // namespace mercer
