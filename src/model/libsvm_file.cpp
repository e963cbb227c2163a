// LIBSVM's text models.
//
//   svm_type c_svc            or epsilon_svr
//   kernel_type rbf           linear, polynomial, sigmoid, precomputed
//   degree, gamma, coef0      as far as the kernel has them
//   nr_class K
//   total_sv N
//   rho R ...                 one for each pair of classes: f(x) = sum_j c_j K(s_j, x) - R
//   label A B ...             not in regression; of a pair, above 0 means the first
//   nr_sv P Q ...             how many of each class; of two classes predicting does not ask
//   SV
//   c ... index:value ...     N lines: K - 1 coefficients, one for each other class, then a row as
//                             in data; "c 0:serial" of a precomputed kernel
//
// The lines are read as svmlight data whose labels are the last coefficients.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "base/atomic_file.h"
#include "base/file.h"
#include "data/number_parser.h"
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
    throw Error(fmt::format("LIBSVM does not support the {} kernel", name_of(kernel.kind)));
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

// Either: a KernelModel or KernelMachines.
template <typename Either>
std::string vector_line(const Either& model, const Schema& schema,
                        std::span<const double> coefficients, std::size_t j) {
  std::string text = side_by_side(coefficients);
  if (model.kernel.kind == KernelKind::precomputed) {
    return text + fmt::format(" 0:{}\n", number_of(model.columns[j], schema));
  }
  const RowView row = model.support_vectors.row(j);
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    if (row.values[k] == 0.0F) continue;
    const auto id = row.dense ? static_cast<FeatureId>(k) : row.ids[k];
    text += fmt::format(" {}:{:.9g}", number_of(id, schema), row.values[k]);
  }
  return text + "\n";
}

// ---- reading ----

struct Header {
  std::map<std::string, std::string, std::less<>> words = {};  // svm_type, kernel_type
  std::map<std::string, double, std::less<>> numbers = {};
  std::map<std::string, std::vector<double>, std::less<>> lists = {};  // label, nr_sv, rho

  std::size_t classes() const { return static_cast<std::size_t>(number("nr_class", 2.0)); }

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
                       header.lists.contains(field);
    if (twice) scanner.fail("duplicate field");
    if (field == "SV") return header;
    if (field == "svm_type" || field == "kernel_type") {
      header.words[field] = scanner.next();
    } else if (field == "gamma" || field == "coef0") {
      header.numbers[field] = scanner.next_number(field);
    } else if (field == "degree" || field == "nr_class" || field == "total_sv") {
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      // So many classes have 2^31 pairs.
      constexpr std::int64_t kMostClasses = 65536;
      const bool classes = field == "nr_class";
      const std::int64_t number =
          scanner.next_whole(field, classes ? 2 : 0, classes ? kMostClasses : kMost);
      header.numbers[field] = static_cast<double>(number);
    } else if (field == "label" || field == "nr_sv") {
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      auto& list = header.lists[field];
      for (std::size_t k = 0; k < header.classes(); ++k) {
        list.push_back(static_cast<double>(scanner.next_whole(field, -kMost - 1, kMost)));
        if (field == "label" &&
            std::find(list.begin(), list.end() - 1, list.back()) != list.end() - 1) {
          scanner.fail("the two labels are the same");
        }
      }
    } else if (field == "rho") {
      auto& list = header.lists[field];
      const std::size_t pairs = header.classes() * (header.classes() - 1) / 2;
      for (std::size_t k = 0; k < pairs; ++k) list.push_back(scanner.next_number(field));
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
    if (!header.numbers.contains(name) && !header.lists.contains(name))
      scanner.fail(fmt::format("field '{}' is missing", name));
  }
  KernelModel model;
  const auto word = [&](const char* name) {
    const auto found = header.words.find(name);
    return found == header.words.end() ? std::string() : found->second;
  };
  const std::string type = word("svm_type");
  const bool classifies = type == "c_svc";
  if (!classifies && type != "epsilon_svr") {
    scanner.fail(fmt::format("svm_type '{}' is not supported; it must be c_svc or epsilon_svr",
                             printable(type)));
  }
  if (classifies != header.lists.contains("label")) {
    scanner.fail(classifies ? "field 'label' is missing" : "a regression model has no labels");
  }
  model.labels.reset();
  if (classifies) model.labels = {header.lists.at("label")[0], header.lists.at("label")[1]};
  const auto kind = kernel_of_name(word("kernel_type"));
  if (!kind || std::find(std::begin(kKernels), std::end(kKernels), *kind) == std::end(kKernels)) {
    scanner.fail(fmt::format("unknown kernel_type '{}'", printable(word("kernel_type"))));
  }
  model.loss.loss = classifies ? Loss::hinge : Loss::epsilon_insensitive;
  model.kernel.kind = *kind;
  model.kernel.gamma = header.number("gamma", 1.0);
  model.kernel.coef0 = header.number("coef0", 0.0);
  model.kernel.degree = static_cast<unsigned>(header.number("degree", 3.0));
  model.b = -header.lists.at("rho").front();
  model.bias = Bias::unregularised;
  model.record.solver = "LIBSVM " + type;
  return model;
}

