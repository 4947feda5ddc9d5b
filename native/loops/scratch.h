// Scratch memory of a loop, taken once before it begins.
//
// The memory comes from outside of loops/, where a lack of it becomes a Python exception.
#pragma once

#include <cstddef>

namespace mercer {

void* take_scratch(std::size_t bytes);  // throws std::bad_alloc
void return_scratch(void* memory);

}  // namespace mercer
