// How the program takes memory from the system.
//
// glibc maps every large array on its own and unmaps it when it is freed, and every page of it
// costs a page fault: a sixth of a short run. Here arrays come from one heap that keeps its pages,
// and the first of it is in large pages where the system has them. Other C libraries are left
// alone.
#pragma once

namespace pegasos::cli {

// To be called first, before memory is in use.
void prepare_heap();

}  // namespace pegasos::cli
