// Memory kept in reserve for when there is no more.
//
// Running out of memory is an exception, and whoever passes it on must not need memory: the
// destructors of the JSON library do, and would end the program without a word. So the first
// allocation that fails gives back a part of the reserve and is tried again. The next one gives
// back the rest, for those who clean up, and throws std::bad_alloc.
#pragma once

namespace pegasos::cli {

void keep_memory_in_reserve();

}  // namespace pegasos::cli
