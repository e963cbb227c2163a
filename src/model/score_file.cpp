#include "pegasos/score_file.h"

namespace pegasos {

ReadNotes score_file(const Model& model, const std::string& path, ReadOptions reading,
                     const std::function<void(const Dataset&, std::span<const double>)>& take) {
  reading.schema = base_of(model).schema;
  const auto* linear = std::get_if<LinearModel>(&model);
  if (linear != nullptr && !linear->map) {
    const LinearModel folded = with_scaling_in_weights(*linear);
    if (!folded.scaling) {
      return map_rows(
          path, reading, [&folded](const RowView& row) { return folded.decision(row); }, take);
    }
  }
  // Blocks are scored side by side, each on one thread.
  return map_blocks(
      path, reading, [&model](const Dataset& rows) { return decisions(model, rows, 1); }, take);
}

}  // namespace pegasos
