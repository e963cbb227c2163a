// The fast svmlight reader against the plain one: same accept or reject, same places, same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/read.h"
#include "support/reference_svmlight.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::Place;
using testing::reference_svmlight;

struct Outcome {
  std::optional<Dataset> data;
  std::vector<Place> errors;
};

Outcome outcome_of(const std::string& text, ReadOptions options = {}) {
  options.format = DataFormat::svmlight;
  options.keep_sparse = true;
  try {
    return {read_dataset_from_memory(text, "memory", options).data, {}};
  } catch (const ParseError& error) {
    Outcome outcome;
    for (const auto& d : error.diagnostics()) outcome.errors.push_back({d.line, d.column});
    return outcome;
  }
}

// "" if the two agree, else what differs.
std::string difference(const std::string& text, std::optional<std::uint32_t> base = std::nullopt) {
  ReadOptions options;
  options.threads = 2;
  options.index_base = base;
  auto expected = reference_svmlight(text, base);
  const Outcome outcome = outcome_of(text, options);
  if (!expected.errors.empty()) {
    if (expected.errors.size() > options.max_errors) expected.errors.resize(options.max_errors);
    if (outcome.data) return "accepted, but the reference complains";
    return outcome.errors == expected.errors ? "" : "other places";
  }
  if (expected.rows.empty()) {
    return outcome.errors == std::vector<Place>{{0, 0}} ? "" : "no rows, but not refused";
  }
  if (!outcome.data) return "refused, but the reference accepts";
  const Dataset& data = *outcome.data;
  const Schema& schema = data.schema();
  if (data.rows() != expected.rows.size()) return "another number of rows";
  if (schema.indices.base() != base.value_or(expected.has_index_zero ? 0 : 1)) return "index base";
  const bool sets = std::any_of(expected.rows.begin(), expected.rows.end(),
                                [](const auto& row) { return row.set.has_value(); });
  if (schema.multilabel != sets) return "sets of labels";
  for (std::size_t i = 0; i < data.rows(); ++i) {
    auto row = expected.rows[i];
    const double label = data.label(i);
    if (row.set) row.word = row.set;
    if (sets && row.number) row.word = fmt::format("{}", *row.number + 0.0);
    if (row.word) {
      if (schema.label_words.at(static_cast<std::size_t>(label)) != *row.word) return "label word";
    } else if (row.number) {
      if (std::bit_cast<std::uint64_t>(label) != std::bit_cast<std::uint64_t>(*row.number)) {
        return "label bits";
      }
    } else if (!std::isnan(label)) {
      return "label where none is";
    }
    const RowView view = data.row(i);
    if (view.values.size() != row.values.size()) return "another number of values";
    if (!view.ids.empty() && view.ids.back() >= data.features()) return "an id without a feature";
    std::size_t j = 0;
    for (const auto& [index, value] : row.values) {
      if (schema.indices.index_of(view.ids[j]) != index) return "index";
      if (std::bit_cast<std::uint32_t>(view.values[j]) != std::bit_cast<std::uint32_t>(value)) {
        return "value bits";
      }
      ++j;
    }
  }
  if (!std::is_sorted(schema.label_words.begin(), schema.label_words.end()))
    return "words unsorted";
  return "";
}

const std::vector<std::string> kLabels = {"+1", "-1",  "1",     "0.5", "1e3", "spam", "ham",
                                          "",   "nan", "1e400", "1,3", "-",   "x:1"};
const std::vector<std::string> kIndices = {"1",
                                           "2",
                                           "3",
                                           "17",
                                           "00005",
                                           "0",
                                           "12345678",
                                           "4294967295",
                                           "4294967296",
                                           "abc",
                                           "",
                                           "-1",
                                           "99999999999999999999",
                                           "qid"};
const std::vector<std::string> kValues = {"1",
                                          "0.5",
                                          "-2.25",
                                          "1e-3",
                                          "1E5",
                                          "+7",
                                          ".5",
                                          "5.",
                                          "0",
                                          "-0.0",
                                          "123456789",
                                          "0.1234567",
                                          "3.4028235e38",
                                          "3.4028236e38",
                                          "1e39",
                                          "1e-46",
                                          "1e-44",
                                          "nan",
                                          "inf",
                                          "-Infinity",
                                          "",
                                          "1e",
                                          "0x10",
                                          "1_0",
                                          "1.2.3",
                                          "--1",
                                          "16777217",
                                          "0.000000000000000000000000000000000000000000001",
                                          "8.589973e9",
                                          "1.00000005960464477539",
                                          "12345678901234567890",
                                          "9007199254740993e-5"};

