// LIBLINEAR's text models.
//
//   solver_type NAME
//   nr_class 2
//   label A B            not in regression; above 0 means A
//   nr_feature D
//   bias B               a last feature of value B; negative: none
//   w
//   one weight a line: D of them, and one more for the bias feature
//
// Words are separated by blanks or line ends, the order above "w" is free, each field stands once.
// A model with more classes has more weights a line; it is refused.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "base/atomic_file.h"
#include "base/file.h"
#include "data/row_block.h"
#include "model/text_model.h"
#include "pegasos/error.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

constexpr std::string_view kStart = "solver_type ";
constexpr std::uint64_t kMostFeatures = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostScattered = 10'000'000;

struct SolverType {
  std::string_view name;
  Loss loss;
};

// The first of several with one loss is the one written. Solvers differ in method (DUAL) or in the
// regulariser (L1R), which prediction does not see.
constexpr SolverType kSolverTypes[] = {{"L2R_L1LOSS_SVC_DUAL", Loss::hinge},
                                       {"L2R_L2LOSS_SVC", Loss::squared_hinge},
                                       {"L2R_L2LOSS_SVC_DUAL", Loss::squared_hinge},
                                       {"L1R_L2LOSS_SVC", Loss::squared_hinge},
                                       {"L2R_LR", Loss::logistic},
                                       {"L2R_LR_DUAL", Loss::logistic},
                                       {"L1R_LR", Loss::logistic},
                                       {"L2R_L1LOSS_SVR_DUAL", Loss::epsilon_insensitive},
                                       {"L2R_L2LOSS_SVR", Loss::squared_epsilon_insensitive},
                                       {"L2R_L2LOSS_SVR_DUAL", Loss::squared_epsilon_insensitive}};

// ---- writing ----

std::string_view solver_type_for(const LinearModel& model) {
  if (model.classifies == is_classification(model.loss.loss)) {
    for (const auto& type : kSolverTypes) {
      if (type.loss == model.loss.loss) return type.name;
    }
  }
  throw Error(fmt::format("LIBLINEAR has no {} with the {} loss",
                          model.classifies ? "classifier" : "regression",
                          name_of(model.loss.loss)));
}

// LIBLINEAR's number of a feature, from 1.
std::uint64_t number_of(std::uint32_t id, const Schema& schema) {
  if (schema.csv) return std::uint64_t{id} + 1;
  return std::uint64_t{schema.indices.index_of(id)} + (1 - schema.indices.base());
}

std::uint64_t features_for(const LinearModel& model, std::vector<std::string>& notes) {
  const Schema& schema = *model.schema;
  if (model.w.empty()) return 0;
  const std::uint64_t last = number_of(static_cast<std::uint32_t>(model.w.size() - 1), schema);
  if (last > kMostFeatures) {
    throw Error(fmt::format("LIBLINEAR has no feature {}, only {}", last, kMostFeatures));
  }
  const bool scattered = !schema.csv && !schema.indices.is_contiguous();
  if (scattered && last >= kMostScattered) {
    throw Error(fmt::format(
        "a LIBLINEAR model holds a weight for every index up to the largest; {} for {} features "
        "is refused from {} on",
        last, model.w.size(), kMostScattered));
  }
  if (schema.csv) {
    notes.emplace_back(
        "features are numbered from 1 in the order of the CSV columns; liblinear-predict needs "
        "data numbered alike");
  } else if (schema.indices.base() == 0) {
    notes.emplace_back(
        "indices were raised by one: the data counts from 0, LIBLINEAR from 1; raise them in the "
        "data too before liblinear-predict reads it");
  }
  return last;
}

// ---- reading ----

struct Header {
  std::optional<SolverType> solver;
  std::optional<std::int64_t> classes;
  std::optional<std::array<double, 2>> labels;
  std::optional<std::uint64_t> features;
  std::optional<double> bias;

  bool has_bias() const { return *bias >= 0; }
  std::uint64_t weights() const { return *features + (has_bias() ? 1 : 0); }
};

SolverType read_solver(Scanner& scanner) {
  const std::string_view name = scanner.next();
  for (const auto& type : kSolverTypes) {
    if (type.name == name) return type;
  }
  scanner.fail(fmt::format("solver '{}' makes no two-class or regression model that can be read",
                           printable(name)));
}

std::int64_t read_classes(Scanner& scanner) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t classes = scanner.next_whole("nr_class", 1, kMost);
  if (classes != 2) {
    scanner.fail(
        fmt::format("the model has {} classes; only two-class models can be read", classes),
        "train one label against the rest");
  }
  return classes;
}

std::array<double, 2> read_labels(Scanner& scanner) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  std::array<double, 2> labels = {};
  for (auto& label : labels) {
    label = static_cast<double>(scanner.next_whole("label", -kMost - 1, kMost));
  }
  if (labels[0] == labels[1]) scanner.fail("the two labels are the same");
  return labels;
}

