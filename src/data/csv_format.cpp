#include "data/text_format.h"
namespace pegasos {
std::unique_ptr<TextFormat> make_csv_format(const ReadOptions&, LineBlocks&,
                                            const std::string& path) {
  throw Error(path + ": csv");
}
}  // namespace pegasos
