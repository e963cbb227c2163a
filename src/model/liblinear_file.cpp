// LIBLINEAR's text models.
//
//   solver_type NAME
//   nr_class K
//   label A B …          not in regression; of two, above 0 means A
//   nr_feature D
//   bias B               a last feature of value B; negative: none
//   w
//   D lines, and one more for the bias feature: a weight for each class, of two classes only one
//
// Words are separated by blanks or line ends, the order above "w" is free, but that nr_class comes
// before more than two labels; each field stands once. MCSVM_CS is the joint loss.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <span>
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

constexpr std::string_view kJoint = "MCSVM_CS";

std::string_view solver_type_for(const ModelBase& model) {
  for (const auto& type : kSolverTypes) {
    if (type.loss == model.loss.loss) return type.name;
  }
  throw Error(fmt::format("LIBLINEAR does not support {} with the {} loss",
                          model.classifies() ? "classifier" : "regression",
                          name_of(model.loss.loss)));
}

// LIBLINEAR's number of a feature, from 1.
std::uint64_t number_of(std::uint32_t id, const Schema& schema) {
  if (schema.csv) return std::uint64_t{id} + 1;
  return std::uint64_t{schema.indices.index_of(id)} + (1 - schema.indices.base());
}

// The largest number of `count` features.
std::uint64_t features_for(const Schema& schema, std::uint64_t count,
                           std::vector<std::string>& notes) {
  if (count == 0) return 0;
  const std::uint64_t last = number_of(static_cast<std::uint32_t>(count - 1), schema);
  if (last > kMostFeatures) {
    throw Error(fmt::format("LIBLINEAR supports indices up to {1}, not {0}", last, kMostFeatures));
  }
  const bool scattered = !schema.csv && !schema.indices.is_contiguous();
  if (scattered && last >= kMostScattered) {
    throw Error(
        fmt::format("a LIBLINEAR model stores a weight for every index up to the largest; {} "
                    "weights for {} features exceed the limit of {}",
                    last, count, kMostScattered));
  }
  if (schema.csv) {
    notes.emplace_back(
        "the features are those that the model made of a table, scaled, and numbered from 1; "
        "liblinear-predict "
        "needs data in the same form");
  } else if (schema.indices.base() == 0) {
    notes.emplace_back(
        "indices were increased by one, because LIBLINEAR starts at 1; increase them in the data "
        "for liblinear-predict too");
  }
  return last;
}

// ---- reading ----

struct Header {
  std::optional<SolverType> solver;
  std::optional<std::int64_t> classes;
  std::optional<std::vector<double>> labels;
  std::optional<std::uint64_t> features;
  std::optional<double> bias;

  bool has_bias() const { return *bias >= 0; }
  bool is_joint() const { return solver->name == kJoint; }
  bool has_many() const { return *classes > 2 || is_joint(); }
  // Weights of a feature.
  std::uint64_t classifiers() const {
    return has_many() ? static_cast<std::uint64_t>(*classes) : 1;
  }
  std::uint64_t weights() const { return (*features + (has_bias() ? 1 : 0)) * classifiers(); }
};

SolverType read_solver(Scanner& scanner) {
  const std::string_view name = scanner.next();
  for (const auto& type : kSolverTypes) {
    if (type.name == name) return type;
  }
  if (name == kJoint) return {kJoint, Loss::hinge};
  scanner.fail(fmt::format("solver type '{}' is not supported", printable(name)));
}

std::int64_t read_classes(Scanner& scanner) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return scanner.next_whole("nr_class", 2, kMost);
}

std::vector<double> read_labels(Scanner& scanner, std::int64_t classes) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  std::vector<double> labels;
  std::set<double> seen;
  for (std::int64_t k = 0; k < classes; ++k) {
    const auto label = static_cast<double>(scanner.next_whole("label", -kMost - 1, kMost));
    if (!seen.insert(label).second) {
      scanner.fail(classes == 2 ? "the two labels are the same" : "two labels are the same");
    }
    labels.push_back(label);
  }
  return labels;
}

