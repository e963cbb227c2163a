# What makes building quicker and changes nothing in what is built: ccache, and headers that are
# parsed once (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON does without).

find_program(PEGASOS_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND PEGASOS_CCACHE AND (NOT CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "^[^;]*ccache$"))
  # Without the first ccache would not dare to cache what uses a precompiled header; with the second
  # checkouts share their objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_IGNOREOPTIONS=-ffile-prefix-map=* ${PEGASOS_CCACHE})
  # It needs to see the name of the precompiled header in preprocessed text.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

# The headers of others that most sources use. Ours are left out: a change to one would rebuild all.
set(PEGASOS_SHARED_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <cstddef> <cstdint> <cstring> <functional> <limits> <map> <memory>
  <mutex> <optional> <span> <string> <string_view> <thread> <tuple> <utility> <variant> <vector> <fmt/format.h>)
