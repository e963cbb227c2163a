# pegasos_room(name SOURCES ... [USES rooms...] [LINK libraries...])
#
# Declares the static library pegasos_<name> of one room. USES names the rooms it may include; a
# room's headers reach another room only through this list, and tests/include_direction_check
# holds the includes to the same order.

add_library(pegasos_flags INTERFACE)
target_compile_options(pegasos_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # Fused multiply-add would make results depend on the compiler's choices.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # A false alarm about std::string concatenation (GCC bug 105651).
  target_compile_options(pegasos_flags INTERFACE -Wno-restrict)
endif()
if(PEGASOS_WERROR)
  target_compile_options(pegasos_flags INTERFACE -Werror)
endif()
if(PEGASOS_SANITIZE)
  target_compile_options(pegasos_flags INTERFACE
    -fsanitize=${PEGASOS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pegasos_flags INTERFACE -fsanitize=${PEGASOS_SANITIZE})
endif()

if(PEGASOS_BUILD_FUZZ)
  # The rooms report their coverage to libFuzzer; without that it would be mutating blindly.
  target_compile_options(pegasos_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(pegasos_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LINK" ${ARGN})
  add_library(pegasos_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(pegasos_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(pegasos_${name} PRIVATE pegasos_flags)
  foreach(other ${ROOM_USES})
    target_link_libraries(pegasos_${name} PUBLIC pegasos_${other})
  endforeach()
  target_link_libraries(pegasos_${name} PUBLIC ${ROOM_LINK})
endfunction()
