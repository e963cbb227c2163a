// The order of words by their texts.
//
// Most words differ in their first eight bytes, which are compared as one number; a vocabulary has
// hundreds of thousands of words, so these numbers are sorted byte after byte.
#pragma once

#include <cstdint>
#include <vector>

#include "data/word_list.h"

namespace pegasos {

// Sorts numbers of words of the list.
void sort_by_text(const WordList& list, std::vector<std::uint32_t>& words);

}  // namespace pegasos
