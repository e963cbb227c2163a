// Training on a stream; see pegasos/stream.h. The steps are OnlineLearner's: here are the classes
// and options that a sample of the rows settles, the rows to pass over, and the clock.
#include "pegasos/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/option_builder.h"
#include "base/quantity_text.h"
#include "base/run_clock.h"
#include "learn/labels.h"
#include "learn/resolve.h"
#include "pegasos/error.h"
#include "pegasos/options.h"
#include "pegasos/summary.h"

namespace pegasos {
namespace {

constexpr double kUsualLambda = 1e-4;
constexpr std::uint32_t kUsualHashBits = 18;

// The training options that a stream has a use for.
const std::set<std::string>& stream_settings() {
  static const std::set<std::string> kNames = {"task",   "loss", "epsilon",      "delta",
                                               "lambda", "bias", "bias_feature", "max_seconds"};
  return kNames;
}

void check_options(const TrainOptions& options) {
  options.validate();
  if (options.c) {
    throw InvalidOption("c", "a stream has no number of rows to compute lambda from; give lambda");
  }
  if (options.tune_lambda) {
    throw InvalidOption("lambda", "cannot be searched for in a stream; give a number");
  }
  for (const Setting& one : changed_settings(train_option_table(), options)) {
    if (!stream_settings().contains(one.name)) {
      throw InvalidOption(one.name, "is not available for a stream, which sees every row once");
    }
  }
  if (options.ranks || options.test || options.resume || !options.start_duals.empty()) {
    throw InvalidOption("stream",
                        "a stream has no test rows, no checkpoint and one process; evaluate the "
                        "model, or continue from it");
  }
  if (options.bias == Bias::exact) {
    throw InvalidOption("bias", "an exact bias needs batches and is not available for a stream");
  }
}

// The values of the classes: those named, or those of the sample.
std::vector<double> classes_in(const Dataset& sample, const Schema& schema,
                               const std::vector<std::string>& named) {
  std::set<double> classes;
  const auto& words = schema.label_words;
  for (const std::string& text : named) {
    if (!words.empty()) {
      const auto found = std::lower_bound(words.begin(), words.end(), text);
      classes.insert(static_cast<double>(found - words.begin()));
    } else if (const auto value = parse_real(text)) {
      classes.insert(*value);
    } else {
      throw InvalidOption("classes", fmt::format("the labels are numbers, but '{}' is not", text));
    }
  }
  for (std::size_t i = 0; named.empty() && i < sample.rows(); ++i) {
    const double label = sample.label(i);
    if (std::isnan(label)) continue;
    const auto& own = sample.schema().label_words;
    if (own.empty()) {
      classes.insert(label);
    } else {  // the schema of the stream may have more words
      const auto& word = own[static_cast<std::size_t>(label)];
      classes.insert(
          static_cast<double>(std::lower_bound(words.begin(), words.end(), word) - words.begin()));
    }
  }
  if (classes.size() < 2) {
    throw InvalidOption("classes",
                        fmt::format("the first {} have only one label, so the classes of the "
                                    "stream are not known; name them",
                                    counted(sample.rows(), "row")));
  }
  return {classes.begin(), classes.end()};
}

// The options with what was decided.
TrainOptions settled(TrainOptions options, const OnlineOptions& online) {
  options.c.reset();
  options.lambda = online.lambda;
  options.loss = online.loss.loss;
  options.epsilon = online.loss.epsilon;
  options.delta = online.loss.delta;
  options.bias = online.bias;
  options.bias_feature = online.bias_feature;
  options.task = online.classes.empty() ? Task::regression : Task::binary;
  options.solver.kind = Solver::pegasos;
  return options;
}

std::vector<Setting> recorded(const TrainOptions& options) {
  std::vector<Setting> settings = settings_of(train_option_table(), options);
  std::erase_if(settings, [](const Setting& one) { return !stream_settings().contains(one.name); });
  return settings;
}

struct Begun {
  OnlineOptions online = {};
  TrainOptions options = {};
  double counted = 0.0;
};

double spread_of_labels(const Dataset& sample) {
  double mean = 0.0;
  double squares = 0.0;
  double rows = 0.0;
  for (const double label : sample.labels()) {
    if (std::isnan(label)) continue;
    rows += 1.0;
    const double away = label - mean;
    mean += away / rows;
    squares += away * (label - mean);
  }
  const double spread = rows > 0 ? std::sqrt(squares / rows) : 0.0;
  return spread > 0 ? spread : 1.0;
}

// Rows that count as seen before the first: with so many, eta = 1/(lambda t) begins at 1/|x|^2 for
// the mean row, and one step moves the score of a row by about 1, or by what targets differ by.
// Without, the first steps are 1/lambda long, and a stream, which does not come back to a row, is
// long in getting over them.
double offset_for(const Dataset& sample, const OnlineOptions& online) {
  double squares = online.bias == Bias::none          ? 0.0
                   : online.bias == Bias::regularised ? online.bias_feature * online.bias_feature
                                                      : 1.0;
  for (std::size_t i = 0; i < sample.rows(); ++i) {
    squares += sample.row(i).squared_norm() / static_cast<double>(sample.rows());
  }
  const bool of_targets = online.loss.loss == Loss::epsilon_insensitive;
  return squares / (online.lambda * (of_targets ? spread_of_labels(sample) : 1.0));
}

// What the sample and the options say.
Begun begin_new(const RowStream& rows, const TrainOptions& given, const StreamOptions& stream) {
  const Dataset& sample = rows.sample();
  const auto labels = sample.labels();
  if (std::all_of(labels.begin(), labels.end(), [](double label) { return std::isnan(label); })) {
    throw UnusableData("the first rows have no labels to learn from");
  }
  if (sample.schema().multilabel) {
    throw UnusableData("rows with several labels cannot be learned from a stream");
  }
  TrainOptions options = given;
  if (!options.task) {
    const Task suggested = suggest_task(sample);
    // One label suggests nothing: it is one of the classes, which then have to be named.
    const bool has_classes = !stream.classes.empty() || suggested == Task::none;
    options.task = has_classes ? Task::binary : suggested;
  }
  // C such that lambda is the usual one, in the units of the targets.
  if (!options.lambda) options.c = 1.0 / (kUsualLambda * static_cast<double>(sample.rows()));
  const bool classifies = options.task != Task::regression;
  if (!sample.schema().csv) options.scale_targets = false;
  if (!classifies) options = with_targets_scaled(options, sample);
  Begun begun;
  begun.online.loss = loss_for(options, classifies);
  begun.online.lambda = lambda_for(options, sample.rows());
  begun.online.bias = options.bias.value_or(Bias::regularised);
  begun.online.bias_feature = options.bias_feature;
  if (classifies) {
    begun.online.classes = classes_in(sample, *rows.schema(), stream.classes);
  } else if (!stream.classes.empty()) {
    throw InvalidOption("classes", "a regression has none");
  }
  begun.counted = offset_for(sample, begun.online);
  begun.options = settled(std::move(options), begun.online);
  return begun;
}

// The problem of a model; options may say the same again, and change lambda.
Begun begin_at(const Model& model, const TrainOptions& given, const StreamOptions& stream) {
  const ModelBase& facts = base_of(model);
  if (!stream.classes.empty()) throw InvalidOption("classes", "the model has its classes already");
  const auto differs = [](const char* field) {
    throw InvalidOption(field, "differs from that of the model to continue from");
  };
  if (given.loss && *given.loss != facts.loss.loss) differs("loss");
  if (given.epsilon && *given.epsilon != facts.loss.epsilon) differs("epsilon");
  if (given.delta && *given.delta != facts.loss.delta) differs("delta");
  if (given.bias && *given.bias != facts.bias) differs("bias");
  if (given.task && (*given.task == Task::regression) == facts.classifies()) differs("task");
  const auto* single = single_output(model);
  if (single != nullptr && single->transform != TargetTransform::none) {
    throw InvalidOption("start", "a model of logarithms cannot be trained online");
  }
  Begun begun;
  begun.online.loss = facts.loss;
  begun.online.lambda = given.lambda.value_or(facts.lambda);
  begun.online.bias = facts.bias == Bias::exact ? Bias::unregularised : facts.bias;
  begun.online.bias_feature = facts.bias_feature;
  if (const auto* many = std::get_if<MulticlassModel>(&model)) {
    begun.online.classes = many->classes;
  } else if (single != nullptr && single->labels) {
    if (!single->labels->negative) {
      throw InvalidOption("start", "one label against the rest cannot be trained online");
    }
    begun.online.classes = {*single->labels->negative, single->labels->positive};
    if (!(begun.online.classes[0] < begun.online.classes[1])) {
      throw InvalidOption("start", "the positive label of a stream is the larger one");
    }
  }
  begun.options = settled(given, begun.online);
  // A model of a batch has seen its rows once, as far as steps are concerned.
  begun.counted =
      facts.record.stream ? facts.record.stream->counted : static_cast<double>(facts.record.rows);
  return begun;
}

// Indices beyond those of the model are new features, where the model has a range of them.
std::shared_ptr<const Schema> open_ended(const std::shared_ptr<const Schema>& schema) {
  if (schema->csv || !schema->indices.is_contiguous() || !schema->feature_names.empty()) {
    return schema;
  }
  auto open = std::make_shared<Schema>(*schema);
  const std::uint32_t base = schema->indices.base();
  open->indices = IndexMap::contiguous(base, (std::uint64_t{1} << 32) - base);
  return open;
}

// The schema of a learner that has seen nothing: indices are counted as they come.
std::shared_ptr<const Schema> without_features(const std::shared_ptr<const Schema>& schema) {
  if (schema->csv || schema->feature_count() < (std::uint64_t{1} << 32) - 1) return schema;
  auto empty = std::make_shared<Schema>(*schema);
  empty->indices = IndexMap::contiguous(schema->indices.base(), 0);
  return empty;
}

class StreamRun {
 public:
  StreamRun(const std::string& path, const ReadOptions& reading, const TrainOptions& options,
            const StreamOptions& stream, const StreamWatch& watch)
      : options_(options),
        stream_(stream),
        watch_(watch),
        skips_(reading.bad_rows == BadRows::skip) {
    ReadOptions own = reading;
    own.idle = [this] { return goes_on(); };
    if (own.text.hash_bits == 0) own.text.hash_bits = kUsualHashBits;
    if (options.start) {
      const ModelBase& facts = base_of(*options.start);
      own.schema = open_ended(facts.schema);
      begun_ = begin_at(*options.start, options, stream);
      earlier_ = facts.record.stream.value_or(StreamRecord{});
      learner_.emplace(facts.schema, begun_.online, options.start, begun_.counted);
      rows_.emplace(path, own);
    } else {
      rows_.emplace(
          RowStream::sampled(path, own, static_cast<std::size_t>(stream.sample), stream.classes));
      begun_ = begin_new(*rows_, options, stream);
      learner_.emplace(without_features(rows_->schema()), begun_.online, nullptr, begun_.counted);
    }
  }

