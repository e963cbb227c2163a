// Text columns: terms, their weights against the formula, hashing, and no dependence on threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/csv_values.h"
#include "data/csv_words.h"
#include "data/piece_table.h"
#include "data/row_block.h"
#include "data/schema_json.h"
#include "data/term_index.h"
#include "data/term_sorter.h"
#include "data/text_terms.h"
#include "pegasos/error.h"
#include "pegasos/read.h"

namespace pegasos::testing {
namespace {

std::map<std::string, int> terms_of(const std::string& text, TextRules rules) {
  std::map<std::string, int> counts;
  TermMaker maker(rules);
  maker.each(text, [&counts](std::string_view term) { ++counts[std::string(term)]; });
  return counts;
}

constexpr TextRules kWords = {.word_grams = 2, .char_from = 0, .char_to = 0};

TEST(Text, CutsWords) {
  EXPECT_EQ(terms_of("Free, FREE entry!", kWords), (std::map<std::string, int>{{"free", 2},
                                                                               {"entry", 1},
                                                                               {"!", 1},
                                                                               {"free free", 1},
                                                                               {"free entry", 1},
                                                                               {"entry !", 1}}));
  EXPECT_EQ(terms_of("", kWords), (std::map<std::string, int>{}));
  EXPECT_EQ(terms_of(" .,; ", kWords), (std::map<std::string, int>{}));
}

TEST(Text, FoldsCaseOfManyScripts) {
  const TextRules single = {.word_grams = 1, .char_from = 0, .char_to = 0};
  EXPECT_EQ(
      terms_of("ÄPFEL ΣΊΣΥΦΟΣ ЁЖ Ňu Ÿ", single),
      (std::map<std::string, int>{{"äpfel", 1}, {"σίσυφοσ", 1}, {"ёж", 1}, {"ňu", 1}, {"ÿ", 1}}));
  EXPECT_EQ(terms_of("中文£5", single),
            (std::map<std::string, int>{{"中", 1}, {"文", 1}, {"£", 1}, {"5", 1}}));
  // Not UTF-8: Latin-1.
  EXPECT_EQ(terms_of("caf\xc9", single), (std::map<std::string, int>{{"café", 1}}));
}

TEST(Text, CutsCharacters) {
  const TextRules chars = {.word_grams = 0, .char_from = 3, .char_to = 4};
  EXPECT_EQ(terms_of("Ab é", chars),
            (std::map<std::string, int>{{"~ ab", 1}, {"~ab ", 1}, {"~ ab ", 1}, {"~ é ", 1}}));
}

// Some words of every kind of key: short and long ones, of one byte a character and of more, and
// characters that are words by themselves, or both letters and blanks.
std::string some_text(unsigned& state) {
  static const std::vector<std::string> parts = {
      "a",        "be", "Sea",  "the",     "seventh",   "eighteen",    "incomprehensibilities",
      "é",        "ÄÖ", "ёжик", "中文",    "£",         "!",           "?",
      "~a",       "~",  "_x",   "caf\xc9", "\u1680",    "\ufeff",      "x.y",
      "12345678", "\t", "",     "x\x7fy",  "1\x01\x80", "seven77\x7f", std::string(70, 'q')};
  std::string text;
  const unsigned words = (state = state * 1664525U + 1013904223U) >> 28;
  for (unsigned k = 0; k < words; ++k) {
    state = state * 1664525U + 1013904223U;
    text += parts[(state >> 16) % parts.size()];
    if ((state >> 10) % 4 != 0) text += ' ';
  }
  return text;
}

TEST(TermIndex, CountsWhatTheMakerMakes) {
  const TextRules all_rules[] = {kWords,
                                 {.word_grams = 3, .char_from = 3, .char_to = 5},
                                 {.word_grams = 0, .char_from = 1, .char_to = 9},
                                 {.word_grams = 1, .char_from = 2, .char_to = 3}};
  for (const TextRules& rules : all_rules) {
    RowBlock rows;
    CsvValues values(rows, 0);
    WordList words;
    words.add(7, {"of another column", false});
    TermIndex index(rules, 3, words);
    unsigned state = 1;
    for (int cell = 0; cell < 400; ++cell) {
      const std::string text = some_text(state);
      const std::size_t begin = values.stored();
      index.store(text, 10, 0, values);
      std::map<std::string, int> counts;
      for (std::size_t e = 0; e < values.stored() - begin; ++e) {
        const std::size_t k = values.features_from(begin)[e] - 10;
        EXPECT_EQ(words.column(k), 3U);
        const bool is_new =
            counts.emplace(words.text(k), static_cast<int>(values.values_from(begin)[e])).second;
        EXPECT_TRUE(is_new) << words.text(k);
      }
      ASSERT_EQ(counts, terms_of(text, rules)) << text;
    }
    std::set<std::string> distinct;
    for (std::size_t k = 0; k < words.size(); ++k) distinct.emplace(words.text(k));
    EXPECT_EQ(distinct.size(), words.size());
  }
}

TEST(PieceTable, KeepsPiecesUntilThereAreTooMany) {
  PieceTable table;
  const auto piece = [](std::uint32_t i) {
    return fmt::format("{}{}", i % 2 == 0 ? "p" : "a piece of many bytes ", i);
  };
  constexpr std::uint32_t kNumbers = 100;
  std::uint32_t first = 0;  // of those that must still be there
  for (std::uint32_t i = 0; i < 15'000; ++i) {
    const std::string text = piece(i) + "        ";
    const std::string_view view(text.data(), piece(i).size());
    const std::uint64_t key = term_key::of(view, false);
    table.begin_text(1);
    if (i > 0 && table.numbers().empty()) first = i;
    EXPECT_EQ(table.find(key, view), nullptr);
    const auto begin = static_cast<std::uint32_t>(table.numbers().size());
    table.numbers().insert(table.numbers().end(), kNumbers, i);
    table.add(key, view, {begin, 1, kNumbers - 1});
  }
  EXPECT_GT(first, 0U);
  EXPECT_LT(first, 15'000U);
  for (std::uint32_t i = first; i < 15'000; ++i) {
    const std::string text = piece(i) + "        ";
    const std::string_view view(text.data(), piece(i).size());
    const PieceTable::Terms* const terms = table.find(term_key::of(view, false), view);
    ASSERT_NE(terms, nullptr);
    EXPECT_EQ(table.words_of(*terms)[0], i);
    EXPECT_EQ(table.chars_of(*terms).size(), kNumbers - 1);
    EXPECT_EQ(table.chars_of(*terms).back(), i);
  }
}

TEST(TermSorter, SortsFewAndManyFeatures) {
  for (const std::size_t features : {std::size_t{70}, std::size_t{100'000}, std::size_t{3} << 20}) {
    TermSorter sorter(features);
    unsigned state = 5;
    for (int cell = 0; cell < 20; ++cell) {
      std::map<FeatureId, float> expected = {{0, 1.0F},
                                             {static_cast<FeatureId>(features - 1), 2.0F}};
      for (int k = 0; k < 60; ++k) {
        state = state * 1664525U + 1013904223U;
        expected.emplace(state % features, 1.0F + static_cast<float>(k));
      }
      for (auto it = expected.rbegin(); it != expected.rend(); ++it) {
        sorter.add(it->first, it->second);
        if (cell % 2 == 0) sorter.add(static_cast<FeatureId>(-1), 7.0F);  // which is dropped
      }
      const TermSorter::Terms terms = sorter.drain();
      ASSERT_EQ(expected.size(), terms.features.size());
      std::vector<std::pair<FeatureId, float>> drained;
      for (std::size_t k = 0; k < terms.features.size(); ++k) {
        drained.emplace_back(terms.features[k], terms.counts[k]);
      }
      const std::vector<std::pair<FeatureId, float>> sorted(expected.begin(), expected.end());
      EXPECT_EQ(drained, sorted);
    }
  }
}

TEST(Text, SurvivesAnyBytes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::string text;
    unsigned state = seed;
    for (int i = 0; i < 60; ++i) {
      state = state * 1664525U + 1013904223U;
      text += static_cast<char>(state >> 24);
    }
    terms_of(text, {.word_grams = 3, .char_from = 1, .char_to = 16});
  }
}

std::string documents(int rows) {
  std::string file;
  const char* const words[] = {"red", "green", "blue", "fish", "bird", "tree", "stone"};
  unsigned state = 3;
  for (int i = 0; i < rows; ++i) {
    file += i % 2 == 0 ? "a\t" : "b\t";
    for (int k = 0; k < 8; ++k) {
      state = state * 1664525U + 1013904223U;
      file += fmt::format("{}{} ", words[(state >> 8) % 7], (state >> 16) % 50);
    }
    file += "\n";
  }
  return file;
}

TEST(Text, WeighsTermsByTheFormula) {
  ReadOptions options;
  options.threads = 1;
  options.text = {.word_grams = 1, .char_from = 0, .char_to = 0, .least_rows = 1, .hash_bits = 0};
  options.column_kinds = {{"t", ColumnKind::text}};
  const std::string file = "t,y\nx x x q,1\nx w,0\nw w,1\n";
  const auto data = read_dataset_from_memory(file, "memory", options).data;
  EXPECT_EQ(data.schema().csv->columns[0].words, (std::vector<std::string>{"q", "w", "x"}));
  const auto idf = [](double rows) { return 1 + std::log(4 / (1 + rows)); };
  const double x = (1 + std::log(3)) * idf(2);
  const double norm = std::hypot(x, idf(1));
  std::map<std::string, float> row;
  const RowView view = data.row(0);
  for (std::size_t k = 0; k < view.values.size(); ++k) {
    const auto id = view.dense ? static_cast<FeatureId>(k) : view.ids[k];
    row[data.schema().feature_name(id)] = view.values[k];
  }
  EXPECT_NEAR(row["t:x"], x / norm, 1e-6);
  EXPECT_NEAR(row["t:q"], idf(1) / norm, 1e-6);
}

TEST(Text, IsTheSameOnAnyNumberOfThreadsAndWithItsSchema) {
  const std::string file = documents(9000);  // several blocks
  ReadOptions options;
  options.threads = 1;
  const auto one = read_dataset_from_memory(file, "memory", options);
  EXPECT_EQ(one.notes.columns[1].kind, ColumnKind::text);
  ReadOptions with = options;
  with.schema = one.data.shared_schema();
  options.threads = 3;
  const auto three = read_dataset_from_memory(file, "memory", options);
  EXPECT_EQ(three.data.schema(), one.data.schema());
  const auto again = read_dataset_from_memory(file, "memory", with);
  for (std::size_t i = 0; i < one.data.rows(); ++i) {
    const RowView a = one.data.row(i);
    EXPECT_NEAR(a.squared_norm(), 1.0, 1e-5);
    for (const Dataset* other : {&three.data, &again.data}) {
      const RowView b = other->row(i);
      ASSERT_TRUE(std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end())) << i;
      ASSERT_TRUE(std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end()));
    }
  }
}

// More words than are kept from block to block, each in two blocks far apart.
TEST(Text, HasAnyNumberOfWords) {
  constexpr std::size_t kWordsInRow = 20;
  constexpr std::size_t kRows = CsvWords::kMost / kWordsInRow * 3 / 2;
  std::string file;
  for (std::size_t i = 0; i < 2 * kRows; ++i) {
    file += i % 2 == 0 ? "a\t" : "b\t";
    for (std::size_t k = 0; k < kWordsInRow; ++k) {
      file += fmt::format("w{} ", i % kRows * kWordsInRow + k);
    }
    file += "\n";
  }
  ReadOptions options;
  options.text = {.word_grams = 1, .char_from = 0, .char_to = 0, .least_rows = 2, .hash_bits = 0};
  options.threads = 1;
  const auto one = read_dataset_from_memory(file, "memory", options);
  EXPECT_EQ(one.data.features(), kRows * kWordsInRow);
  EXPECT_EQ(one.data.non_zeros(), 2 * kRows * kWordsInRow);
  options.threads = 3;
  const auto three = read_dataset_from_memory(file, "memory", options);
  EXPECT_EQ(three.data.schema(), one.data.schema());
  for (std::size_t i = 0; i < one.data.rows(); i += 97) {
    const RowView a = one.data.row(i);
    const RowView b = three.data.row(i);
    EXPECT_TRUE(std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end()));
    std::set<std::string> words;
    for (const FeatureId id : a.ids) {
      const std::string name = one.data.schema().feature_name(id);
      words.insert(name.substr(name.find('w')));
    }
    for (std::size_t k = 0; k < kWordsInRow; ++k) {
      EXPECT_TRUE(words.contains(fmt::format("w{}", i % kRows * kWordsInRow + k)));
    }
  }
}

TEST(Text, DropsRareTerms) {
  ReadOptions options;
  options.threads = 1;
  options.text.char_from = options.text.char_to = 0;
  const auto count = [&](std::uint32_t least) {
    options.text.least_rows = least;
    return read_dataset_from_memory(documents(200), "memory", options).data.features();
  };
  EXPECT_GT(count(1), count(2));
  EXPECT_GT(count(2), count(5));
}

TEST(Text, HashesTerms) {
  ReadOptions options;
  options.threads = 1;
  options.text = {.word_grams = 1, .char_from = 0, .char_to = 0, .least_rows = 2, .hash_bits = 8};
  const auto hashed = read_dataset_from_memory(documents(400), "memory", options);
  EXPECT_EQ(hashed.data.features(), 256U);
  EXPECT_EQ(hashed.data.schema().feature_name(7), "column 2#7");
  // 7 · 50 terms fall into 256 features.
  EXPECT_NE(hashed.notes.columns[1].remark.find("350 distinct terms in "), std::string::npos)
      << hashed.notes.columns[1].remark;
  ReadOptions with = options;
  with.schema = hashed.data.shared_schema();
  const auto again = read_dataset_from_memory(documents(400), "memory", with);
  for (std::size_t i = 0; i < 400; ++i) {
    const RowView a = hashed.data.row(i);
    const RowView b = again.data.row(i);
    ASSERT_TRUE(std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end()));
  }
}

