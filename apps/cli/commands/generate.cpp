// pegasos generate: synthetic data.
#include "pegasos/generate.h"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "options.h"
#include "output_file.h"
#include "program.h"
#include "progress.h"
#include "signals.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Order {
  GenerateOptions options;
  std::string kind = "text";
  std::string path = "-";
  std::optional<GeneratedFormat> format;
};

std::string name_of(GeneratedFormat format) {
  return format == GeneratedFormat::csv ? "csv" : "svmlight";
}

GeneratedFormat format_of(const Order& order) {
  if (order.format) return *order.format;
  const auto by_name = format_of_name(order.path);
  if (by_name == OutputFormat::binary) {
    throw UsageError(
        fmt::format("'{}': generate writes svmlight or csv", printable(order.path)),
        fmt::format("use: pegasos generate ... | pegasos convert - {}", file_word(order.path)));
  }
  return by_name == OutputFormat::csv ? GeneratedFormat::csv : GeneratedFormat::svmlight;
}

std::string as_json(const Order& order, GeneratedFormat format) {
  const Json json = {{"file", order.path},
                     {"kind", order.kind},
                     {"format", name_of(format)},
                     {"rows", order.options.rows},
                     {"seed", order.options.seed}};
  return json.text();
}

int generate_file(Session& session, const Order& order) {
  const GeneratedFormat format = format_of(order);
  refuse_json_beside_data(session, order.path);
  refuse_compressed_name(
      order.path, fmt::format("pegasos generate --kind {} --rows {} --seed {} ...", order.kind,
                              order.options.rows, order.options.seed));
  order.options.validate();
  session.output = order.path;
  {
    const FileAtRisk at_risk(order.path);
    Progress progress(session, "generating", Progress::Unit::rows);
    generate_to_file(order.options, format, order.path, session.threads,
                     progress.watch_rows(order.options.rows));
  }
  say(session, fmt::format("{}: {} of kind {}, seed {}, as {}\n",
                           order.path == "-" ? "standard output" : printable(order.path),
                           counted(order.options.rows, "row"), order.kind, order.options.seed,
                           name_of(format)));
  if (session.json) print(as_json(order, format));
  return kDone;
}

// A count that has to fit a narrower type of the library.
template <typename Narrow>
Narrow narrowed(const std::string& flag, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<Narrow>::max())) {
    throw UsageError(fmt::format("{}: {} is too large", flag, value));
  }
  return static_cast<Narrow>(value);
}

void add_kind(Command& command, const std::shared_ptr<Order>& order) {
  struct Kind {
    std::string name;
    GeneratedKind kind;
  };
  Choices<Kind> kinds;
  for (const Kind& one :
       {Kind{"text", GeneratedKind::text}, Kind{"blobs", GeneratedKind::blobs},
        Kind{"moons", GeneratedKind::moons}, Kind{"xor", GeneratedKind::xor_squares},
        Kind{"linear", GeneratedKind::linear}, Kind{"friedman", GeneratedKind::friedman}}) {
    kinds.emplace_back(one.name, one);
  }
  add_choice<Kind>(
      command, "--kind", kinds,
      [order](const Kind& chosen) {
        order->kind = chosen.name;
        order->options.kind = chosen.kind;
      },
      "Kind of data (text): text is sparse documents; blobs, moons and xor are clusters, two half "
      "circles and four squares of points; linear and friedman are regression problems");
}

void add_shape_options(Command& command, const std::shared_ptr<Order>& order) {
  GenerateOptions& options = order->options;
  add_count(
      command, "--features",
      [&options](std::uint64_t n) { options.features = narrowed<std::uint32_t>("--features", n); },
      "Number of features (text 50000, blobs and linear 20, moons and xor 2, friedman 10)");
  add_real(
      command, "--words", [&options](double words) { options.words_per_row = words; },
      "text: mean number of distinct words per row (75)");
  add_count(
      command, "--classes",
      [&options](std::uint64_t n) { options.classes = narrowed<int>("--classes", n); },
      "text, blobs: number of classes, 2 to 1000 (2)");
  add_real(
      command, "--positive-share", [&options](double share) { options.positive_share = share; },
      "Fraction of rows in the positive (or last) class, between 0 and 1; by default all classes "
      "have the same size");
  add_real(
      command, "--label-noise", [&options](double share) { options.label_noise = share; },
      "Fraction of rows with a wrong label (0)");
  add_real(
      command, "--noise", [&options](double noise) { options.noise = noise; },
      "Standard deviation of the points, or of the noise in the regression target");
}

}  // namespace

void add_generate(Program& program) {
  Session& session = program.session();
  Command& command = program.add("generate", "generate synthetic data");
  const auto order = std::make_shared<Order>();
  command.example("pegasos generate --kind text --rows 200k --seed 7 -o text.svm",
                  "200,000 sparse rows that resemble documents.");
  command.example("pegasos generate --kind moons --rows 1000 --noise 0.2 -o moons.csv",
                  "Two half circles as CSV; the file extension chooses the format.");
  command.example("pegasos generate --kind blobs --classes 5 --rows 1e6 | zstd > blobs.svm.zst",
                  "A million rows, compressed with zstd.");
  command.describe(
      "Row i depends only on the options, the seed and i. The output is therefore the same for any "
      "number of threads, and a larger --rows only appends rows.");
  add_kind(command, order);
  add_count(
      command, "--rows", [order](std::uint64_t rows) { order->options.rows = rows; },
      "Number of rows, for example 1000, 200k, 2M or 1e6 (1000)");
  add_seed(command, order->options.seed);
  add_file(command, "-o,--output", order->path, "The file to write; - is standard output (-)");
  add_choice<GeneratedFormat>(
      command, "--format", {{"svmlight", GeneratedFormat::svmlight}, {"csv", GeneratedFormat::csv}},
      [order](GeneratedFormat format) { order->format = format; },
      "Output format; by default chosen by the file extension, otherwise svmlight");
  add_shape_options(command, order);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, order] { return generate_file(session, *order); });
}

}  // namespace pegasos::cli