  Streamed run() {
    Streamed result;
    if (watch_.begin) watch_.begin({rows_->notes(), *rows_->schema(), begun_.online});
    try {
      while (goes_on()) {
        const auto block = rows_->next();
        if (!block) break;
        learn(*block);
        progress_.seconds = clock_.seconds();
        if (watch_.event) watch_.event(progress());
        save_now_and_then();
      }
    } catch (const Cancelled&) {
      // By goes_on(): the ending is set. Or by the watch of the reading.
      if (ending_ == Ending::finished) ending_ = Ending::stopped_by_caller;
    } catch (...) {
      if (progress_.rows == 0) throw;
      result.failure = std::current_exception();
    }
    if (progress_.rows == 0 && ending_ == Ending::stopped_by_caller) throw Cancelled();
    result.ending = ending_;
    result.progress = progress();
    result.notes = rows_->notes();
    result.model = model();
    base_of(result.model).record.interrupted = ending_ == Ending::stopped_by_caller;
    result.options = begun_.options;
    return result;
  }

 private:
  // Called between blocks, and while waiting for input.
  bool goes_on() {
    if (watch_.stop && watch_.stop()) ending_ = Ending::stopped_by_caller;
    if (ending_ == Ending::finished && clock_.is_over(options_.max_seconds)) {
      ending_ = Ending::out_of_time;
    }
    if (ending_ != Ending::finished) return false;
    save_now_and_then();
    return true;
  }