TEST(Text, VocabulariesAreWrittenAsTheJsonLibraryWould) {
  Schema schema;
  schema.source = DataFormat::csv;
  CsvColumn column;
  column.role = CsvColumn::Role::text;
  column.text.rules.char_from = 3;
  column.text.rules.char_to = 5;
  for (int i = 0; i < 400; ++i) column.words.push_back("term " + std::to_string(i));
  for (const char* odd : {"\"", "\\", "\x01", "\x7f", "\xff", "\xc3\xa4", "~\xe2\x90\xa3x"}) {
    column.words.emplace_back(odd);
  }
  std::sort(column.words.begin(), column.words.end());
  for (std::uint32_t k = 0; k < column.words.size(); ++k) column.text.term_rows.push_back(k * k);
  schema.csv.emplace();
  schema.csv->columns = {column};
  // The second name looks like the mark that stands for a vocabulary while it is written.
  for (const char* name : {"text",
                           "\x01"
                           "array 0"}) {
    schema.csv->columns[0].name = name;
    const std::string text = schema_to_json(schema);
    EXPECT_EQ(schema_from_json(text, {}), schema);
    EXPECT_EQ(nlohmann::json::parse(text).dump(), text);
    EXPECT_EQ(std::string::npos, text.find("array 1")) << "the mark of an array was left";
  }
}

