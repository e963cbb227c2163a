// pegasos verify: checks the certificate of a model on its training data.
#include "pegasos/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "model/model_words.h"
#include "model_files.h"
#include "options.h"
#include "pegasos/error.h"
#include "pegasos/weights.h"
#include "progress.h"
#include "reading.h"
#include "scoring.h"
#include "session.h"
#include "signals.h"
#include "terminal.h"
#include "training_report.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Arguments {
  std::string data;
  std::string model;
  std::string weights;  // of the rows, or none
  ReadOptions reading;
  VerifyOptions options;
};

std::string name_of(Finding finding) {
  switch (finding) {
    case Finding::holds:
      return "holds";
    case Finding::no_claim:
      return "no-claim";
    case Finding::objective_differs:
      return "objective-differs";
    case Finding::duals_too_low:
      return "duals-too-low";
    case Finding::disproven:
      return "disproven";
    case Finding::not_found:
      return "not-found";
  }
  return "unknown";
}

// A claim as its share of the optimum, where it has one.
std::string claim_in_words(const Certificate& claim) {
  if (const auto share = claim.share()) return percent_above(*share);
  return "no useful bound";
}

std::string verdict(const Verification& found) {
  const std::string proven =
      gap_in_words({.primal = found.primal.objective(), .dual = found.dual.value_or(0.0)});
  switch (found.finding) {
    case Finding::holds:
      return fmt::format("holds: {} (claimed {})", proven, claim_in_words(*found.claimed));
    case Finding::no_claim:
      if (!found.dual) {
        return fmt::format(
            "no claim: the kernel is not known to be positive semidefinite, so nothing can be "
            "proven; the objective is {:.10g}",
            found.primal.objective());
      }
      return fmt::format("no claim: the model has no certificate; it is {}", proven);
    case Finding::objective_differs:
      return fmt::format(
          "does not hold: the objective is {:.10g}, claimed {:.10g}; the weights, labels or data "
          "have changed since it was computed",
          found.primal.objective(), found.claimed->primal);
    case Finding::duals_too_low:
      return fmt::format(
          "does not hold: the dual variables in the model only prove that it is {}, claimed {}",
          proven.substr(0, proven.find(',')), claim_in_words(*found.claimed));
    case Finding::disproven:
      return fmt::format(
          "does not hold: a better model has objective {:.10g}, this one {:.10g}, which is more "
          "than the claimed {} above it",
          *found.better, found.primal.objective(), claim_in_words(*found.claimed));
    case Finding::not_found:
      break;
  }
  return fmt::format("not proven: the search ended with a proof that the model is {}, claimed {}",
                     proven.substr(0, proven.find(',')), claim_in_words(*found.claimed));
}

// Whether this is what the model was trained on. The mathematics decides, but this often explains.
std::string about_the_data(const Verification& found, const ModelBase& model, const Dataset& data) {
  if (found.same_data) return "";
  if (data.rows() != model.record.rows) {
    return fmt::format("this is not the training data: it has {}, the model was trained on {}",
                       counted(data.rows(), "row"), with_separators(model.record.rows));
  }
  return "this is not the training data: its fingerprint differs";
}

std::string arithmetic_in_words(const Verification& found) {
  return found.in_pairs ? "double-double (32 digits) with rounding-error bounds"
                        : "double precision with rounding-error bounds";
}

// The digits that all numbers from low to high share when rounded to them.
std::string certain_digits(double low, double high) {
  for (int digits = 17; digits > 0; --digits) {
    std::string text = fmt::format("{:.{}g}", low, digits);
    if (text == fmt::format("{:.{}g}", high, digits)) return text;
  }
  return "no digit is certain";
}

// [D, P] with all digits, rounded outward once more by the last of them.
std::string interval_in_words(const Verification& found) {
  const double P = found.primal.objective();
  const double endless = std::numeric_limits<double>::infinity();
  std::string text =
      fmt::format("objective    {} (all digits certain)\n", certain_digits(found.primal_below, P));
  if (found.dual) {
    const double D = *found.dual > 0.0 ? std::nextafter(*found.dual, 0.0) : 0.0;
    text += fmt::format("optimum      in [{:.17g}, {:.17g}]\n", D, std::nextafter(P, endless));
  }
  return text + fmt::format("arithmetic   {}\n", arithmetic_in_words(found));
}

