# pegasos_room(name SOURCES ... [USES rooms...] [LINK libraries...])
#
# Declares the object library pegasos_<name> of one room; pegasos is made of all of them. USES names
# the rooms it may include; tests/include_direction_check holds the includes to the same order.

add_library(pegasos_flags INTERFACE)
target_compile_options(pegasos_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # Fused multiply-add would make results depend on the compiler's choices.
  -ffp-contract=off
  # No path of the building machine in what is built: assert() writes the name of its file.
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms about std::string (GCC bugs 105651 and 105329).
  target_compile_options(pegasos_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
if(PEGASOS_WERROR)
  # Warnings that come and go with what is inlined are shown, but end no build.
  target_compile_options(pegasos_flags INTERFACE -Werror $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized>)
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
  add_library(pegasos_${name} OBJECT ${ROOM_SOURCES})
  target_include_directories(pegasos_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  # Linked into a shared library, a Python module say, nothing of it shows.
  set_target_properties(pegasos_${name} PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set_property(GLOBAL APPEND PROPERTY PEGASOS_ROOMS pegasos_${name})
  target_link_libraries(pegasos_${name} PRIVATE pegasos_flags)
  foreach(other ${ROOM_USES})
    target_link_libraries(pegasos_${name} PUBLIC pegasos_${other})
  endforeach()
  target_link_libraries(pegasos_${name} PUBLIC ${ROOM_LINK})
  if(name STREQUAL "base")
    target_precompile_headers(pegasos_${name} PRIVATE ${PEGASOS_SHARED_HEADERS})
  elseif(NOT name STREQUAL "simd")  # g++ 12 does not get vector intrinsics right after one, without -O
    target_precompile_headers(pegasos_${name} REUSE_FROM pegasos_base)
  endif()
endfunction()
