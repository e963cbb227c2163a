#include "feature_names_option.h"

#include <fmt/format.h>

#include "options.h"
#include "pegasos/error.h"
#include "pegasos/feature_names.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

std::shared_ptr<const Schema> named(const std::string& path, const Schema& schema) {
  const std::vector<std::string> names = read_feature_names(path);
  try {
    return with_feature_names(schema, names);
  } catch (const InvalidOption& problem) {
    throw UsageError(
        fmt::format("--feature-names: '{}' has too few names: {}", printable(path), problem.what()),
        "one name per line, starting with the first index of the data");
  }
}

}  // namespace

void add_feature_names(Command& command, std::string& path) {
  add_file(command, "--feature-names", path,
           "File with feature names, one per line, starting with the first index; tables have them "
           "in the header");
}

Dataset name_features(const std::string& path, const Dataset& data) {
  if (path.empty()) return data;
  return with_schema(data, named(path, data.schema()));
}

void name_features(const std::string& path, Model& model) {
  if (path.empty()) return;
  ModelBase& facts = base_of(model);
  facts.schema = named(path, *facts.schema);
}

}  // namespace pegasos::cli
