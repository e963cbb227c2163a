// pegasos generate: synthetic data.
#include "pegasos/generate.h"

#include <fmt/format.h>

#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "options.h"
#include "output_file.h"
#include "progress.h"
#include "session.h"
#include "signals.h"
#include "table_options.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Arguments {
  GenerateOptions options;
  std::string path = "-";
  std::optional<GeneratedFormat> format;
};

std::string name_of(GeneratedFormat format) {
  return format == GeneratedFormat::csv ? "csv" : "svmlight";
}

GeneratedFormat format_of(const Arguments& arguments) {
  if (arguments.format) return *arguments.format;
  const auto by_name = format_of_name(arguments.path);
  if (by_name == OutputFormat::binary) {
    throw UsageError(
        fmt::format("'{}': generate writes svmlight or csv", printable(arguments.path)),
        fmt::format("use: pegasos generate ... | pegasos convert - {}", file_word(arguments.path)));
  }
  return by_name == OutputFormat::csv ? GeneratedFormat::csv : GeneratedFormat::svmlight;
}

std::string as_json(const Arguments& arguments, GeneratedFormat format) {
  const Json json = {{"file", arguments.path},
                     {"kind", name_of(arguments.options.kind)},
                     {"format", name_of(format)},
                     {"rows", arguments.options.rows},
                     {"seed", arguments.options.seed}};
  return json.text();
}

int generate_file(Session& session, const Arguments& arguments) {
  const GeneratedFormat format = format_of(arguments);
  refuse_json_beside_data(session, arguments.path);
  refuse_compressed_name(
      arguments.path,
      fmt::format("pegasos generate --kind {} --rows {} --seed {} ...",
                  name_of(arguments.options.kind), arguments.options.rows, arguments.options.seed));
  arguments.options.validate();
  session.output = arguments.path;
  {
    const FileAtRisk at_risk(arguments.path);
    Progress progress(session, "generating", Progress::Unit::rows);
    generate_to_file(arguments.options, format, arguments.path, session.threads,
                     progress.watch_rows(arguments.options.rows));
  }
  say(session, fmt::format("{}: {} of kind {}, seed {}, as {}\n",
                           arguments.path == "-" ? "standard output" : printable(arguments.path),
                           counted(arguments.options.rows, "row"), name_of(arguments.options.kind),
                           arguments.options.seed, name_of(format)));
  if (session.json) print(as_json(arguments, format));
  return kDone;
}

}  // namespace

void define_generate(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example("pegasos generate --kind text --rows 200k --seed 7 -o text.svm",
                  "200,000 sparse rows that resemble documents.");
  command.example("pegasos generate --kind moons --rows 1000 --noise 0.2 -o moons.csv",
                  "Two half circles as CSV; the file extension chooses the format.");
  command.example("pegasos generate --kind blobs --classes 5 --rows 1e6 | zstd > blobs.svm.zst",
                  "A million rows, compressed with zstd.");
  command.describe(
      "Row i depends only on the options, the seed and i. The output is therefore the same for any "
      "number of threads, and a larger --rows only appends rows.");
  add_table(command, generate_option_table(), arguments->options);
  add_file(command, "-o,--output", arguments->path, "The file to write; - is standard output (-)");
  add_choice<GeneratedFormat>(
      command, "--format", {{"svmlight", GeneratedFormat::svmlight}, {"csv", GeneratedFormat::csv}},
      [arguments](GeneratedFormat format) { arguments->format = format; },
      "Output format; by default chosen by the file extension, otherwise svmlight");
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, arguments] { return generate_file(session, *arguments); });
}

}  // namespace pegasos::cli