Json as_json(const Verification& found, const std::string& sentence) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  const auto share = [&](const Certificate& certificate) { return number(certificate.share()); };
  Json json = {{"holds", !found.refuted()},
               {"finding", name_of(found.finding)},
               {"verdict", sentence},
               {"objective", found.primal.objective()},
               {"objective_at_least", found.primal_below},
               {"dual", number(found.dual)}};
  json["arithmetic"] = found.in_pairs ? "double-double" : "doubles";
  json["relative_gap"] = share({.primal = found.primal.objective(), .dual = found.dual});
  json["better_objective"] = number(found.better);
  json["claimed"] = nullptr;
  if (const auto& claim = found.claimed) {
    json["claimed"] = {{"objective", claim->primal},
                       {"dual", number(claim->dual)},
                       {"relative_gap", share(*claim)}};
  }
  json["duals_from"] = !found.dual ? Json(nullptr) : Json(found.duals_kept ? "model" : "search");
  json["same_data"] = found.same_data;
  return json;
}

Verification search(const LinearModel& model, const Dataset& data, const VerifyOptions& options,
                    Progress& progress) {
  Watch watch;
  watch.stop = [] { return stop_requested(); };
  watch.event = [&](const TrainingEvent& event) {
    const TrainingReport& report = event.report;
    progress.show(fmt::format("searching for a proof: {} {}  bound {:.8g}", name_of(report.solver),
                              report.epoch, report.dual.value_or(0.0)));
  };
  return verify(model, data, options, watch);
}

Verification search(const KernelModel& model, const Dataset& data, const VerifyOptions& options,
                    Progress& progress) {
  Watch watch;
  watch.stop = [] { return stop_requested(); };
  watch.event = [&](const TrainingEvent& event) {
    progress.show(fmt::format("searching for a proof: block {}  bound {:.8g}",
                              event.report.kernel->blocks, event.report.dual.value_or(0.0)));
  };
  return verify(model, data, options, watch);
}

Json as_json(const MulticlassModel& model, const MulticlassVerification& found) {
  Json json = {{"holds", !found.refuted()},
               {"finding", name_of(found.finding())},
               {"same_data", found.same_data}};
  for (std::size_t k = 0; k < found.classifiers.size(); ++k) {
    const Verification& one = found.classifiers[k];
    Json classifier = as_json(one, verdict(one));
    if (model.strategy != Strategy::joint) classifier["name"] = model.classifier_name(k);
    json["classifiers"].push_back(std::move(classifier));
  }
  return json;
}

// The worst classifiers by name, or what holds for all.
std::string verdict(const MulticlassModel& model, const MulticlassVerification& found) {
  if (model.strategy == Strategy::joint) return verdict(found.classifiers.front());
  if (!found.refuted() && found.finding() == Finding::holds) {
    double widest = 0;
    for (const Verification& one : found.classifiers) {
      widest = std::max(widest, one.proven().relative_gap());
    }
    return fmt::format("proven: all {} classifiers are within {} of their optimum",
                       found.classifiers.size(), percent_above(widest));
  }
  std::string text;
  for (std::size_t k = 0; k < found.classifiers.size(); ++k) {
    if (found.classifiers[k].finding != found.finding()) continue;
    if (!text.empty()) text += "\n";
    text += printable(model.classifier_name(k)) + ": " + verdict(found.classifiers[k]);
  }
  return text;
}