// Takes all coefficients of a line but the last off its front, into `firsts`.
std::string_view without_firsts(std::string_view line, std::size_t count,
                                std::vector<double>& firsts, const Scanner& scanner) {
  for (std::size_t k = 0; k < count; ++k) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::string word(line.substr(0, line.find_first_of(" \t")));
    double number = 0;
    NumberProblem problem = NumberProblem::none;
    const char* const end = word.data() + word.size();
    if (word.empty() || parse_number(word.data(), end, number, problem) != end) {
      scanner.fail(fmt::format("coefficient '{}' is not a number", printable(word)));
    }
    firsts.push_back(number);
    line.remove_prefix(word.size());
  }
  return line;
}

// The rows behind the line on which the header ends, on their lines of the file. All coefficients
// of a row but the last go into `firsts`.
Dataset vectors_of(std::string_view text, std::size_t end_of_words, const std::string& name,
                   std::size_t more_coefficients, std::vector<double>& firsts,
                   const Scanner& scanner) {
  const std::size_t end_of_header = std::min(text.find('\n', end_of_words), text.size() - 1) + 1;
  std::string rows;
  for (const char c : text.substr(0, end_of_header)) {
    if (c == '\n') rows += "#\n";
  }
  for (std::size_t begin = end_of_header; begin < text.size() && more_coefficients > 0;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      rows += without_firsts(line, more_coefficients, firsts, scanner);
    }
    rows += '\n';
    begin = end + 1;
  }
  if (more_coefficients == 0) rows += text.substr(end_of_header);
  ReadOptions options;
  options.format = DataFormat::svmlight;
  options.threads = 1;
  try {
    return read_dataset_from_memory(rows, name, options).data;
  } catch (const ParseError& error) {
    throw ModelParseError(name, error.diagnostics());
  }
}

