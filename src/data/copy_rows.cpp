#include "data/copy_rows.h"

#include <memory>
#include <vector>

namespace pegasos {

Dataset copy_rows(const Dataset& data, std::span<const RowId> rows) {
  struct Arrays {
    std::vector<std::uint64_t> offsets = {0};
    std::vector<FeatureId> ids;
    std::vector<float> values;
  };
  auto arrays = std::make_shared<Arrays>();
  for (const RowId i : rows) {
    const RowView row = data.row(i);
    arrays->ids.insert(arrays->ids.end(), row.ids.begin(), row.ids.end());
    arrays->values.insert(arrays->values.end(), row.values.begin(), row.values.end());
    arrays->offsets.push_back(arrays->values.size());
  }
  DatasetParts parts;
  parts.rows = rows.size();
  parts.features = data.features();
  if (data.is_dense()) {
    parts.dense = DenseMatrix{arrays->values, data.dense().columns};
  } else {
    parts.sparse = SparseMatrix{arrays->offsets, arrays->ids, arrays->values};
  }
  parts.schema = data.shared_schema();
  parts.owner = arrays;
  return Dataset::from_parts(parts, Dataset::Contents::trusted);
}

}  // namespace pegasos
