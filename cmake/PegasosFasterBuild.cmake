# What makes building quicker and changes nothing in what is built: ccache, headers that are parsed
# once (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON does without), and files that are compiled some at a
# time (-DPEGASOS_COMPILE_TOGETHER=OFF does without).

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

# pegasos_compile_together(target count): where headers and the templates of others cost more than
# the code between them, files are compiled `count` at a time. Names in their anonymous namespaces
# must differ, or a file sets SKIP_UNITY_BUILD_INCLUSION.
option(PEGASOS_COMPILE_TOGETHER "Compile some files of a target at a time" ON)
function(pegasos_compile_together target count)
  if(PEGASOS_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  endif()
endfunction()