  enum class RowKind { learned, unlabelled, other_label };
  RowKind kind_of(double label) const {
    if (std::isnan(label)) return RowKind::unlabelled;
    const auto& classes = begun_.online.classes;
    const bool known = classes.empty() || std::binary_search(classes.begin(), classes.end(), label);
    return known ? RowKind::learned : RowKind::other_label;
  }

  // Runs of rows of the same kind: rows are sliced, not copied.
  void learn(const Dataset& block) {
    const auto labels = block.labels();
    if (labels.empty()) throw UnusableData("the rows have no labels to learn from");
    for (std::size_t begin = 0; begin < labels.size();) {
      const RowKind kind = kind_of(labels[begin]);
      std::size_t end = begin + 1;
      while (end < labels.size() && kind_of(labels[end]) == kind) ++end;
      if (kind == RowKind::learned) {
        learner_->learn(block.slice(begin, end - begin));
        progress_.rows += end - begin;
      } else if (kind == RowKind::unlabelled) {
        progress_.unlabelled += end - begin;
      } else {
        if (!skips_) refuse_label(rows_->first_row() + begin, block, labels[begin]);
        progress_.other_labels += end - begin;
      }
      begin = end;
    }
  }

  [[noreturn]] void refuse_label(std::uint64_t row, const Dataset& block, double label) const {
    const auto& words = block.schema().label_words;
    const bool named = words.empty() || label < static_cast<double>(words.size());
    throw UnusableData(fmt::format(
        "row {} has the label {}, which is not one of the classes; name all classes "
        "that will come, or skip rows of others",
        with_separators(row + 1), named ? block.schema().label_text(label) : "of a new word"));
  }

