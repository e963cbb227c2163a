// The table of GenerateOptions, and what each kind of data asks of them.
#include <fmt/format.h>

#include "base/option_builder.h"
#include "data/row_maker.h"
#include "data/row_text.h"
#include "pegasos/generate.h"

namespace pegasos {
namespace {

// The vocabulary is a table in memory, 17 bytes a word.
constexpr std::uint32_t kMostWords = std::uint32_t{1} << 26;
constexpr double kMostNoise = 1e6;  // beyond, values would leave the range of a float

bool is_regression(GeneratedKind kind) {
  return kind == GeneratedKind::linear || kind == GeneratedKind::friedman;
}

std::uint32_t fewest_features(GeneratedKind kind) {
  switch (kind) {
    case GeneratedKind::moons:
    case GeneratedKind::xor_squares:
      return 2;
    case GeneratedKind::friedman:
      return 5;
    default:
      return 1;
  }
}

OptionInfo generated(std::string name, std::string meaning) {
  return {.name = std::move(name), .group = "Options", .meaning = std::move(meaning)};
}

OptionEntry<GenerateOptions> rows_entry() {
  auto entry =
      option::number(generated("rows", "Number of rows, for example 1000, 200k, 2M or 1e6"),
                     &GenerateOptions::rows, option::at_least(1));
  entry.check = [](const GenerateOptions& options) {
    constexpr std::uint64_t kMostRows = std::uint64_t{1} << 62;
    if (options.rows < 1 || options.rows > kMostRows) {
      throw InvalidOption("rows", "must be from 1 to 2^62");
    }
  };
  return entry;
}

OptionTable<GenerateOptions> make_table() {
  using Kind = GeneratedKind;
  option::Range share_of_errors = option::from_to(0, 1);
  share_of_errors.rule = "must be at least 0 and below 1";
  share_of_errors.most = std::nextafter(1.0, 0.0);
  return option::with_defaults<GenerateOptions>({
      option::word(generated("kind",
                             "Kind of data: text is sparse documents; blobs, moons and xor are "
                             "clusters, two half circles and four squares of points; linear and "
                             "friedman are regression problems"),
                   &GenerateOptions::kind,
                   option::named({Kind::text, Kind::blobs, Kind::moons, Kind::xor_squares,
                                  Kind::linear, Kind::friedman})),
      rows_entry(),
      option::number(generated("seed", "Random seed; the same seed gives the same result"),
                     &GenerateOptions::seed, option::at_least(0)),
      option::number(generated("features",
                               "Number of features (text 50000, blobs and linear 20, moons and xor "
                               "2, friedman 10)"),
                     &GenerateOptions::features, option::at_least(1)),
      option::number(generated("words_per_row", "text: mean number of distinct words per row"),
                     &GenerateOptions::words_per_row, option::at_least(1)),
      option::number(generated("classes", "text, blobs: number of classes, 2 to 1000"),
                     &GenerateOptions::classes, option::from_to(2, 1000)),
      option::number(generated("positive_share",
                               "Fraction of rows in the positive (or last) class, between 0 and 1; "
                               "by default all classes have the same size"),
                     &GenerateOptions::positive_share, option::between(0, 1)),
      option::number(generated("label_noise", "Fraction of rows with a wrong label"),
                     &GenerateOptions::label_noise, share_of_errors),
      option::number(generated("noise",
                               "Standard deviation of the points, or of the noise in the "
                               "regression target (moons 0.15, xor 0.05, otherwise 1)"),
                     &GenerateOptions::noise, option::from_to(0, kMostNoise)),
  });
}

void check_for_kind(const GenerateOptions& options) {
  const bool text = options.kind == GeneratedKind::text;
  const std::uint32_t features = features_of(options);
  if (features < fewest_features(options.kind)) {
    throw InvalidOption("features",
                        fmt::format("this kind needs at least {}", fewest_features(options.kind)));
  }
  const std::uint64_t most = text ? kMostWords : CsvText::kMostFeatures;
  if (features > most) {
    throw InvalidOption("features", fmt::format("this kind has at most {}", most));
  }
  if (text && options.words_per_row > features) {
    throw InvalidOption("words_per_row",
                        fmt::format("{} distinct words per row of only {} features",
                                    options.words_per_row, features));
  }
  if (text && options.noise) {
    throw InvalidOption("noise", "not used for text; use label_noise");
  }
  if (options.classes != 2 && !text && options.kind != GeneratedKind::blobs) {
    throw InvalidOption("classes",
                        "only text and blobs can have a number of classes other than two");
  }
  if (is_regression(options.kind) && options.positive_share) {
    throw InvalidOption("positive_share", "regression data has no classes");
  }
  if (is_regression(options.kind) && options.label_noise > 0) {
    throw InvalidOption("label_noise", "regression data has no classes; use noise");
  }
}

}  // namespace

std::string name_of(GeneratedKind kind) {
  switch (kind) {
    case GeneratedKind::text:
      return "text";
    case GeneratedKind::blobs:
      return "blobs";
    case GeneratedKind::moons:
      return "moons";
    case GeneratedKind::xor_squares:
      return "xor";
    case GeneratedKind::linear:
      return "linear";
    case GeneratedKind::friedman:
      break;
  }
  return "friedman";
}

const OptionTable<GenerateOptions>& generate_option_table() {
  static const OptionTable<GenerateOptions> table = make_table();
  return table;
}

void GenerateOptions::validate() const {
  check_ranges(generate_option_table(), *this);
  check_for_kind(*this);
}

}  // namespace pegasos