Header read_header(Scanner& scanner) {
  Header header;
  const auto once = [&scanner](auto& field, auto&& read) {
    if (field) scanner.fail("duplicate field");
    field = read(scanner);
  };
  for (;;) {
    const std::string_view field = scanner.next();
    if (field == "solver_type") {
      once(header.solver, read_solver);
    } else if (field == "nr_class") {
      once(header.classes, read_classes);
    } else if (field == "label") {
      const std::int64_t classes = header.classes.value_or(2);
      once(header.labels, [classes](Scanner& s) { return read_labels(s, classes); });
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
    if (!present) scanner.fail(fmt::format("field '{}' is missing", name));
  }
  const bool classifies = is_classification(header.solver->loss);
  if (classifies && !header.labels) scanner.fail("field 'label' is missing");
  if (!classifies && header.labels) scanner.fail("a regression model has no labels");
  if (!classifies && *header.classes != 2) scanner.fail("a regression model has no classes");
  if (classifies && std::ssize(*header.labels) != *header.classes) {
    scanner.fail("the number of labels does not match nr_class");
  }
  // A weight takes a digit and a separator at least. Nothing is allocated before this is known.
  if (header.weights() > (scanner.bytes_left() + 1) / 2) {
    scanner.fail(fmt::format("expected {} weights, but only {} bytes follow", header.weights(),
                             scanner.bytes_left()));
  }
}

void refuse_more(Scanner& scanner, const Header& header) {
  if (!scanner.next().empty()) {
    scanner.fail(fmt::format("more than the expected {} weights", header.weights()));
  }
}

MulticlassModel many_of(const Header& header, Scanner& scanner) {
  MulticlassModel model;
  model.loss.loss = header.solver->loss;
  model.strategy = header.is_joint() ? Strategy::joint : Strategy::one_against_rest;
  model.classes = *header.labels;
  model.record.solver = fmt::format("LIBLINEAR {}", header.solver->name);
  Schema schema;
  schema.indices = IndexMap::contiguous(1, *header.features);
  model.schema = std::make_shared<const Schema>(std::move(schema));
  LinearClassifiers& linear = model.body.emplace<LinearClassifiers>();
  linear.w.resize(*header.features * header.classifiers());
  for (double& weight : linear.w) weight = scanner.next_number("weight");
  model.classifiers.resize(header.classifiers());
  // A feature that is always 0 is no bias.
  if (*header.bias > 0) {
    model.bias = Bias::regularised;
    model.bias_feature = *header.bias;
  }
  for (Classifier& classifier : model.classifiers) {
    if (!header.has_bias()) break;
    classifier.b = *header.bias * scanner.next_number("weight");
    if (!std::isfinite(classifier.b)) scanner.fail("bias times this weight is not finite");
    if (model.bias == Bias::none) classifier.b = 0.0;
  }
  refuse_more(scanner, header);
  return model;
}

LinearModel model_of(const Header& header, Scanner& scanner) {
  LinearModel model;
  model.loss.loss = header.solver->loss;
  model.labels.reset();
  if (model.classifies()) model.labels = {(*header.labels)[0], (*header.labels)[1]};
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
  refuse_more(scanner, header);
  return model;
}

// Lines of weights at the numbers of their features, with lines of zeros between.
void write_weights(AtomicFile& file, const Schema& schema, const std::vector<double>& w,
                   std::size_t classifiers) {
  const auto write = [&file](std::string_view part) { file.write(part); };
  std::string zeros = "0";
  for (std::size_t k = 1; k < classifiers; ++k) zeros += " 0";
  zeros += "\n";
  std::uint64_t written = 0;
  for (std::size_t id = 0; id < w.size() / classifiers; ++id) {
    const std::uint64_t number = number_of(static_cast<std::uint32_t>(id), schema);
    for (; written + 1 < number; ++written) write(zeros);
    const auto weights = std::span(w).subspan(id * classifiers, classifiers);
    write(side_by_side(weights) + "\n");
    ++written;
  }
}

}  // namespace

