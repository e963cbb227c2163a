// The model file: round trip bit for bit, atomic saving, and no damaged or hostile file is loaded.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/model.h"
#include "support/models.h"
#include "support/section_bytes.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::full_model;
using testing::plain_model;
using testing::TemporaryFolder;

constexpr std::string_view kMagic = "\x89PGM\r\n\x1a\n";

std::string saved(const LinearModel& model) {
  TemporaryFolder folder;
  save_model(model, folder.path("model"));
  return contents_of(folder.path("model"));
}

LinearModel loaded(const std::string& bytes) {
  return std::get<LinearModel>(load_model_from_memory(bytes, "memory"));
}

void expect_round_trip(const LinearModel& model) {
  const std::string bytes = saved(model);
  const LinearModel back = loaded(bytes);
  EXPECT_EQ(back, model);
  ASSERT_EQ(back.w.size(), model.w.size());
  for (std::size_t i = 0; i < model.w.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.w[i]), std::bit_cast<std::uint64_t>(model.w[i]));
  }
  EXPECT_EQ(std::bit_cast<std::uint64_t>(back.b), std::bit_cast<std::uint64_t>(model.b));
  EXPECT_EQ(saved(back), bytes);
  EXPECT_EQ(save_model_to_memory(model), bytes);
}

LinearModel with_schema(const Schema& schema) {
  LinearModel model = plain_model(std::vector<double>(schema.feature_count(), 0.5));
  model.schema = std::make_shared<const Schema>(schema);
  if (!schema.label_words.empty()) {
    model.labels = {1, 0};
  }
  return model;
}

Schema csv_schema() {
  Schema schema;
  schema.source = DataFormat::csv;
  schema.csv = CsvLayout{';',
                         true,
                         MissingValues::mean,
                         {{"age", CsvColumn::Role::number, {}, 0, 0.1},
                          {"city",
                           CsvColumn::Role::words,
                           {"", "Paris", "S\xc3\xa3o Paulo", "caf\xe9 \x01\xff"},
                           1,
                           0},
                          {"class", CsvColumn::Role::label, {}, 0, 0},
                          {"id", CsvColumn::Role::ignored, {}, 0, 0},
                          {"w\"eight,\n", CsvColumn::Role::weight, {}, 0, 0},
                          {"height", CsvColumn::Role::number, {}, 5, -1e300}}};
  // Columns without features still know where the next feature would be.
  schema.csv->columns[2].first_feature = 5;
  schema.csv->columns[3].first_feature = 5;
  schema.csv->columns[4].first_feature = 5;
  schema.label_words = {"nein", "\xff ja"};
  return schema;
}

TEST(ModelFile, RoundTripsEveryMember) {
  expect_round_trip(full_model());
}

TEST(ModelFile, RoundTripsWithoutWhatIsOptional) {
  LinearModel model = full_model();
  model.certificate->dual.reset();
  model.certificate->wrong.reset();
  expect_round_trip(model);
  model.certificate.reset();
  expect_round_trip(model);
  model.b = -0.0;
  model.bias = Bias::none;
  expect_round_trip(model);
}