Header read_header(Scanner& scanner) {
  Header header;
  const auto once = [&scanner](auto& field, auto&& read) {
    if (field) scanner.fail("this field stands twice");
    field = read(scanner);
  };
  for (;;) {
    const std::string_view field = scanner.next();
    if (field == "solver_type") {
      once(header.solver, read_solver);
    } else if (field == "nr_class") {
      once(header.classes, read_classes);
    } else if (field == "label") {
      once(header.labels, read_labels);
    } else if (field == "nr_feature") {
      once(header.features, [](Scanner& s) {
        return static_cast<std::uint64_t>(
            s.next_whole("nr_feature", 0, static_cast<std::int64_t>(kMostFeatures)));
      });
    } else if (field == "bias") {
      once(header.bias, [](Scanner& s) { return s.next_number("bias"); });
    } else if (field == "w") {
      return header;
    } else if (field.empty()) {
      scanner.fail("the file ends before the weights");
    } else {
      scanner.fail(fmt::format("unknown field '{}'", printable(field)));
    }
  }
}

// With the scanner at the "w".
void check_header(const Header& header, const Scanner& scanner) {
  const std::pair<const char*, bool> fields[] = {{"solver_type", header.solver.has_value()},
                                                 {"nr_class", header.classes.has_value()},
                                                 {"nr_feature", header.features.has_value()},
                                                 {"bias", header.bias.has_value()}};
  for (const auto& [name, present] : fields) {
    if (!present) scanner.fail(fmt::format("there is no '{}' before the weights", name));
  }
  const bool classifies = is_classification(header.solver->loss);
  if (classifies && !header.labels) scanner.fail("there is no 'label' before the weights");
  if (!classifies && header.labels) scanner.fail("a regression model has no labels");
  // A weight takes a digit and a separator at least. Nothing is allocated before this is known.
  if (header.weights() > (scanner.bytes_left() + 1) / 2) {
    scanner.fail(fmt::format("{} weights are due, but only {} bytes follow", header.weights(),
                             scanner.bytes_left()));
  }
}

LinearModel model_of(const Header& header, Scanner& scanner) {
  LinearModel model;
  model.loss.loss = header.solver->loss;
  model.classifies = is_classification(header.solver->loss);
  if (model.classifies) {
    model.positive_label = (*header.labels)[0];
    model.negative_label = (*header.labels)[1];
  }
  model.record.solver = fmt::format("LIBLINEAR {}", header.solver->name);
  Schema schema;
  schema.indices = IndexMap::contiguous(1, *header.features);
  model.schema = std::make_shared<const Schema>(std::move(schema));
  model.w.resize(*header.features);
  for (double& weight : model.w) weight = scanner.next_number("weight");
  if (header.has_bias()) {
    model.b = *header.bias * scanner.next_number("weight");
    if (!std::isfinite(model.b)) scanner.fail("bias times this weight is not finite");
    // A feature that is always 0 is no bias.
    if (*header.bias > 0) {
      model.bias = Bias::regularised;
      model.bias_feature = *header.bias;
    } else {
      model.b = 0.0;
    }
  }
  if (!scanner.next().empty()) {
    scanner.fail(fmt::format("more than the {} weights that are due", header.weights()));
  }
  return model;
}

}  // namespace

std::vector<std::string> save_liblinear(const LinearModel& scaled, const std::string& path) {
  scaled.validate();
  const LinearModel model = with_scaling_in_weights(scaled);
  if (model.scaling) {
    throw Error("liblinear-predict does not scale rows to norm 1, as this model does (unit-row)");
  }
  if (model.map) throw Error("LIBLINEAR has no feature maps; this model maps its rows");
  std::vector<std::string> notes;
  const std::uint64_t features = features_for(model, notes);
  std::string text = fmt::format("{}{}\nnr_class 2\n", kStart, solver_type_for(model));
  if (model.classifies) {
    const auto [positive, negative] = labels_for(model, notes);
    text += fmt::format("label {} {}\n", positive, negative);
  }
  // A scaling that subtracts leaves a constant behind.
  const bool has_bias = model.bias != Bias::none || model.b != 0;
  text += fmt::format("nr_feature {}\nbias {}\nw\n", features, has_bias ? 1 : -1);

  AtomicFile file(path);
  const auto write = [&file](std::string_view part) { file.write(part); };
  write(text);
  std::uint64_t written = 0;
  for (std::size_t id = 0; id < model.w.size(); ++id) {
    const std::uint64_t number = number_of(static_cast<std::uint32_t>(id), *model.schema);
    for (; written + 1 < number; ++written) write("0\n");
    write(fmt::format("{:.17g}\n", model.w[id]));
    ++written;
  }
  if (has_bias) write(fmt::format("{:.17g}\n", model.b));
  file.commit();
  return notes;
}

LinearModel load_liblinear(const std::string& path) {
  return load_liblinear_from_memory(read_file_beginning_with(kStart, path).view(), path);
}

LinearModel load_liblinear_from_memory(std::span<const char> text, const std::string& name) {
  const std::string_view all(text.data(), text.size());
  Scanner scanner(all, name);
  if (!all.starts_with(kStart)) {
    scanner.next();
    scanner.fail("a LIBLINEAR model begins with 'solver_type'");
  }
  const Header header = read_header(scanner);
  check_header(header, scanner);
  LinearModel model = model_of(header, scanner);
  model.validate();
  return model;
}

bool is_liblinear_file(const std::string& path) {
  return file_begins_with(kStart, path);
}

}  // namespace pegasos
