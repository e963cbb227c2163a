// pegasos convert: the same data, or model, in another format.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "model/model_words.h"
#include "model_files.h"
#include "model_text.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/write.h"
#include "progress.h"
#include "reading.h"
#include "session.h"
#include "signals.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Conversion {
  std::string from;
  std::string to;
  std::string like;  // a model or data whose features these shall be, or none
  std::optional<OutputFormat> format;
  ReadOptions reading;
};

bool is_for_models(OutputFormat format) {
  return format == OutputFormat::liblinear || format == OutputFormat::libsvm ||
         format == OutputFormat::pegasos;
}

OutputFormat target_format(const Conversion& conversion) {
  const auto format = conversion.format ? conversion.format : format_of_name(conversion.to);
  const std::string choices = "add --to svmlight, --to csv or --to binary";
  if (!format && conversion.to == "-") {
    throw UsageError("standard output has no file extension to choose the format by", choices);
  }
  if (!format) {
    throw UsageError(fmt::format("cannot tell the output format from the extension of '{}'",
                                 printable(conversion.to)),
                     choices);
  }
  if (is_for_models(*format)) {
    throw UsageError(fmt::format("'{}' is not a model; --to {} is for models",
                                 printable(conversion.from), name_of(*format)));
  }
  return *format;
}

void check_target(const Session& session, const Conversion& conversion, OutputFormat format) {
  refuse_json_beside_data(session, conversion.to);
  refuse_compressed_name(conversion.to, fmt::format("pegasos convert {} - --to {}",
                                                    file_word(conversion.from), name_of(format)));
  if (format == OutputFormat::binary && conversion.to == "-" && is_terminal(STDOUT_FILENO)) {
    throw UsageError("binary data cannot be shown on a terminal; name a file or use a pipe");
  }
}

void write_data(const Session& session, const Dataset& data, const std::string& path,
                OutputFormat format) {
  const FileAtRisk at_risk(path);
  Progress progress(session, "writing " + (path == "-" ? "standard output" : path),
                    Progress::Unit::rows);
  WriteOptions options;
  options.threads = session.threads;
  options.watch = progress.watch_rows(data.rows());
  switch (format) {
    case OutputFormat::svmlight:
      write_svmlight(data, path, options);
      break;
    case OutputFormat::csv:
      write_csv(data, path, options);
      break;
    case OutputFormat::binary:
      write_binary(data, path);
      break;
    case OutputFormat::liblinear:
    case OutputFormat::libsvm:
    case OutputFormat::pegasos:
      break;  // refused before
  }
}

std::string as_json(const Conversion& conversion, OutputFormat format, const Dataset& data) {
  const Json json = {{"from", conversion.from},     {"to", conversion.to},
                     {"format", name_of(format)},   {"rows", data.rows()},
                     {"features", data.features()}, {"non_zeros", data.non_zeros()}};
  return json.text();
}

// What a model becomes if nothing is said: text of the program that has such models, or ours.
OutputFormat usual_format(const std::string& path, const Model& model) {
  if (!is_model_file(path)) return OutputFormat::pegasos;
  const auto* many = std::get_if<MulticlassModel>(&model);
  const bool linear =
      many != nullptr ? many->kernels() == nullptr : std::holds_alternative<LinearModel>(model);
  return linear ? OutputFormat::liblinear : OutputFormat::libsvm;
}

// Writes the model, and returns what differs from it.
std::vector<std::string> write_model(const Model& model, const std::string& path,
                                     OutputFormat format) {
  const auto* linear = std::get_if<LinearModel>(&model);
  const auto* many = std::get_if<MulticlassModel>(&model);
  const bool is_linear = linear != nullptr || (many != nullptr && many->kernels() == nullptr);
  if ((format == OutputFormat::liblinear && !is_linear) ||
      (format == OutputFormat::libsvm && is_linear)) {
    throw UsageError(is_linear ? "a linear model cannot be converted to LIBSVM format"
                               : "a kernel model cannot be converted to LIBLINEAR format",
                     is_linear ? "use --to liblinear" : "use --to libsvm");
  }
  const FileAtRisk at_risk(path);
  if (many != nullptr && format == OutputFormat::liblinear) return save_liblinear(*many, path);
  if (many != nullptr && format == OutputFormat::libsvm) return save_libsvm(*many, path);
  if (format == OutputFormat::liblinear) return save_liblinear(*linear, path);
  if (format == OutputFormat::libsvm) return save_libsvm(std::get<KernelModel>(model), path);
  save_model(model, path);
  return {};
}