  void save_now_and_then() {
    if (!watch_.save || progress_.rows == saved_rows_) return;
    if (clock_.seconds() - saved_at_ < stream_.save_every) return;
    watch_.save(model());
    saved_rows_ = progress_.rows;
    saved_at_ = clock_.seconds();
  }

  StreamProgress progress() const {
    StreamProgress now = progress_;
    now.features = learner_->features();
    now.seconds = clock_.seconds();
    now.progressive = learner_->progressive();
    return now;
  }

  Model model() const {
    Model model = learner_->model();
    const ProgressiveLoss& own = learner_->progressive();
    base_of(model).record.settings = recorded(begun_.options);
    base_of(model).record.stream = StreamRecord{.counted = learner_->counted(),
                                                .weight = earlier_.weight + own.weight,
                                                .loss = earlier_.loss + own.loss,
                                                .error = earlier_.error + own.error};
    return model;
  }

  const TrainOptions& options_;
  const StreamOptions& stream_;
  const StreamWatch& watch_;
  bool skips_;
  RunClock clock_;
  std::optional<RowStream> rows_;
  std::optional<OnlineLearner> learner_;
  Begun begun_;
  StreamRecord earlier_;
  StreamProgress progress_;
  Ending ending_ = Ending::finished;
  std::uint64_t saved_rows_ = 0;
  double saved_at_ = 0.0;
};

OptionInfo of_stream(std::string name, std::string meaning, std::string values = "") {
  return {.name = std::move(name),
          .group = "Streams",
          .meaning = std::move(meaning),
          .values = std::move(values)};
}

OptionTable<StreamOptions> make_table() {
  OptionInfo sample = of_stream(
      "sample",
      "Streams: size of the initial sample, which determines columns, categories, scales, classes "
      "and the index base");
  sample.kind = OptionKind::bytes;
  sample.default_text = "1M";
  return option::with_defaults(OptionTable<StreamOptions>{
      option::texts(
          of_stream("classes", "Streams: the labels of all classes; by default those in the sample",
                    "LABEL,..."),
          &StreamOptions::classes),
      option::number(std::move(sample), &StreamOptions::sample, option::at_least(1)),
      option::number(
          of_stream("save_every", "Streams: save the model every so many seconds", "SECONDS"),
          &StreamOptions::save_every, option::at_least(0))});
}

}  // namespace

const OptionTable<StreamOptions>& stream_option_table() {
  static const auto table = make_table();
  return table;
}

void StreamOptions::validate() const {
  check_ranges(stream_option_table(), *this);
}

Streamed train_stream(const std::string& path, const ReadOptions& reading,
                      const TrainOptions& options, const StreamOptions& stream,
                      const StreamWatch& watch) {
  check_options(options);
  stream.validate();
  return StreamRun(path, reading, options, stream, watch).run();
}

}  // namespace pegasos