rc::Gen<std::string> any_of(const std::vector<std::string>& pool) {
  // The earlier, ordinary entries come up more often.
  return rc::gen::map(rc::gen::inRange<std::size_t>(0, pool.size() * 3), [&pool](std::size_t i) {
    return pool[i < pool.size() ? i : (i - pool.size()) % std::min<std::size_t>(6, pool.size())];
  });
}

rc::Gen<std::string> some_line() {
  return rc::gen::exec([] {
    std::string line = *any_of(kLabels);
    const int features = *rc::gen::inRange(0, 6);
    for (int i = 0; i < features; ++i) {
      line += *rc::gen::element<std::string>(" ", " ", " ", "  ", "\t", "");
      line += *any_of(kIndices);
      line += *rc::gen::element<std::string>(":", ":", ":", ":", ":", ":", " ", "");
      line += *any_of(kValues);
    }
    line += *rc::gen::element<std::string>("", "", "", " ", " # note 1:2", "#x", "\r", "\t");
    return line;
  });
}

rc::Gen<std::string> some_file() {
  return rc::gen::exec([] {
    std::string text = *rc::gen::element<std::string>("", "", "\xef\xbb\xbf");
    for (const auto& line : *rc::gen::container<std::vector<std::string>>(some_line())) {
      text += line + *rc::gen::element<std::string>("\n", "\n", "\r\n");
    }
    if (*rc::gen::arbitrary<bool>() && !text.empty()) text.pop_back();
    return text;
  });
}

TEST(SvmlightReference, AgreesOnRandomFiles) {
  EXPECT_TRUE(rc::check("random files", [] {
    const std::string text = *some_file();
    const auto base = *rc::gen::element<std::optional<std::uint32_t>>(std::nullopt, 0u, 1u);
    if (text.empty()) return;
    RC_ASSERT(difference(text, base) == "");
  }));
}

TEST(SvmlightReference, AgreesOnMutatedFiles) {
  const std::string good =
      "+1 1:0.25 7:1 12:-3.5e2\n-1 2:1 3:0.000123\n# remark\n+1 5:2 # tail\n-1\n+1 4:1 9:8\n";
  EXPECT_TRUE(rc::check("mutated files", [&good] {
    std::string text = good;
    const int changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      const char byte = *rc::gen::oneOf(rc::gen::element(':', ' ', '\n', '\r', '#', '.', '-', 'e'),
                                        rc::gen::inRange<char>(0, 127));  // others are converted
      switch (*rc::gen::inRange(0, 3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, 1);
          break;
      }
    }
    RC_ASSERT(difference(text) == "");
  }));
}

TEST(SvmlightReference, AgreesAcrossBlockBoundaries) {
  // Far larger than one block, with complaints and words placed by a simple counter.
  std::string text;
  for (int i = 0; i < 60000; ++i) {
    text += i % 2 == 0 ? "+1" : "-1";
    text += " " + std::to_string(1 + i % 7) + ":0." + std::to_string(i) + " " +
            std::to_string(20 + i % 50) + ":" + std::to_string(i % 3) + "\n";
  }
  EXPECT_EQ(difference(text), "");
  std::string broken = text;
  broken.replace(broken.rfind("\n-1 "), 4, "\n-1 x");
  broken.replace(broken.find("\n+1 ", broken.size() / 2), 4, "\n+x ");
  EXPECT_EQ(difference(broken), "");
}

TEST(SvmlightReference, AgreesOnRealFiles) {
  const std::string folder = testing::real_data_folder();
  if (folder.empty()) GTEST_SKIP() << "PEGASOS_DATA is not set";
  for (const char* name : {"heart_scale", "svmguide1", "a9a", "covtype_20k.scale01", "w8a"}) {
    // Through xz: the reference gets the text by way of the shell.
    testing::TemporaryFolder temporary;
    const std::string plain = temporary.path(name);
    const std::string command = "xz -dc '" + folder + "/" + name + ".xz' > '" + plain + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << name;
    const std::string text = testing::contents_of(plain);
    EXPECT_EQ(
        difference(text.substr(0, text.find('\n', std::min<std::size_t>(text.size() - 1, 400000)))),
        "")
        << name;
    const auto packed = read_dataset(folder + "/" + name + ".xz");
    const auto unpacked = read_dataset(plain);
    EXPECT_EQ(packed.notes.compression, "xz");
    EXPECT_EQ(packed.data.rows(), unpacked.data.rows());
    EXPECT_EQ(packed.data.non_zeros(), unpacked.data.non_zeros());
  }
}

}  // namespace
}  // namespace pegasos
