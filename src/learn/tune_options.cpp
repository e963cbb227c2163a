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
                             "Values of lambda to try; by default 11 that suit the data (7 for a "
                             "kernel machine)"),
                      &TuneOptions::lambdas, option::more_than(0)),
      option::numbers(search("cs", "X,X,...", "Values of C = 1/(lambda rows) to try"),
                      &TuneOptions::cs, option::more_than(0)),
      option::numbers(search("gammas", "X,X,...",
                             "Values of gamma to try; by default five around that of its rule, "
                             "unless gamma is given as a number"),
                      &TuneOptions::gammas, option::more_than(0)),
      option::numbers(
          search("degrees", "N,N,...",
                 "Degrees of a polynomial kernel to try; by default that of the kernel"),
          &TuneOptions::degrees, option::from_to(1, 1000)),
      option::numbers(search("epsilons", "X,X,...",
                             "Values of epsilon to try, for the epsilon-insensitive losses; by "
                             "default that of the loss"),
                      &TuneOptions::epsilons, option::at_least(0)),
      option::number(validation("folds",
                                "Parts of the rows, each held out once, with the classes spread "
                                "evenly"),
                     &TuneOptions::folds, option::at_least(2)),
      option::number(
          validation("holdout", "Hold out this share of the rows once instead: quicker, less sure"),
          &TuneOptions::holdout, option::between(0, 1)),
      option::word(
          [] {
            OptionInfo info = validation("score", "What is measured on the rows held out");
            info.default_text = "error; mae for regression";
            return info;
          }(),
          &TuneOptions::score,
          option::named(
              {Score::error, Score::accuracy, Score::f1, Score::auc, Score::mae, Score::rmse})),
      option::word(
          validation("choice",
                     "The best mean, or the strongest regularisation within one standard "
                     "error of it, which chance misleads less"),
          &TuneOptions::choice,
          option::Words<Choice>{{"best", Choice::best}, {"one-se", Choice::one_standard_error}}),
      option::number(validation("search_tolerance",
                                "How near the optimum the models of the search are; the final "
                                "model has a tolerance of its own"),
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
  if (!gammas.empty() && !has_gamma) throw InvalidOption("gammas", "no kernel here has a gamma");
  if (!degrees.empty() && (!train.kernel || train.kernel->kind != KernelKind::polynomial)) {
    throw InvalidOption("degrees", "only the polynomial kernel has a degree");
  }
  if (train.kernel && train.kernel->kind == KernelKind::precomputed) {
    throw InvalidOption("kernel", "a precomputed matrix cannot be cut into folds row by row");
  }
}

}  // namespace pegasos
