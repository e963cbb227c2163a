// LIBSVM's text models.
//
//   svm_type c_svc            or epsilon_svr
//   kernel_type rbf           linear, polynomial, sigmoid, precomputed
//   degree, gamma, coef0      as far as the kernel has them
//   nr_class 2
//   total_sv N
//   rho R                     f(x) = sum_j c_j K(s_j, x) - R
//   label A B                 not in regression; above 0 means A
//   nr_sv P Q                 how many of each class; predicting does not ask
//   SV
//   c index:value ...         N lines, each a row as in data; "c 0:serial" of a precomputed kernel
//
// The lines are read as svmlight data whose labels are the coefficients.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "base/atomic_file.h"
#include "base/file.h"
#include "data/row_block.h"
#include "model/text_model.h"
#include "pegasos/error.h"
#include "pegasos/model.h"
#include "pegasos/read.h"

namespace pegasos {
namespace {

constexpr std::string_view kStart = "svm_type ";
constexpr KernelKind kKernels[] = {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf,
                                   KernelKind::sigmoid, KernelKind::precomputed};

// ---- writing ----

std::string kernel_lines(const KernelOptions& kernel) {
  if (std::find(std::begin(kKernels), std::end(kKernels), kernel.kind) == std::end(kKernels)) {
    throw Error(fmt::format("LIBSVM has no {} kernel", name_of(kernel.kind)));
  }
  std::string text = fmt::format("kernel_type {}\n", name_of(kernel.kind));
  const bool polynomial = kernel.kind == KernelKind::polynomial;
  if (polynomial) text += fmt::format("degree {}\n", kernel.degree);
  if (kernel.uses_gamma()) text += fmt::format("gamma {:.17g}\n", kernel.gamma);
  if (polynomial || kernel.kind == KernelKind::sigmoid) {
    text += fmt::format("coef0 {:.17g}\n", kernel.coef0);
  }
  return text;
}

std::uint64_t number_of(FeatureId id, const Schema& schema) {
  return schema.csv ? std::uint64_t{id} + 1 : std::uint64_t{schema.indices.index_of(id)};
}

std::string vector_line(const KernelModel& model, std::size_t j) {
  std::string text = fmt::format("{:.17g}", model.coefficients[j]);
  if (model.kernel.kind == KernelKind::precomputed) {
    return text + fmt::format(" 0:{}\n", number_of(model.columns[j], *model.schema));
  }
  const RowView row = model.support_vectors.row(j);
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    if (row.values[k] == 0.0F) continue;
    const auto id = row.dense ? static_cast<FeatureId>(k) : row.ids[k];
    text += fmt::format(" {}:{:.9g}", number_of(id, *model.schema), row.values[k]);
  }
  return text + "\n";
}

// ---- reading ----

struct Header {
  std::map<std::string, std::string, std::less<>> words = {};  // svm_type, kernel_type
  std::map<std::string, double, std::less<>> numbers = {};
  std::map<std::string, std::array<double, 2>, std::less<>> pairs = {};  // label, nr_sv

  double number(const std::string& name, double otherwise) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? otherwise : found->second;
  }
};

Header read_header(Scanner& scanner) {
  Header header;
  for (;;) {
    const std::string field(scanner.next());
    const bool twice = header.words.contains(field) || header.numbers.contains(field) ||
                       header.pairs.contains(field);
    if (twice) scanner.fail("this field stands twice");
    if (field == "SV") return header;
    if (field == "svm_type" || field == "kernel_type") {
      header.words[field] = scanner.next();
    } else if (field == "gamma" || field == "coef0" || field == "rho") {
      header.numbers[field] = scanner.next_number(field);
    } else if (field == "degree" || field == "nr_class" || field == "total_sv") {
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      const std::int64_t number = scanner.next_whole(field, 0, kMost);
      if (field == "nr_class" && number != 2) {
        scanner.fail(
            fmt::format("the model has {} classes; only two-class models can be read", number),
            "train one label against the rest");
      }
      header.numbers[field] = static_cast<double>(number);
    } else if (field == "label" || field == "nr_sv") {
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      auto& pair = header.pairs[field];
      for (double& number : pair) {
        number = static_cast<double>(scanner.next_whole(field, -kMost - 1, kMost));
      }
      if (field == "label" && pair[0] == pair[1]) scanner.fail("the two labels are the same");
    } else if (field.empty()) {
      scanner.fail("the file ends before the support vectors");
    } else {
      scanner.fail(fmt::format("unknown field '{}'", printable(field)));
    }
  }
}

// With the scanner at the "SV".
KernelModel model_of(const Header& header, const Scanner& scanner) {
  for (const char* name : {"nr_class", "total_sv", "rho"}) {
    if (!header.numbers.contains(name)) scanner.fail(fmt::format("there is no '{}'", name));
  }
  KernelModel model;
  const auto word = [&](const char* name) {
    const auto found = header.words.find(name);
    return found == header.words.end() ? std::string() : found->second;
  };
  const std::string type = word("svm_type");
  model.classifies = type == "c_svc";
  if (!model.classifies && type != "epsilon_svr") {
    scanner.fail(fmt::format("svm_type '{}' is neither c_svc nor epsilon_svr", printable(type)));
  }
  if (model.classifies != header.pairs.contains("label")) {
    scanner.fail(model.classifies ? "there is no 'label'" : "a regression model has no labels");
  }
  if (model.classifies) {
    model.positive_label = header.pairs.at("label")[0];
    model.negative_label = header.pairs.at("label")[1];
  }
  const auto kind = kernel_of_name(word("kernel_type"));
  if (!kind || std::find(std::begin(kKernels), std::end(kKernels), *kind) == std::end(kKernels)) {
    scanner.fail(fmt::format("kernel_type '{}' is not known", printable(word("kernel_type"))));
  }
  model.loss.loss = model.classifies ? Loss::hinge : Loss::epsilon_insensitive;
  model.kernel.kind = *kind;
  model.kernel.gamma = header.number("gamma", 1.0);
  model.kernel.coef0 = header.number("coef0", 0.0);
  model.kernel.degree = static_cast<unsigned>(header.number("degree", 3.0));
  model.b = -header.number("rho", 0.0);
  model.bias = Bias::unregularised;
  model.record.solver = "LIBSVM " + type;
  return model;
}

