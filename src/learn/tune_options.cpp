// The table of TuneOptions.
#include "base/option_builder.h"
#include "pegasos/options.h"

namespace pegasos {
namespace {

using Table = OptionTable<TuneOptions>;

OptionInfo search(std::string name, std::string values, std::string meaning) {
  return {.name = std::move(name),
          .group = "Search",
          .meaning = std::move(meaning),
          .values = std::move(values)};
}

OptionInfo validation(std::string name, std::string meaning) {
  return {.name = std::move(name), .group = "Validation", .meaning = std::move(meaning)};
}

Table make_table() {
  Table table = {
      option::numbers(search("lambdas", "X,X,...",
                             "Values of lambda to try; by default 11 values suited to the data (7 "
                             "for kernel models)"),
                      &TuneOptions::lambdas, option::more_than(0)),
      option::numbers(search("cs", "X,X,...", "Values of C = 1/(lambda · rows) to try"),
                      &TuneOptions::cs, option::more_than(0)),
      option::numbers(search("gammas", "X,X,...",
                             "Values of gamma to try; by default five values around scale or auto, "
                             "unless gamma is given as a number"),
                      &TuneOptions::gammas, option::more_than(0)),
      option::numbers(
          search("degrees", "N,N,...",
                 "Degrees of the polynomial kernel to try; by default only that of the kernel"),
          &TuneOptions::degrees, option::from_to(1, 1000)),
      option::numbers(search("epsilons", "X,X,...",
                             "Values of epsilon to try, for the epsilon-insensitive losses; by "
                             "default only that of the loss"),
                      &TuneOptions::epsilons, option::at_least(0)),
      option::word(
          search("search", "",
                 "What to search: usual, lambda and the kernel parameters; wide, also scalings and "
                 "losses that are not given: first the scalings, then the losses with the best "
                 "scaling"),
          &TuneOptions::search,
          option::Words<SearchKind>{{"usual", SearchKind::usual}, {"wide", SearchKind::wide}}),
      option::number(validation("folds", "Number of cross-validation folds, stratified by class"),
                     &TuneOptions::folds, option::at_least(2)),
      option::number(validation("holdout",
                                "Hold out this fraction of the rows instead of cross-validating: "
                                "faster but less reliable"),
                     &TuneOptions::holdout, option::between(0, 1)),
      option::word(
          [] {
            OptionInfo info = validation("score", "Score on the held-out rows");
            info.default_text = "error; mae for regression";
            return info;
          }(),
          &TuneOptions::score,
          option::named(
              {Score::error, Score::accuracy, Score::f1, Score::auc, Score::mae, Score::rmse})),
      option::word(
          validation("choice",
                     "Choose the best mean score, or the strongest regularisation within one "
                     "standard error of it (less prone to overfitting)"),
          &TuneOptions::choice,
          option::Words<Choice>{{"best", Choice::best}, {"one-se", Choice::one_standard_error}}),
      option::number(validation("search_tolerance",
                                "Relative duality gap for the models of the search; the final "
                                "model uses the tolerance of training"),
                     &TuneOptions::tolerance, option::more_than(0)),
  };
  return option::with_defaults(std::move(table));
}

}  // namespace

const OptionTable<TuneOptions>& tune_option_table() {
  static const Table table = make_table();
  return table;
}

void TuneOptions::validate() const {
  train.validate();
  if (!lambdas.empty() && !cs.empty()) {
    throw InvalidOption("lambdas", "give lambdas or Cs, not both");
  }
  check_ranges(tune_option_table(), *this);
  const bool has_gamma = train.kernel && train.kernel->uses_gamma();
  if (!gammas.empty() && !has_gamma) throw InvalidOption("gammas", "this kernel has no gamma");
  if (!degrees.empty() && (!train.kernel || train.kernel->kind != KernelKind::polynomial)) {
    throw InvalidOption("degrees", "only the polynomial kernel has a degree");
  }
  if (train.kernel && train.kernel->kind == KernelKind::precomputed) {
    throw InvalidOption("kernel", "a precomputed kernel matrix cannot be split into folds");
  }
}

}  // namespace pegasos