std::vector<std::string> save_liblinear(const LinearModel& scaled, const std::string& path) {
  scaled.validate();
  const LinearModel model = with_scaling_in_weights(scaled);
  if (model.scaling) {
    throw Error(
        "this model scales rows to norm 1 (unit-row), which liblinear-predict does not support");
  }
  if (model.map) throw Error("LIBLINEAR does not support feature maps");
  std::vector<std::string> notes;
  const std::uint64_t features = features_for(*model.schema, model.w.size(), notes);
  std::string text = fmt::format("{}{}\nnr_class 2\n", kStart, solver_type_for(model));
  note_logarithms(model, notes);
  if (model.labels) {
    const auto [positive, negative] = labels_for(model, notes);
    text += fmt::format("label {} {}\n", positive, negative);
  }
  // A scaling that subtracts leaves a constant behind.
  const bool has_bias = model.bias != Bias::none || model.b != 0;
  text += fmt::format("nr_feature {}\nbias {}\nw\n", features, has_bias ? 1 : -1);

  AtomicFile file(path);
  const auto write = [&file](std::string_view part) { file.write(part); };
  write(text);
  write_weights(file, *model.schema, model.w, 1);
  if (has_bias) write(fmt::format("{:.17g}\n", model.b));
  file.commit();
  return notes;
}

std::vector<std::string> save_liblinear(const MulticlassModel& model, const std::string& path) {
  model.validate();
  const LinearClassifiers* linear = model.linear();
  if (linear == nullptr) throw Error("LIBLINEAR does not support kernels");
  if (model.scaling) {
    throw Error(
        fmt::format("this model scales features ({}), which liblinear-predict does not support",
                    name_of(model.scaling->kind)));
  }
  if (linear->map) throw Error("LIBLINEAR does not support feature maps");
  if (model.multilabel) throw Error("LIBLINEAR does not support multilabel models");
  if (model.strategy == Strategy::one_against_one) {
    throw Error("LIBLINEAR does not support one against one; train one against the rest");
  }
  std::vector<std::string> notes;
  const std::size_t classifiers = model.classifiers.size();
  const std::uint64_t features = features_for(*model.schema, linear->w.size() / classifiers, notes);
  const std::string_view type = model.strategy == Strategy::joint ? kJoint : solver_type_for(model);
  const bool has_bias = model.bias != Bias::none;
  AtomicFile file(path);
  const auto write = [&file](std::string_view part) { file.write(part); };
  write(fmt::format("{}{}\nnr_class {}\nlabel {}\nnr_feature {}\nbias {}\nw\n", kStart, type,
                    classifiers, side_by_side(labels_for(model, notes)), features,
                    has_bias ? 1 : -1));
  write_weights(file, *model.schema, linear->w, classifiers);
  std::vector<double> biases;
  biases.reserve(model.classifiers.size());
  for (const Classifier& classifier : model.classifiers) biases.push_back(classifier.b);
  if (has_bias) write(side_by_side(biases) + "\n");
  file.commit();
  return notes;
}

Model load_liblinear(const std::string& path) {
  return load_liblinear_from_memory(read_file_beginning_with(kStart, path).view(), path);
}

Model load_liblinear_from_memory(std::span<const char> text, const std::string& name) {
  const std::string_view all(text.data(), text.size());
  Scanner scanner(all, name);
  if (!all.starts_with(kStart)) {
    scanner.next();
    scanner.fail("a LIBLINEAR model begins with 'solver_type'");
  }
  const Header header = read_header(scanner);
  check_header(header, scanner);
  if (header.has_many()) {
    MulticlassModel many = many_of(header, scanner);
    many.validate();
    return many;
  }
  LinearModel model = model_of(header, scanner);
  model.validate();
  return model;
}

bool is_liblinear_file(const std::string& path) {
  return file_begins_with(kStart, path);
}

}  // namespace pegasos