// The rows behind the line on which the header ends, on their lines of the file.
Dataset vectors_of(std::string_view text, std::size_t end_of_words, const std::string& name) {
  const std::size_t end_of_header = std::min(text.find('\n', end_of_words), text.size() - 1) + 1;
  std::string rows;
  for (const char c : text.substr(0, end_of_header)) {
    if (c == '\n') rows += "#\n";
  }
  rows += text.substr(end_of_header);
  ReadOptions options;
  options.format = DataFormat::svmlight;
  options.threads = 1;
  try {
    return read_dataset_from_memory(rows, name, options).data;
  } catch (const ParseError& error) {
    throw ModelParseError(name, error.diagnostics());
  }
}

void take_vectors(const Dataset& rows, KernelModel& model, const Scanner& scanner) {
  if (!rows.schema().label_words.empty()) scanner.fail("a coefficient is not a number");
  model.coefficients.assign(rows.labels().begin(), rows.labels().end());
  if (model.kernel.kind != KernelKind::precomputed) {
    DatasetParts parts = rows.parts();
    parts.owner = std::make_shared<Dataset>(rows);
    parts.labels = {};
    model.schema = rows.shared_schema();
    model.support_vectors = Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
    return;
  }
  FeatureId largest = 0;
  for (std::size_t j = 0; j < rows.rows(); ++j) {
    const RowView row = rows.row(j);
    const float serial = row.values.empty() ? 0.0F : row.values[0];
    if (!(serial >= 1) || serial > 1 << 24 || serial != std::trunc(serial)) {
      scanner.fail("a support vector of a precomputed kernel has no serial number");
    }
    model.columns.push_back(static_cast<FeatureId>(serial));
    largest = std::max(largest, model.columns.back());
  }
  Schema schema;
  schema.indices = IndexMap::contiguous(0, std::uint64_t{largest} + 1);
  model.schema = std::make_shared<const Schema>(std::move(schema));
}

}  // namespace

std::vector<std::string> save_libsvm(const KernelModel& model, const std::string& path) {
  model.validate();
  if (model.scaling) {
    throw Error(fmt::format("svm-predict does not scale rows, as this model does ({})",
                            name_of(model.scaling->kind)));
  }
  std::vector<std::string> notes;
  std::vector<std::size_t> order;
  for (const bool positive : {true, false}) {
    for (std::size_t j = 0; j < model.coefficients.size(); ++j) {
      if ((model.coefficients[j] > 0) == positive) order.push_back(j);
    }
  }
  const auto positives = std::count_if(model.coefficients.begin(), model.coefficients.end(),
                                       [](double c) { return c > 0; });
  std::string text = fmt::format("{}{}\n{}nr_class 2\ntotal_sv {}\nrho {:.17g}\n", kStart,
                                 model.classifies ? "c_svc" : "epsilon_svr",
                                 kernel_lines(model.kernel), order.size(), -model.b);
  if (model.classifies) {
    const auto [positive, negative] = labels_for(model, notes);
    text += fmt::format("label {} {}\nnr_sv {} {}\n", positive, negative, positives,
                        std::ssize(order) - positives);
  }
  if (model.schema->csv) {
    notes.emplace_back(
        "features are numbered from 1 in the order of the CSV columns; svm-predict needs data "
        "numbered alike");
  }
  AtomicFile file(path);
  const auto write = [&file](std::string_view part) { file.write(part); };
  write(text + "SV\n");
  for (const std::size_t j : order) write(vector_line(model, j));
  file.commit();
  return notes;
}

KernelModel load_libsvm(const std::string& path) {
  return load_libsvm_from_memory(read_file_beginning_with(kStart, path).view(), path);
}

KernelModel load_libsvm_from_memory(std::span<const char> text, const std::string& name) {
  const std::string_view all(text.data(), text.size());
  Scanner scanner(all, name);
  if (!all.starts_with(kStart)) {
    scanner.next();
    scanner.fail("a LIBSVM model begins with 'svm_type'");
  }
  const Header header = read_header(scanner);
  KernelModel model = model_of(header, scanner);
  const double due = header.number("total_sv", 0.0);
  if (due > 0) {
    take_vectors(vectors_of(all, all.size() - scanner.bytes_left(), name), model, scanner);
  }
  if (static_cast<double>(model.coefficients.size()) != due) {
    scanner.fail(
        fmt::format("{} support vectors are due, but {} follow", due, model.coefficients.size()));
  }
  if (!model.schema) model.schema = std::make_shared<const Schema>();
  try {
    model.validate();
  } catch (const InvalidOption& problem) {
    scanner.fail(problem.what());
  }
  return model;
}

bool is_libsvm_file(const std::string& path) {
  return file_begins_with(kStart, path);
}

}  // namespace pegasos