TEST(Text, VocabulariesAreReadAsTheJsonLibraryWould) {
  const auto with_words = [](const std::string& words, const std::string& rows) {
    return R"({"csv":{"columns":[{"name":"t","role":"text","text":{"char_from":0,"char_to":0,)"
           R"("hash_bits":0,"least_rows":1,"rows":9,"term_rows":)" +
           rows + R"(,"word_grams":1},"words":)" + words +
           R"(}],"delimiter":",","has_header":true,"missing":"zero"},"feature_names":[],)"
           R"("index_base":1,"index_count":0,"label_words":[],"source":"csv"})";
  };
  using Words = std::vector<std::string>;
  const auto words_of = [&](const std::string& words, const std::string& rows) {
    return schema_from_json(with_words(words, rows), {}).csv->columns[0].words;
  };
  EXPECT_EQ(words_of(R"(["a","b\"\\","c\u00e4","\u00e4"])", "[1,2,3,4]"),
            (Words{"a", "b\"\\", "c\xc3\xa4", "\xc3\xa4"}));
  EXPECT_EQ(words_of("[]", "[]"), Words{});
  EXPECT_EQ(words_of(R"([ "a" , "b" ])", "[ 1 , 2 ]"), (Words{"a", "b"}));
  EXPECT_EQ(words_of(R"(["a",{"bytes":"\u00ff"}])", "[1,2]"), (Words{"a", "\xff"}));
  for (const char* bad : {R"(["b","a"])", R"(["a","a"])", R"(["a",7])", R"(["a" "b"])",
                          R"(["a","b)", R"(["a","\)", R"(["a",])", "7", "0", R"(["a","b\q"])",
                          "[\"a\",\"\xff\"]", "[\"a\",\"\x01\"]", R"(["a"],"x":["b"])"}) {
    EXPECT_THROW(words_of(bad, "[1,2]"), Error) << bad;
  }
  for (const char* bad : {"[1]", "[1,-2]", "[1,2.5]", "[1,2,]", "[1,2", "[1,\"2\"]", "1", "{}"}) {
    EXPECT_THROW(words_of(R"(["a","b"])", bad), Error) << bad;
  }
}

TEST(Text, MarksOfTermsAreNoPartOfOtherWords) {
  std::string text = "word,label\n";
  for (int i = 0; i < 30; ++i) {
    text += std::string(i % 3 == 0 ? "~a" : i % 3 == 1 ? "a" : "~~a") + "," + std::to_string(i % 2);
    text += "\n";
  }
  const Dataset data = read_dataset_from_memory(text, "memory").data;
  EXPECT_EQ(data.schema().csv->columns[0].words, (std::vector<std::string>{"a", "~a", "~~a"}));
}

TEST(Text, RefusesImpossibleRules) {
  EXPECT_THROW((TextRules{.word_grams = 0, .char_from = 0, .char_to = 0}.validate()),
               InvalidOption);
  EXPECT_THROW((TextRules{.char_from = 5, .char_to = 3}.validate()), InvalidOption);
  EXPECT_THROW((TextRules{.hash_bits = 40}.validate()), InvalidOption);
}

}  // namespace
}  // namespace pegasos::testing