TEST(ModelFile, RoundTripsMeansAndKeepsFewOfThemSmall) {
  LinearModel model = full_model();
  const std::size_t without = saved(model).size();
  model.feature_means.assign(model.schema->feature_count(), 0.25F);
  expect_round_trip(model);
  model = plain_model(std::vector<double>(100'000, 0.5));
  const std::size_t plain = saved(model).size();
  model.feature_means.assign(100'000, 0.0F);
  model.feature_means[7] = -3.0F;
  model.feature_means[99'999] = 1.5F;
  expect_round_trip(model);
  EXPECT_LT(saved(model).size(), plain + 1000);
  EXPECT_LT(saved(full_model()).size(), without + 1);  // none are no section
  model.feature_means.pop_back();
  EXPECT_THROW(model.validate(), InvalidOption);
}

TEST(ModelFile, RoundTripsTheThreshold) {
  LinearModel model = full_model();
  model.threshold = {.above = -1.0 / 3, .of_probability = false};
  expect_round_trip(model);
  model.calibrations = {{.a = -1.0}};
  model.threshold = {.above = 1.0 / 3, .of_probability = true};
  expect_round_trip(model);
  model.threshold->above = 1.5;
  EXPECT_THROW(model.validate(), InvalidOption);
}

TEST(ModelFile, RoundTripsPlattsSigmoid) {
  LinearModel model = full_model();
  model.calibrations = {{.a = -1.0 / 3, .b = 1e-300}};
  expect_round_trip(model);
  model.calibrations.front().a = 1;  // probabilities would fall with the score
  EXPECT_THROW(model.validate(), InvalidOption);
}

TEST(ModelFile, RoundTripsEveryLossAndBias) {
  for (const auto& name : loss_names()) {
    LinearModel model = full_model();
    model.loss.loss = *loss_of_name(name);
    if (!model.classifies()) {
      model.labels.reset();
      model.calibrations.clear();
    }
    for (const Bias bias : {Bias::regularised, Bias::unregularised, Bias::exact}) {
      model.bias = bias;
      expect_round_trip(model);
    }
  }
}

TEST(ModelFile, RoundTripsSchemas) {
  Schema scattered;
  scattered.indices = IndexMap::of_seen(1, {17, 4'000'000'000});
  expect_round_trip(with_schema(scattered));
  Schema from_zero;
  from_zero.indices = IndexMap::contiguous(0, 3);
  from_zero.feature_names = {"a", "b", "\x80"};
  expect_round_trip(with_schema(from_zero));
  expect_round_trip(with_schema(csv_schema()));
  expect_round_trip(with_schema(Schema()));
}

TEST(ModelFile, RoundTripsOneAgainstTheRest) {
  LinearModel model = with_schema(csv_schema());
  model.labels->negative.reset();
  expect_round_trip(model);
}

TEST(ModelFile, RoundTripsAnyWeights) {
  expect_round_trip(plain_model(testing::any_weights(100'000)));
  expect_round_trip(plain_model({}));
  for (const double b : testing::any_weights(20)) {
    LinearModel model = plain_model({b});
    model.b = b;
    expect_round_trip(model);
  }
}

LinearModel with_duals() {
  LinearModel model = full_model();
  model.record.rows = 50;
  model.duals = testing::any_weights(50);
  return model;
}

TEST(ModelFile, RoundTripsDuals) {
  expect_round_trip(with_duals());
  const LinearModel back = loaded(saved(with_duals()));
  ASSERT_EQ(back.duals.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.duals[i]),
              std::bit_cast<std::uint64_t>(with_duals().duals[i]));
  }
  LinearModel without = with_duals();
  without.duals.clear();
  EXPECT_LT(saved(without).size(), saved(with_duals()).size() - 50 * sizeof(double));
}

TEST(ModelFile, DualsAreCheckedLikeAnythingElse) {
  const std::string good = saved(with_duals());
  // Names what is wrong with a file whose checksums are all right.
  const auto complaint = [&](auto&& change) -> std::string {
    auto sections = testing::taken_apart(good);
    change(testing::section_in(sections, 5));
    try {
      loaded(testing::put_together(kMagic, 1, sections));
    } catch (const CorruptModel& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(complaint([](std::string&) {}), "");
  const auto expect = [&](const char* part, auto&& change) {
    const std::string text = complaint(change);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect("one per training row", [](std::string& bytes) { bytes.resize(49 * 8); });
  expect("one per training row", [](std::string& bytes) { bytes.append(8, '\0'); });
  EXPECT_NE(complaint([](std::string& bytes) { bytes.resize(8 * 49 + 3); }), "");
  expect("finite", [](std::string& bytes) { testing::put_value(bytes, 80, std::nan("")); });
  expect("finite", [](std::string& bytes) { testing::put_value(bytes, 80, HUGE_VAL); });
  LinearModel model = with_duals();
  model.duals.pop_back();
  EXPECT_THROW(saved(model), InvalidOption);
  model = with_duals();
  model.duals[3] = std::nan("");
  EXPECT_THROW(saved(model), InvalidOption);
  for (std::size_t cut = 1; cut < 400; cut += 57) {
    EXPECT_THROW(loaded(good.substr(0, good.size() - cut)), CorruptModel) << cut;
  }
}

TEST(ModelFile, RefusesToSaveWhatItWouldNotLoad) {
  TemporaryFolder folder;
  LinearModel model = full_model();
  model.w[0] = std::nan("");
  EXPECT_THROW(save_model(model, folder.path("model")), InvalidOption);
  EXPECT_FALSE(std::filesystem::exists(folder.path("model")));
}

TEST(ModelFile, LoadsFromAFileAndAPipe) {
  TemporaryFolder folder;
  save_model(full_model(), folder.path("model"));
  EXPECT_EQ(std::get<LinearModel>(load_model(folder.path("model"))), full_model());
  LinearModel large = plain_model(std::vector<double>(100'000, 1.0 / 3));
  save_model(large, folder.path("large"));
  EXPECT_EQ(std::get<LinearModel>(load_model(folder.path("large"))), large);
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const std::string command =
      "cat '" + folder.path("large") + "' > '" + folder.path("pipe") + "' &";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(std::get<LinearModel>(load_model(folder.path("pipe"))), large);
}

TEST(ModelFile, IsKnownByItsFirstBytes) {
  TemporaryFolder folder;
  save_model(full_model(), folder.path("model"));
  EXPECT_TRUE(is_model_file(folder.path("model")));
  EXPECT_FALSE(is_liblinear_file(folder.path("model")));
  EXPECT_FALSE(is_model_file(folder.file("data", "1 1:1\n")));
  EXPECT_FALSE(is_model_file(folder.file("short", "\x89PGM")));
  EXPECT_FALSE(is_model_file(folder.path("absent")));
  EXPECT_FALSE(is_model_file(folder.path("")));
  EXPECT_THROW(load_model(folder.path("absent")), IoError);
}

TEST(ModelFile, SaysWhatItIsNot) {
  TemporaryFolder folder;
  try {
    load_model(folder.file("data.svm", "1 1:1\n"));
    FAIL();
  } catch (const CorruptModel& problem) {
    EXPECT_EQ(problem.path(), folder.path("data.svm"));
    EXPECT_EQ(problem.offset(), 0u);
    EXPECT_NE(std::string(problem.what()).find("this is not a model file"), std::string::npos);
  }
}

// Saves in a child process whose files may not grow beyond `limit` bytes; true if that failed with
// an IoError.
bool saving_fails_within(const LinearModel& model, const std::string& path, rlim_t limit) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limits = {limit, limit};
    if (::setrlimit(RLIMIT_FSIZE, &limits) != 0) ::_exit(3);
    try {
      save_model(model, path);
    } catch (const IoError&) {
      ::_exit(0);
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ModelFile, AFullDiskLeavesTheOldModel) {
  TemporaryFolder folder;
  const std::string path = folder.path("model");
  save_model(full_model(), path);
  const LinearModel next = plain_model(std::vector<double>(100'000, 1.0));
  for (const rlim_t limit : {0, 1, 4096, 500'000}) {
    EXPECT_TRUE(saving_fails_within(next, path, limit)) << limit;
    EXPECT_EQ(std::get<LinearModel>(load_model(path)), full_model());
    const auto files =
        std::filesystem::directory_iterator(std::filesystem::path(path).parent_path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "a temporary file is left";
  }
  save_model(next, path);
  EXPECT_EQ(std::get<LinearModel>(load_model(path)), next);
}

// Whether loading ends in CorruptModel; anything but that or success fails the test.
bool refused(const std::string& bytes) {
  try {
    loaded(bytes);
    return false;
  } catch (const CorruptModel&) {
    return true;
  }
}

TEST(DamagedModel, TruncationAtEveryByteIsRefused) {
  for (const auto& model : {full_model(), with_schema(csv_schema())}) {
    const std::string good = saved(model);
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_TRUE(refused(good.substr(0, size))) << size;
    }
    EXPECT_TRUE(refused(good + '\0'));
  }
}

TEST(DamagedModel, EveryFlippedBitIsRefused) {
  Schema scattered;
  scattered.indices = IndexMap::of_seen(1, {17, 4'000'000'000});
  for (const auto& model : {full_model(), with_schema(csv_schema()), with_schema(scattered)}) {
    const std::string good = saved(model);
    ASSERT_FALSE(refused(good));
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      std::string bytes = good;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_TRUE(refused(bytes)) << "bit " << bit;
    }
  }
}

// Bad contents in a sound container.
class HostileModel : public ::testing::Test {
 protected:
  bool refused_when_sealed() const { return refused(testing::put_together(kMagic, 1, sections_)); }
  std::string& section(std::uint32_t kind) { return testing::section_in(sections_, kind); }
  void reset(const LinearModel& model) { sections_ = testing::taken_apart(saved(model)); }
  void reset() { sections_ = good_; }
  // Replaces text in a section; says so if it is not there.
  void change(std::uint32_t kind, const std::string& from, const std::string& to) {
    std::string& text = section(kind);
    const auto place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from << " is not in " << text;
    text.replace(place, from.size(), to);
  }
  const std::vector<testing::SectionBytes> good_ = testing::taken_apart(saved(full_model()));
  std::vector<testing::SectionBytes> sections_ = good_;
};

TEST_F(HostileModel, SealingWorks) {
  EXPECT_EQ(testing::put_together(kMagic, 1, sections_), saved(full_model()));
  EXPECT_FALSE(refused_when_sealed());
}

TEST_F(HostileModel, AnotherVersion) {
  try {
    loaded(testing::put_together(kMagic, 2, sections_));
    FAIL();
  } catch (const CorruptModel& problem) {
    EXPECT_STREQ(problem.what(),
                 "memory: model version 2; this program reads version 1 (at byte 8)");
  }
}

TEST_F(HostileModel, SectionsMissing) {
  for (const std::uint32_t kind : {1, 2, 3}) {
    reset();
    std::erase_if(sections_, [kind](const auto& s) { return s.kind == kind; });
    EXPECT_TRUE(refused_when_sealed()) << kind;
  }
}

TEST_F(HostileModel, WeightsOfTheWrongNumberOrNotFinite) {
  section(2) += std::string(8, '\0');
  EXPECT_TRUE(refused_when_sealed());
  section(2).resize(16);
  EXPECT_TRUE(refused_when_sealed());
  section(2).resize(23);
  EXPECT_TRUE(refused_when_sealed());
  section(2).clear();
  EXPECT_TRUE(refused_when_sealed());
  reset();
  testing::put_value(section(2), 8, std::nan(""));
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(HostileModel, EveryFieldOfTheMetadata) {
  // Each field missing, and as each other type.
  const std::string fields[] = {"b",
                                "classifies",
                                "loss",
                                "epsilon",
                                "delta",
                                "lambda",
                                "bias",
                                "bias_feature",
                                "record",
                                "positive_label",
                                "negative_label",
                                "one_against_rest",
                                "solver",
                                "settings",
                                "rows",
                                "non_zeros",
                                "epochs",
                                "steps",
                                "violations",
                                "seed",
                                "data_fingerprint",
                                "interrupted",
                                "primal",
                                "regulariser",
                                "mean_loss"};
  for (const auto& field : fields) {
    reset();
    change(1, "\"" + field + "\":", "\"absent\":");
    EXPECT_TRUE(refused_when_sealed()) << field;
    for (const char* value : {"null", "[]", "{}", "{\"bytes\":1}", "1e999"}) {
      reset();
      if (field == "settings" && value == std::string("[]")) continue;  // as good as any
      const std::string name = "\"" + field + "\":";
      change(1, name, name + value + ",\"was\":");
      EXPECT_TRUE(refused_when_sealed()) << field << " = " << value;
    }
  }
}

TEST_F(HostileModel, ValuesOutOfRange) {
  const std::pair<std::string, std::string> changes[] = {
      {R"("rows":20242)", R"("rows":-1)"},
      {R"("rows":20242)", R"("rows":20242.0)"},
      {R"("rows":20242)", R"("rows":40)"},  // fewer than are wrong
      {R"("rows":20242)", R"("rows":18446744073709551616)"},
      {R"("loss":"squared-hinge")", R"("loss":"squared")"},
      {R"("loss":"squared-hinge")", R"("loss":"")"},
      {R"("bias":"regularised")", R"("bias":"none")"},  // with b = -0.1
      {R"("bias":"regularised")", R"("bias":"some")"},
      {R"("bias_feature":0.7)", R"("bias_feature":0)"},
      {R"("classifies":true)", R"("classifies":false)"},  // with a loss for classes
      {R"("classifies":true)", R"("classifies":1)"},
      {R"("negative_label":1.0)", R"("negative_label":2)"},
      {R"("epsilon":0.2)", R"("epsilon":-0.2)"},
      {R"("delta":3.0)", R"("delta":0)"},
      {R"("wrong":41)", R"("wrong":-41)"},
      {R"("wrong":41)", R"("wrong":20243)"},
      {R"("dual":0.123)", R"("dual":"0.123")"},
      {R"("lambda":)", R"("lambda":0,"x":)"},
      {R"("lambda":)", R"("lambda":-1,"x":)"},
      {"{", "[{"},
      {"}}", "}"}};
  for (const auto& [from, to] : changes) {
    reset();
    change(1, from, to);
    EXPECT_TRUE(refused_when_sealed()) << to;
  }
}

TEST_F(HostileModel, DeepAndStrangeJson) {
  section(1) = std::string(1'000'000, '[');
  EXPECT_TRUE(refused_when_sealed());
  section(1) = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_TRUE(refused_when_sealed());
  for (const char* text : {"", "null", "{}", "[]", "7", "\"x\"", "\xff", "{\"b\":1}{"}) {
    section(1) = text;
    EXPECT_TRUE(refused_when_sealed()) << text;
  }
}

TEST_F(HostileModel, SchemasThatDoNotFit) {
  change(3, R"("index_count":3)", R"("index_count":4294967296)");
  EXPECT_TRUE(refused_when_sealed());
  reset();
  change(3, R"("label_words":[])", R"("label_words":["a","b"])");  // the positive label is 2
  EXPECT_TRUE(refused_when_sealed());
  reset(with_schema(csv_schema()));
  ASSERT_FALSE(refused_when_sealed());
  change(3, R"("Paris")", R"("Zaris")");  // words that do not ascend
  EXPECT_TRUE(refused_when_sealed());
  reset(with_schema(csv_schema()));
  change(3, R"("role":"ignored")", R"("role":"number")");
  EXPECT_TRUE(refused_when_sealed());
  reset(with_schema(csv_schema()));
  change(3, R"({"bytes":")", R"({"bytes":"€)");
  EXPECT_TRUE(refused_when_sealed());
  reset(with_schema(csv_schema()));
  change(3, R"("delimiter":";")", R"("delimiter":"")");
  EXPECT_TRUE(refused_when_sealed());
}

// Whoever loads while the file is replaced gets the one or the other, whole. PEGASOS_REPLACEMENTS
// sets how often it is replaced.
TEST(ModelFile, ReadersSeeOneOrTheOther) {
  const TemporaryFolder folder;
  const std::string path = folder.path("model");
  const LinearModel models[] = {plain_model({1, 2}), plain_model(std::vector<double>(3000, 0.5))};
  save_model(models[0], path);
  const char* wish = std::getenv("PEGASOS_REPLACEMENTS");
  const int replacements = wish != nullptr ? std::atoi(wish) : 100;
  std::atomic<bool> done = false;
  std::atomic<int> loads = 0;
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&] {
      while (!done || loads == 0) {
        const Model seen = load_model(path);
        EXPECT_TRUE(seen == Model(models[0]) || seen == Model(models[1]));
        ++loads;
      }
    });
  }
  for (int k = 0; k < replacements; ++k) save_model(models[1 - k % 2], path);
  done = true;
  readers.clear();
  std::printf("%d loads while the file was replaced %d times\n", loads.load(), replacements);
}

}  // namespace
}  // namespace pegasos
