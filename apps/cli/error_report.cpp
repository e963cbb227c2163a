#include "error_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <new>
#include <string>
#include <thread>

#include "base/did_you_mean.h"
#include "base/json_text.h"
#include "base/quantity_text.h"
#include "checkpointing.h"
#include "exit_codes.h"
#include "output_file.h"
#include "pegasos/error.h"
#include "signals.h"
#include "spelling.h"
#include "table_options.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

// What is told, once to a person and once to a program.
struct Report {
  int exit_code = kFailed;
  std::string kind;
  std::string talk;  // complete lines
  Json details;      // beside kind, message and exit_code
  std::string message;
};

Report plain(int exit_code, std::string kind, const std::string& message,
             const std::string& hint = "") {
  const Style style(STDERR_FILENO);
  Report report{exit_code, std::move(kind), "", Json::object(), message};
  report.talk = fmt::format("{} {}\n", style.red("pegasos:"), printable(message));
  if (!hint.empty()) {
    report.talk += hint + "\n";
    report.details["hint"] = hint;
  }
  return report;
}

std::string location(const std::string& path, const Diagnostic& diagnostic) {
  std::string text = path == "-" ? "<stdin>" : printable(path);
  if (diagnostic.line > 0) text += fmt::format(":{}", diagnostic.line);
  if (diagnostic.line > 0 && diagnostic.column > 0) text += fmt::format(":{}", diagnostic.column);
  return text + ":";
}

// With the settings of the reader spelled as flags.
std::string hint_of(const Diagnostic& diagnostic) {
  return diagnostic.remedy.empty() ? diagnostic.hint : spelled(diagnostic.remedy);
}

std::string shown(const std::string& path, const Diagnostic& diagnostic, const Style& style) {
  std::string text = fmt::format("{} {}\n", style.bold(location(path, diagnostic)),
                                 style.red(printable(diagnostic.message)));
  if (!diagnostic.excerpt.empty()) {
    // The caret counts bytes, the terminal counts characters.
    const std::string_view before(diagnostic.excerpt.data(),
                                  std::min(diagnostic.caret, diagnostic.excerpt.size()));
    text += fmt::format("  {}\n  {}{}\n", printable(diagnostic.excerpt),
                        std::string(cells(before), ' '), style.green("^"));
  }
  const std::string hint = hint_of(diagnostic);
  if (!hint.empty()) text += fmt::format("  hint: {}\n", printable(hint));
  return text;
}

Report bad_data(const ParseError& error) {
  const Style style(STDERR_FILENO);
  Report report{kBadData, "data", "", Json::object(), error.what()};
  report.details["path"] = error.path();
  for (const auto& diagnostic : error.diagnostics()) {
    report.talk += shown(error.path(), diagnostic, style);
    report.details["diagnostics"].push_back({{"line", diagnostic.line},
                                             {"column", diagnostic.column},
                                             {"message", diagnostic.message},
                                             {"hint", hint_of(diagnostic)},
                                             {"excerpt", diagnostic.excerpt}});
  }
  if (error.diagnostics().size() > 1) {
    report.talk += counted(error.diagnostics().size(), "error") + "\n";
  }
  return report;
}

// A file of a similar name in the same folder, as it would be typed; or "".
std::string similar_file(const std::string& path) {
  const std::filesystem::path typed(path);
  const auto folder = typed.has_parent_path() ? typed.parent_path() : ".";
  std::vector<std::string> names;
  std::error_code failure;
  for (std::filesystem::directory_iterator one(folder, failure), end; !failure && one != end;
       one.increment(failure)) {
    names.push_back(one->path().filename().string());
  }
  std::sort(names.begin(), names.end());  // the order of a directory listing is arbitrary
  const std::string name = closest_name(typed.filename().string(), names);
  return name.empty() ? "" : (typed.parent_path() / name).string();
}

Report io_trouble(const IoError& error, const Session& session) {
  std::string hint;
  std::error_code failure;
  if (error.error_number() == ENOENT) {
    const auto folder = std::filesystem::path(error.path()).parent_path();
    if (!folder.empty() && !std::filesystem::exists(folder, failure)) {
      hint = fmt::format("There is no folder '{}'.", printable(folder.string()));
    } else if (const auto similar = similar_file(error.path()); !similar.empty()) {
      hint = fmt::format("Did you mean '{}'?", printable(similar));
    }
  }
  // Of a folder only the writing of files in it is complained about so.
  const bool cannot_write = error.error_number() == ENOSPC || error.error_number() == EFBIG ||
                            error.error_number() == ENOENT || error.error_number() == EROFS;
  if (error.path().ends_with(".cache.pgd") ||
      (cannot_write && std::filesystem::is_directory(error.path(), failure))) {
    hint = "Name a folder with room for the rows: --cache-dir FOLDER";
  }
  if (error.path() == session.output && std::filesystem::is_regular_file(session.output, failure)) {
    hint = fmt::format("'{}' was not changed.", printable(session.output));
  }
  Report report = plain(kIoTrouble, "io", error.what(), hint);
  report.details["path"] = error.path();
  report.details["errno"] = error.error_number();
  return report;
}

