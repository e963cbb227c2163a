#include "pegasos/score_file.h"

#include <cstdint>

#include "model/finite_scores.h"

namespace pegasos {

ReadNotes score_file(const Model& model, const std::string& path, ReadOptions reading,
                     const std::function<void(const Dataset&, std::span<const double>)>& take_all) {
  std::uint64_t rows_before = 0;
  const auto take = [&](const Dataset& rows, std::span<const double> scores) {
    refuse_scores_that_overflow(scores, outputs(model), rows_before);
    rows_before += rows.rows();
    take_all(rows, scores);
  };
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
      path, reading,
      [&model](const Dataset& rows) {
        return std::visit([&](const auto& kind) { return decisions(kind, rows, 1); }, model);
      },
      take);
}

}  // namespace pegasos