// A model of ours as LIBLINEAR's or LIBSVM's text, or one of theirs as ours.
int convert_model(Session& session, const Conversion& conversion) {
  const Model model = load_any_model(conversion.from);
  const OutputFormat format = conversion.format.value_or(usual_format(conversion.from, model));
  if (!is_for_models(format)) {
    throw UsageError(fmt::format("'{}' is a model and cannot be written as {} data",
                                 printable(conversion.from), name_of(format)),
                     "for models use --to liblinear, --to libsvm or --to pegasos");
  }
  refuse_json_beside_data(session, conversion.to);
  session.output = conversion.to;
  for (const auto& difference : write_model(model, conversion.to, format)) {
    say(session, "note: " + difference + "\n");
  }
  if (format != OutputFormat::pegasos && base_of(model).schema->csv) {
    say(session, fmt::format("note: to convert a table for it: pegasos convert TABLE.csv TABLE.svm "
                             "--like {}\n",
                             file_word(conversion.from)));
  }
  say(session, fmt::format("{}: {}, as a {} model\n",
                           conversion.to == "-" ? "standard output" : printable(conversion.to),
                           size_in_words(model), name_of(format)));
  if (session.json) {
    const Json json = {
        {"from", conversion.from}, {"to", conversion.to}, {"format", name_of(format)}};
    print(json.text());
  }
  return kDone;
}

// The features of the file that --like names.
std::shared_ptr<const Schema> schema_of(const Session& session, const Conversion& conversion) {
  if (looks_like_model(conversion.like)) return base_of(load_any_model(conversion.like)).schema;
  return read_data(session, conversion.like, conversion.reading).data.shared_schema();
}

int convert(Session& session, const Conversion& conversion) {
  refuse_same_files({conversion.from}, {conversion.to});
  if (looks_like_model(conversion.from)) return convert_model(session, conversion);
  const OutputFormat format = target_format(conversion);
  check_target(session, conversion, format);
  ReadOptions reading = conversion.reading;
  if (!conversion.like.empty()) {
    if (looks_like_model(conversion.like)) refuse_settled_by_model(reading, conversion.like);
    auto schema = schema_of(session, conversion);
    if (looks_like_model(conversion.like)) {
      reading.schema = std::move(schema);
    } else {
      reading = options_for_second(std::move(reading), std::move(schema));
    }
  }
  const ReadResult read = read_data(session, conversion.from, reading);
  session.output = conversion.to;
  write_data(session, read.data, conversion.to, format);
  for (const auto& note : sentences_of(read.notes)) say(session, "note: " + note + "\n");
  say(session,
      fmt::format("{}: {}, {}, {}, as {}\n",
                  conversion.to == "-" ? "standard output" : printable(conversion.to),
                  counted(read.data.rows(), "row"), counted(read.data.features(), "feature"),
                  counted(read.data.non_zeros(), "non-zero"), name_of(format)));
  if (session.json) print(as_json(conversion, format, read.data));
  return kDone;
}

}  // namespace

void define_convert(Command& command, Session& session) {
  const auto conversion = std::make_shared<Conversion>();
  command.example(
      "pegasos convert train.svm.gz train.bin",
      "Convert to the binary format, which is mapped into memory instead of being parsed.");
  command.example("pegasos convert house.csv - --to svmlight --label price | zstd > house.svm.zst",
                  "Write a table as svmlight text, compressed with zstd.");
  command.example("pegasos convert train.bin train.csv", "Convert back to text.");
  command.example("pegasos convert test.csv test.svm --like train.csv",
                  "Convert a second table with the feature numbering of the first.");
  command.example("pegasos convert spam.model spam.liblinear --to liblinear",
                  "Export a model for liblinear-predict; --to pegasos converts back.");
  command.example(
      "pegasos convert eight.model eight.libsvm",
      "Export a kernel model for svm-predict; models written by svm-train can be read too.");
  command.describe(
      "The output format is chosen by --to, or by the extension of TO: .svm .libsvm .svmlight, "
      ".csv, .bin .pgd. The output file is replaced atomically: an existing file stays in place "
      "until the new one is complete.");
  add_file(command, "from", conversion->from, "The file to read; - is standard input")->required();
  add_file(command, "to", conversion->to, "The file to write; - is standard output")->required();
  add_choice<OutputFormat>(
      command, "--to",
      {{"svmlight", OutputFormat::svmlight},
       {"csv", OutputFormat::csv},
       {"binary", OutputFormat::binary},
       {"liblinear", OutputFormat::liblinear},
       {"libsvm", OutputFormat::libsvm},
       {"pegasos", OutputFormat::pegasos}},
      [conversion](OutputFormat format) { conversion->format = format; },
      "Output format; by default chosen by the file extension");
  add_file(command, "--like", conversion->like,
           "Use the feature numbering, scaling and vocabulary of this model, or those of this data "
           "file");
  add_reading_options(command, conversion->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, conversion] { return convert(session, *conversion); });
}

}  // namespace pegasos::cli
