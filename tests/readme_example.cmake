# Cuts the C++ example out of README.md and writes it to OUTPUT, so that it is compiled as it stands.
file(READ ${README} text)
string(REGEX MATCH "```cpp\n([^`]*)```" _ "${text}")
if(NOT CMAKE_MATCH_1)
  message(FATAL_ERROR "README.md has no C++ example")
endif()
file(WRITE ${OUTPUT} "${CMAKE_MATCH_1}")
