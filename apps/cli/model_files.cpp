#include "model_files.h"

#include <fmt/format.h>

#include "base/file.h"
#include "pegasos/error.h"
#include "usage_error.h"

namespace pegasos::cli {

bool looks_like_model(const std::string& path) {
  return path != "-" && (is_model_file(path) || is_liblinear_file(path) || is_libsvm_file(path));
}

Model load_any_model(const std::string& path) {
  if (is_model_file(path)) return load_model(path);
  if (is_liblinear_file(path)) return load_liblinear(path);
  if (is_libsvm_file(path)) return load_libsvm(path);
  open_for_reading(path);  // a file that is not there is another mistake
  throw CorruptModel(path, 0, "this is not a model");
}

Model load_model_beside(const std::string& data, const std::string& model) {
  if (looks_like_model(data)) {
    throw UsageError(
        fmt::format("'{}' is a model; the data file comes first, then the model", data),
        looks_like_model(model) ? "" : "swap the two file names");
  }
  return load_any_model(model);
}

}  // namespace pegasos::cli