Report corrupt(const CorruptFile& error, int exit_code, const std::string& kind) {
  const bool is_cache = error.path().ends_with(".cache.pgd");
  Report report = plain(
      exit_code, kind, error.what(),
      is_cache ? fmt::format("it is a cache of the data; remove it, and the next run makes it "
                             "anew: rm {}",
                             file_word(error.path()))
               : "");
  report.details["path"] = error.path();
  report.details["offset"] = error.offset();
  return report;
}

Report invalid_option(const InvalidOption& error) {
  const UsageError usage = usage_error_of(error);
  Report report = plain(kUsage, "usage", usage.what(), usage.hint());
  if (error.field() != "ranks") report.details["option"] = flag_of(error.field());
  return report;
}

std::string parting_sentence(const Session& session) {
  const char* const what = stop_signal() == SIGTERM ? "terminated" : "interrupted";
  if (session.output == "-") return fmt::format("{}; the output is incomplete", what);
  std::error_code failure;
  if (!session.output.empty() && std::filesystem::exists(session.output, failure)) {
    return fmt::format("{}; '{}' was not changed", what, session.output);
  }
  return fmt::format("{}; no file was written", what);
}

Report stopped(const Resumable& stop) {
  const char* const what = stop_signal() == SIGTERM ? "terminated" : "interrupted";
  const std::string sentence =
      stop.written() ? fmt::format("{}; only the checkpoint '{}' was written", what, stop.path())
                     : fmt::format("{}; the checkpoint '{}' is as it was", what, stop.path());
  Report report = plain(128 + stop_signal(), "stopped", sentence, "to resume: " + stop.command());
  report.details["checkpoint"] = stop.path();
  return report;
}

Report report_of_current_exception(const Session& session) {
  try {
    throw;
  } catch (const UsageError& error) {
    return plain(kUsage, "usage", error.what(), error.hint());
  } catch (const InvalidOption& error) {
    return invalid_option(error);
  } catch (const UnusableData& error) {
    return plain(kBadData, "data", error.what());
  } catch (const ModelParseError& error) {
    Report report = bad_data(error);
    report.exit_code = kBadModel;
    report.kind = "model";
    return report;
  } catch (const ParseError& error) {
    return bad_data(error);
  } catch (const CorruptModel& error) {
    return corrupt(error, kBadModel, "model");
  } catch (const CorruptFile& error) {
    return corrupt(error, kBadData, "data");
  } catch (const IoError& error) {
    return io_trouble(error, session);
  } catch (const Resumable& stop) {
    return stopped(stop);
  } catch (const Cancelled&) {
    return plain(128 + stop_signal(), "stopped", parting_sentence(session));
  } catch (const std::bad_alloc&) {
    return plain(kFailed, "memory", "not enough memory");
  } catch (const std::exception& error) {
    return plain(kFailed, "failure", error.what());
  }
}

std::string as_json(const Report& report) {
  Json error = {
      {"kind", report.kind}, {"message", report.message}, {"exit_code", report.exit_code}};
  error.update(report.details);
  // File names need not be UTF-8; JSON must be.
  return Json{{"error", error}}.text();
}

}  // namespace

int report_current_exception(const Session& session) {
  Report report = report_of_current_exception(session);
  if (session.ranks && session.ranks->rank() > 0) {
    // What all ranks have found out together is said by rank 0, which then ends the others.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    report.talk = "rank " + std::to_string(session.ranks->rank()) + ": " + report.talk;
  }
  if (session.json) {
    try {
      print(as_json(report));
    } catch (const IoError&) {
      // Standard output is what failed, or fails as well; standard error still gets the words.
    }
  }
  say_always(report.talk);
  return report.exit_code;
}

void prepare_parting_words(const Session& session) {
  static std::string talk;
  static std::string interrupted;
  static std::string terminated;
  talk = can_rewrite_lines(STDERR_FILENO) ? "\r\x1b[K" : "";
  talk += "pegasos: stopped; no file was written\n";
  const auto data_of = [&](int signal) {
    const std::string sentence = "stopped; no file was written";
    return session.json ? as_json({128 + signal, "stopped", "", Json::object(), sentence}) : "";
  };
  interrupted = data_of(SIGINT);
  terminated = data_of(SIGTERM);
  set_parting_words(talk.c_str(), interrupted.c_str(), terminated.c_str());
}

}  // namespace pegasos::cli