// The two-class model's kernel and its vectors, as classifiers of pairs.
MulticlassModel many_of(const Header& header, KernelModel& model, const std::vector<double>& firsts,
                        const Scanner& scanner) {
  MulticlassModel many;
  const std::size_t width = header.classes() - 1;
  static_cast<ModelBase&>(many) = model;
  many.strategy = Strategy::one_against_one;
  many.classes = header.lists.at("label");
  KernelClassifiers& kernels = many.body.emplace<KernelClassifiers>();
  kernels.kernel = model.kernel;
  kernels.support_vectors = model.support_vectors;
  kernels.columns = model.columns;
  for (const double rho : header.lists.at("rho")) many.classifiers.push_back({.b = -rho});
  kernels.support.resize(many.classifiers.size());
  if (!header.lists.contains("nr_sv")) scanner.fail("field 'nr_sv' is missing");
  std::uint32_t of_class = 0;
  for (const double count : header.lists.at("nr_sv")) {
    if (count < 0 || count > static_cast<double>(model.coefficients.size())) {
      scanner.fail("nr_sv does not add up to total_sv");
    }
    kernels.vector_class.resize(kernels.vector_class.size() + static_cast<std::size_t>(count),
                                of_class++);
  }
  if (kernels.vector_class.size() != model.coefficients.size()) {
    scanner.fail("nr_sv does not add up to total_sv");
  }
  for (std::size_t j = 0; j < model.coefficients.size(); ++j) {
    const auto begin = firsts.begin() + static_cast<std::ptrdiff_t>(j * (width - 1));
    kernels.coefficients.insert(kernels.coefficients.end(), begin,
                                begin + static_cast<std::ptrdiff_t>(width - 1));
    kernels.coefficients.push_back(model.coefficients[j]);
  }
  return many;
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
    throw Error(fmt::format("this model scales features ({}), which svm-predict does not support",
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
                                 model.labels ? "c_svc" : "epsilon_svr", kernel_lines(model.kernel),
                                 order.size(), -model.b);
  note_logarithms(model, notes);
  if (model.labels) {
    const auto [positive, negative] = labels_for(model, notes);
    text += fmt::format("label {} {}\nnr_sv {} {}\n", positive, negative, positives,
                        std::ssize(order) - positives);
  }
  if (model.schema->csv) {
    notes.emplace_back(
        "the features are those that the model made of a table, scaled, and numbered from 1; "
        "svm-predict "
        "needs data in the same form");
  }
  AtomicFile file(path);
  const auto write = [&file](std::string_view part) { file.write(part); };
  write(text + "SV\n");
  for (const std::size_t j : order) {
    write(vector_line(model, *model.schema, std::span(model.coefficients).subspan(j, 1), j));
  }
  file.commit();
  return notes;
}

std::vector<std::string> save_libsvm(const MulticlassModel& model, const std::string& path) {
  model.validate();
  if (model.scaling) {
    throw Error(fmt::format("this model scales features ({}), which svm-predict does not support",
                            name_of(model.scaling->kind)));
  }
  const KernelClassifiers* kernels = model.kernels();
  if (kernels == nullptr || model.strategy != Strategy::one_against_one) {
    throw Error("LIBSVM supports only one against one; train one against one");
  }
  std::vector<std::string> notes;
  std::vector<double> rho;
  rho.reserve(model.classifiers.size());
  for (const Classifier& classifier : model.classifiers) rho.push_back(-classifier.b);
  std::vector<double> counts(model.classes.size());
  for (const std::uint32_t c : kernels->vector_class) counts[c] += 1.0;
  if (model.schema->csv) {
    notes.emplace_back(
        "the features are those that the model made of a table, scaled, and numbered from 1; "
        "svm-predict "
        "needs data in the same form");
  }
  AtomicFile file(path);
  const auto write = [&file](std::string_view part) { file.write(part); };
  write(fmt::format("{}c_svc\n{}nr_class {}\ntotal_sv {}\nrho {}\nlabel {}\nnr_sv {}\nSV\n", kStart,
                    kernel_lines(kernels->kernel), model.classes.size(), kernels->vectors(),
                    side_by_side(rho), side_by_side(labels_for(model, notes)),
                    side_by_side(counts)));
  const std::size_t width = model.coefficients_per_vector();
  for (std::size_t j = 0; j < kernels->vectors(); ++j) {
    write(vector_line(*kernels, *model.schema,
                      std::span(kernels->coefficients).subspan(j * width, width), j));
  }
  file.commit();
  return notes;
}

Model load_libsvm(const std::string& path) {
  return load_libsvm_from_memory(read_file_beginning_with(kStart, path).view(), path);
}

Model load_libsvm_from_memory(std::span<const char> text, const std::string& name) {
  const std::string_view all(text.data(), text.size());
  Scanner scanner(all, name);
  if (!all.starts_with(kStart)) {
    scanner.next();
    scanner.fail("a LIBSVM model begins with 'svm_type'");
  }
  const Header header = read_header(scanner);
  KernelModel model = model_of(header, scanner);
  const double due = header.number("total_sv", 0.0);
  std::vector<double> firsts;
  if (due > 0) {
    take_vectors(vectors_of(all, all.size() - scanner.bytes_left(), name, header.classes() - 2,
                            firsts, scanner),
                 model, scanner);
  }
  if (static_cast<double>(model.coefficients.size()) != due) {
    scanner.fail(
        fmt::format("expected {} support vectors, found {}", due, model.coefficients.size()));
  }
  if (!model.schema) model.schema = std::make_shared<const Schema>();
  if (header.classes() > 2 && !model.labels) scanner.fail("a regression model has no classes");
  try {
    if (header.classes() > 2) {
      MulticlassModel many = many_of(header, model, firsts, scanner);
      many.validate();
      return many;
    }
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