int verify_many(const Session& session, const MulticlassModel& model, const Dataset& data,
                const VerifyOptions& options) {
  MulticlassVerification found;
  {
    Progress progress(session, "verifying", Progress::Unit::rows);
    found = verify(model, data, options, [&](std::size_t k) {
      progress.show(fmt::format("searching for a proof: classifier {} of {}", k + 1,
                                model.classifiers.size()));
      return !stop_requested();
    });
  }
  if (stop_requested()) throw Cancelled();
  std::string sentence = verdict(model, found);
  Verification of_data;
  of_data.same_data = found.same_data;
  if (const auto other = about_the_data(of_data, model, data); !other.empty()) {
    sentence += "; " + other;
  }
  std::string intervals;
  for (std::size_t k = 0; options.exact && k < found.classifiers.size(); ++k) {
    if (model.strategy != Strategy::joint) intervals += printable(model.classifier_name(k)) + "\n";
    intervals += interval_in_words(found.classifiers[k]);
  }
  print(session.json ? as_json(model, found).text() : sentence + "\n" + intervals);
  return found.refuted() ? kNotProven : kDone;
}

int verify_command(const Session& session, Arguments& arguments) {
  const Model loaded = load_model_beside(arguments.data, arguments.model);
  const ModelBase& model = base_of(loaded);
  if (model.lambda == 0) {
    throw UsageError(fmt::format("'{}' does not record lambda, so there is no objective to check",
                                 printable(arguments.model)),
                     "models written by pegasos train do; those of LIBLINEAR and LIBSVM do not");
  }
  arguments.reading.schema = model.schema;
  ReadResult read = read_data(session, arguments.data, arguments.reading);
  if (!arguments.weights.empty())
    read.data = with_weights(read.data, read_weights(arguments.weights));
  refuse_without_labels(arguments.data, read.data,
                        "a certificate is checked with the data the model was trained on");
  for (const auto& note : sentences_of(read.notes)) say(session, "note: " + note + "\n");
  arguments.options.threads = session.threads;
  if (const auto* many = std::get_if<MulticlassModel>(&loaded)) {
    return verify_many(session, *many, read.data, arguments.options);
  }
  const auto* linear = std::get_if<LinearModel>(&loaded);
  Verification found;
  {
    Progress progress(session, "verifying", Progress::Unit::rows);
    found = linear != nullptr
                ? search(*linear, read.data, arguments.options, progress)
                : search(std::get<KernelModel>(loaded), read.data, arguments.options, progress);
  }
  if (stop_requested()) throw Cancelled();
  std::string sentence = verdict(found);
  if (linear != nullptr && linear->map)
    sentence += "; this refers to the problem with mapped features";
  if (const auto other = about_the_data(found, model, read.data); !other.empty()) {
    sentence += "; " + other;
  }
  if (session.json) {
    print(as_json(found, sentence).text());
  } else {
    print(sentence + "\n" + (arguments.options.exact ? interval_in_words(found) : ""));
  }
  return found.refuted() ? kNotProven : kDone;
}

}  // namespace

void define_verify(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example("pegasos verify train.svm train.svm.model",
                  "Check the optimality gap that the model claims.");
  command.example("pegasos train train.svm --keep-dual && pegasos verify train.svm train.svm.model",
                  "With the dual variables kept in the model, verification takes one pass.");
  command.example("pegasos verify train.svm train.svm.model --exact",
                  "Print the interval that contains the optimum, with all certain digits.");
  command.describe(
      "Recomputes the objective of the model and a lower bound on the optimum from the data, and "
      "compares them with the model's certificate. The bound comes from the dual variables in the "
      "model, or from dual ascent that stops as soon as the claim is proven or disproven. Both "
      "numbers include a bound on all rounding errors, so the result holds in exact arithmetic. "
      "Exit code 6 means that the claim does not hold on this data.");
  add_file(command, "data", arguments->data,
           "The data the model was trained on; - is standard input")
      ->required();
  add_file(command, "model", arguments->model, "A model written by train")->required();
  add_count(
      command, "--max-epochs",
      [arguments](std::uint64_t count) { arguments->options.max_epochs = count; },
      "Maximum number of epochs of the search for a proof (1000)");
  add_file(command, "--weights", arguments->weights,
           "The row weights used for training, one per line");
  command.add_flag("--exact", arguments->options.exact,
                   "Print the interval that contains the optimum with all certain digits, computed "
                   "in double-double arithmetic for linear models");
  add_reading_options_for_model(command, arguments->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, arguments] { return verify_command(session, *arguments); });
}

}  // namespace pegasos::cli
