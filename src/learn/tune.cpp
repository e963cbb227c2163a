// The rounds of a search: the usual grid, the combinations of a wide one, and what lies beyond the
// ends of the best path. Each round follows from the results of those before it.
#include "pegasos/tune.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/run_clock.h"
#include "learn/resolve.h"
#include "learn/tune_choice.h"
#include "learn/tune_part.h"
#include "learn/tune_search.h"
#include "learn/whole_rows.h"
#include "pegasos/error.h"
#include "pegasos/options.h"

namespace pegasos {
namespace {

// Losses to try beside the first, which is the usual one.
std::vector<Loss> losses_for(const TuneOptions& options, const Dataset& data) {
  const TrainOptions train = with_task(options.train, data);
  if (train.loss) return {*train.loss};
  if (train.task == Task::regression) {
    return {Loss::epsilon_insensitive, Loss::squared_epsilon_insensitive, Loss::huber};
  }
  const bool joint = train.strategy == Strategy::joint &&
                     has_many_classes(WholeRows::of(data, ranks_of(train)).labels, train);
  if (joint) return {Loss::hinge};
  return {Loss::hinge, Loss::squared_hinge, Loss::logistic};
}

bool has_scaled_columns(const Schema& schema) {
  return schema.csv && std::any_of(schema.csv->columns.begin(), schema.csv->columns.end(),
                                   [](const CsvColumn& column) { return !column.scales.empty(); });
}

// Likewise. Columns of a table as they are in the file are not tried: their units differ.
std::vector<TableScaling> table_scalings_for(const TuneOptions& options, const Dataset& data) {
  if (options.keep_scaling || !has_scaled_columns(data.schema())) return {};
  return {TableScaling::standard, TableScaling::min_max, TableScaling::max_abs};
}

// On sparse rows, which are not centred, min_max is much the same as max_abs.
std::vector<ScalingKind> scalings_for(const TuneOptions& options, const Dataset& data) {
  if (options.keep_scaling || options.train.scaling || data.schema().csv) return {};
  return {ScalingKind::standard, data.is_dense() ? ScalingKind::min_max : ScalingKind::max_abs,
          ScalingKind::unit_row};
}

class Rounds {
 public:
  Rounds(const Dataset& data, const TuneOptions& options, const TuneWatch& watch,
         const RunPart& part)
      : options_(options), watch_(watch), part_(part) {
    rows_.emplace(scaling_of_table(options), data);
  }

  TuneResult run() {
    search(options_);
    if (result_.points.empty()) {
      if (watch_.interrupted && watch_.interrupted()) throw Cancelled();
      throw Error("the time limit was reached before the first grid point was finished");
    }
    if (options_.search == SearchKind::wide) {
      try_scalings();
      try_losses();
    }
    go_beyond();
    return std::move(result_);
  }

 private:
  static TableScaling scaling_of_table(const TuneOptions& options) {
    return options.table ? options.table->scaling : TableScaling::none;
  }

  // The data as it is scaled here. Of a table that is read again only one reading is kept beside
  // the first.
  const Dataset& rows_for(const TuneOptions& options) {
    const TableScaling scaling = scaling_of_table(options);
    if (const auto known = rows_.find(scaling); known != rows_.end()) return known->second;
    std::erase_if(rows_, [&](const auto& one) { return one.first != scaling_of_table(options_); });
    return rows_.emplace(scaling, options.table->read_again(scaling)).first->second;
  }

  // On any rank: they go on together.
  bool is_over() const {
    const auto& most = options_.train.max_seconds;
    double over = result_.interrupted || (most && !(*most > clock_.seconds())) ? 1.0 : 0.0;
    ranks_of(options_.train).sum({&over, 1});
    return over > 0.0;
  }

  // Adds the points of a grid to what was found.
  void search(TuneOptions options) {
    const std::string name = "round " + std::to_string(round_++);
    if (const auto& most = options_.train.max_seconds) {
      options.train.max_seconds = *most - clock_.seconds();
    }
    TuneResult more = search_grid(rows_for(options), options, watch_, part_.inner(name));
    if (result_.points.empty()) {
      result_ = std::move(more);
      return;
    }
    add_points(more, result_);
    choose(options_.choice, result_);
  }

  void try_scalings() {
    const Dataset& data = rows_for(options_);
    TuneOptions other = options_;
    if (options_.table) {
      for (const TableScaling scaling : table_scalings_for(options_, data)) {
        if (scaling == options_.table->scaling) continue;
        other.table->scaling = scaling;
        if (!is_over()) search(other);
      }
      return;
    }
    for (const ScalingKind scaling : scalings_for(options_, data)) {
      other.train.scaling = scaling;
      if (!is_over()) search(other);
    }
  }

  void try_losses() {
    TuneOptions other = at_combination(options_, result_.points[result_.best]);
    const std::vector<Loss> losses = losses_for(options_, rows_for(options_));
    for (std::size_t k = 1; k < losses.size(); ++k) {
      other.train.loss = losses[k];
      if (losses[k] == Loss::huber) other.epsilons.clear();  // it has none
      if (!is_over()) search(other);
    }
  }

  void go_beyond() {
    constexpr int kMost = 4;
    for (int k = 0; k < kMost && !is_over(); ++k) {
      const auto further = search_beyond(options_, result_);
      if (!further) return;
      search(*further);
    }
  }

  const TuneOptions& options_;
  const TuneWatch& watch_;
  RunPart part_;
  RunClock clock_;
  int round_ = 0;
  std::map<TableScaling, Dataset> rows_;
  TuneResult result_;
};

}  // namespace

TuneResult tune(const Dataset& data, const TuneOptions& options, const TuneWatch& watch) {
  options.validate();
  std::optional<Journal> journal;
  if (watch.checkpoint.save || options.train.resume) {
    if (ranks_of(options.train).size() > 1) {
      throw InvalidOption("ranks", "checkpoints of searches and folds are for one process");
    }
    auto settings = settings_of(tune_option_table(), options);
    for (Setting& one : settings_of(train_option_table(), options.train)) {
      settings.push_back(std::move(one));
    }
    if (options.keep_scaling) settings.push_back({"keep_scaling", "yes"});
    if (options.table) settings.push_back({"table", name_of(options.table->scaling)});
    journal.emplace(
        watch.checkpoint, options.train.resume, run_of("tune", std::move(settings)),
        [&] { return fingerprint(data, options.train.threads); }, watch.interrupted);
  }
  return saving_what_is_cancelled(journal, [&] {
    TuneResult found = tune_part(data, options, watch, journal ? RunPart(*journal) : RunPart());
    if (journal && watch.interrupted && watch.interrupted()) journal->save_now();
    return found;
  });
}

TuneResult tune_part(const Dataset& data, const TuneOptions& options, const TuneWatch& watch,
                     const RunPart& part) {
  options.validate();
  if (!data.has_labels()) throw UnusableData("the data has no labels");
  return Rounds(data, options, watch, part).run();
}

}  // namespace pegasos
