// Doctor: checks data for common problems before training, and suggests remedies.
//
//   scale        features whose largest values differ by orders of magnitude
//   constant     columns with the same value in every row
//   duplicate    duplicates of an earlier row
//   conflict     duplicates of an earlier row with a different label
//   imbalance    a class with at most 1 % of the rows
//   empty        rows without a value
//   unlabelled   rows without a label in data that has labels
//   overlap      test rows that are also training rows
//
// Rows are compared by content, independent of layout: first by XXH3 hash, then in full. Results do
// not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/error.h"

namespace pegasos {

enum class SymptomKind {
  scale,
  constant,
  duplicate,
  conflict,
  imbalance,
  empty,
  unlabelled,
  overlap
};

std::string name_of(SymptomKind kind);  // "scale", "constant", …

enum class Severity {
  slight,  // worth knowing
  serious  // likely to reduce accuracy or to invalidate an evaluation
};

struct Symptom {
  SymptomKind kind = SymptomKind::scale;
  Severity severity = Severity::slight;
  std::uint64_t count = 0;            // of rows, features or classes that have it
  std::uint64_t of = 0;               // out of so many
  std::vector<std::string> examples;  // "row 17 = row 3", "age (up to 9.1e+06)"
  std::string finding;                // "12 of 4,177 rows are equal to an earlier row"
  Hint remedy;                        // what to do, as half a sentence
};

struct DoctorOptions {
  std::size_t examples = 5;  // to name at most
  int threads = 0;           // 0: as many as the process may use

  void validate() const;  // throws InvalidOption
};

// Serious ones first, else in the order above.
std::vector<Symptom> diagnose(const Dataset& data, const DoctorOptions& options = {});
// The same with test data of the same features, which is looked at for overlap only.
std::vector<Symptom> diagnose(const Dataset& data, const Dataset& test,
                              const DoctorOptions& options = {});

}  // namespace pegasos
