// LIBSVM / svmlight text.
//
//   file  = { line }
//   line  = [ row ] [ "#" anything ] end
//   row   = [ label ] { blank } { feature }          no label: the first token has a colon
//   label = number | word
//   feature = index ":" number | "qid:" number
//   index = digits, at most 2^32 - 1
//   blank = space | tab;   end = LF | CR LF | end of file
//
// Indices may come in any order but not twice. Explicit zeros are read and not stored. A qid is
// read and ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "data/row_block.h"

namespace pegasos {

// Parses the lines of one block into `rows`, whose complaints number at most `max_errors`. `base`:
// the index of the first feature if it is known. The text must be followed by kBlockPadding
// readable bytes, the first of them a line feed.
void parse_svmlight(std::string_view text, RowBlock& rows, std::optional<std::uint32_t> base,
                    std::size_t max_errors);

}  // namespace pegasos
