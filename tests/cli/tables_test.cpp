// Tables and text through the program: train, predict, convert, inspect and doctor on files as
// people have them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pegasos/model.h"
#include "pegasos_program.h"

namespace pegasos::testing {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Missing cells, an id, a word column; the label follows x.
std::string people(int rows, int first_id = 1) {
  std::string file = "PersonId,x,city,Lives\n";
  for (int i = 0; i < rows; ++i) {
    file +=
        fmt::format("{},{},{},{}\n", first_id + i, i % 10 == 3 ? "NA" : fmt::format("{}", i % 7),
                    i % 2 == 0 ? "Rome" : "Oslo", i % 7 > 3 ? "yes" : "no");
  }
  return file;
}

class Tables : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = folder_.file("people.csv", people(70));
    model_ = folder_.path("people.model");
    const auto trained = pegasos({"train", data_, model_, "--label", "Lives"});
    ASSERT_EQ(0, trained.exit_code) << trained.err;
    said_ = trained.err;
  }

  TemporaryFolder folder_;
  std::string data_;
  std::string model_;
  std::string said_;
};

TEST_F(Tables, TrainSaysWhatItDecided) {
  EXPECT_TRUE(contains(said_, "column 'PersonId': row numbers: ignored")) << said_;
  EXPECT_TRUE(contains(said_, "column 'x': 7 missing cells")) << said_;
  EXPECT_TRUE(contains(said_, "numeric columns are standardised (--scale none")) << said_;
  EXPECT_TRUE(contains(said_, "--scale standard")) << said_;
}

// How columns are read is part of the command that repeats the run, and of the model's record.
TEST_F(Tables, OptionsOfColumnsAreRecorded) {
  const std::string options = "--label Lives --missing mean --na NA,zz --column x=number";
  const auto trained = pegasos({"train", data_, model_, "--label", "Lives", "--missing", "mean",
                                "--na", "NA,zz", "--column", "x=number"});
  ASSERT_EQ(0, trained.exit_code) << trained.err;
  EXPECT_TRUE(contains(trained.err, options)) << trained.err;
  EXPECT_TRUE(contains(pegasos({"inspect", model_}).out, options));
}

TEST_F(Tables, TrainNamesTheColumnThatItGuessed) {
  const auto guessed = pegasos({"train", data_, model_});
  EXPECT_TRUE(contains(guessed.err, "the label is column 'Lives' (--label NAME")) << guessed.err;
  EXPECT_FALSE(contains(said_, "the label is column")) << said_;
  // In the error about it, too.
  const std::string holes =
      folder_.file("holes.csv", "age,town,port\n1,Rome,S\n2,Oslo,\n3,Rome,C\n4,Oslo,S\n");
  const auto refused = pegasos({"train", holes, model_});
  EXPECT_EXIT_CODE(3, refused);
  EXPECT_TRUE(contains(refused.err, "the label is column 'port'")) << refused.err;
}

// What is said of columns of a long table is said of its first rows.
TEST_F(Tables, ProfilesSayHowManyRowsTheyKnow) {
  EXPECT_TRUE(contains(pegasos({"inspect", data_}).out, "\nColumns\n"));
  const std::string data = folder_.file("many.csv", people(6000));
  EXPECT_TRUE(contains(pegasos({"inspect", data}).out, "Columns, by the first 5,000 rows\n"));
  EXPECT_TRUE(contains(pegasos({"doctor", data}).out, "Columns, by the first 5,000 rows\n"));
}

// The way to a tolerance that was missed is the whole command, the label included.
TEST_F(Tables, TheWayToTheToleranceReadsTheSameColumns) {
  const auto short_run = pegasos({"train", data_, model_, "--label", "Lives", "--solver", "sdca",
                                  "--max-epochs", "1", "--tol", "1e-9"});
  EXPECT_EXIT_CODE(0, short_run);
  const auto hint = short_run.err.find("to reach it:");
  ASSERT_NE(hint, std::string::npos) << short_run.err;
  EXPECT_TRUE(contains(short_run.err.substr(hint), "--label Lives")) << short_run.err;
}

// Numbers to predict are no classes, however few kinds there are.
TEST_F(Tables, RegressionGetsNoAdviceAboutClasses) {
  std::string file = "x,quality\n";
  for (int i = 0; i < 300; ++i) file += fmt::format("{},{}\n", i % 7, i == 5 ? 9 : i % 3);
  const std::string data = folder_.file("quality.csv", file);
  const auto classes = pegasos({"train", data, model_, "--label", "quality"});
  EXPECT_TRUE(contains(classes.err, "--balanced")) << classes.err;
  const auto numbers =
      pegasos({"train", data, model_, "--label", "quality", "--task", "regression"});
  EXPECT_EXIT_CODE(0, numbers);
  EXPECT_FALSE(contains(numbers.err, "--balanced")) << numbers.err;
  EXPECT_FALSE(contains(numbers.err, "classes")) << numbers.err;
}

TEST_F(Tables, ScaleNoneLeavesNumbersAsTheyAre) {
  const auto raw = pegasos({"train", data_, model_, "--label", "Lives", "--scale", "none"});
  EXPECT_EXIT_CODE(0, raw);
  EXPECT_FALSE(contains(raw.err, "standardised"));
  EXPECT_TRUE(contains(raw.err, "--scale none"));
}

TEST_F(Tables, PredictWritesWhatIsHandedIn) {
  const std::string test =
      folder_.file("test.csv", "PersonId,x,city\n900,6,Rome\n901,?,Oslo\n902,0,Rome\n");
  const std::string out = folder_.path("out.csv");
  EXPECT_EXIT_CODE(0, pegasos({"predict", test, model_, out, "--id", "PersonId"}));
  const std::string text = content_of(out);
  EXPECT_EQ(text.substr(0, text.find('\n')), "PersonId,Lives");
  EXPECT_TRUE(contains(text, "900,yes\n")) << text;
  EXPECT_TRUE(contains(text, "902,no\n")) << text;
  const auto lines = pegasos({"predict", test, model_, "--to", "jsonl", "--id", "PersonId"});
  EXPECT_TRUE(contains(lines.out, "{\"row\":1,\"id\":\"900\",\"prediction\":\"yes\",\"score\":"))
      << lines.out;
  const auto scores = pegasos({"predict", test, model_, "--to", "csv", "--scores"});
  EXPECT_EQ(scores.out.substr(0, scores.out.find('\n')), "Lives,score");
}

// Texts differ from line to line, as the names of a header do: files of a model that was trained
// without a header lost their first row.
TEST_F(Tables, TheFirstTextOfAFileWithoutHeaderIsARow) {
  std::string texts;
  for (int i = 0; i < 60; ++i) {
    texts += fmt::format("{}\t{} word{} again {}\n", i % 3 == 0 ? "spam" : "ham",
                         i % 3 == 0 ? "win a prize" : "see you at home", i % 11, i);
  }
  const std::string model = folder_.path("texts.model");
  EXPECT_EXIT_CODE(0, pegasos({"train", folder_.file("texts.tsv", texts), model, "-q"}));
  const std::string labelled = folder_.file("few.tsv", "spam\twin a prize\nham\tat home\n");
  EXPECT_EQ(pegasos({"predict", labelled, model, "-q"}).out, "spam\nham\n");
  const std::string alone = folder_.file("alone.txt", "win a prize\nat home\nagain at home\n");
  EXPECT_EQ(pegasos({"predict", alone, model, "-q"}).out, "spam\nham\nham\n");
}

TEST_F(Tables, PredictReadsJsonLinesFromAPipe) {
  RunOptions options;
  options.input = "{\"x\": 6, \"city\": \"Rome\"}\n{\"city\": \"Oslo\", \"x\": 0}\n";
  const auto result = pegasos({"predict", "-", model_, "-q"}, options);
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ(result.out, "yes\nno\n");
}

TEST_F(Tables, PredictGoesOnAfterBadRows) {
  const std::string test = folder_.file("test.csv", "x,city\n6,Rome\nabc,Oslo\n0,Rome\n");
  const auto stopped = pegasos({"predict", test, model_});
  EXPECT_EXIT_CODE(3, stopped);
  EXPECT_EQ(stopped.out, "yes\n");  // the row before it
  const auto skipped = pegasos({"predict", test, model_, "--on-error", "skip"});
  EXPECT_EXIT_CODE(0, skipped);
  EXPECT_EQ(skipped.out, "yes\nno\n");
  EXPECT_TRUE(contains(skipped.err, "1 row could not be read, the first at line 3")) << skipped.err;
  EXPECT_EQ(pegasos({"predict", test, model_, "--on-error", "blank"}).out, "yes\n\nno\n");
}

TEST_F(Tables, PredictDoesNotWriteOverOtherFiles) {
  const std::string precious = folder_.file("notes.txt", "Dear diary, today\n");
  const auto refused = pegasos({"predict", data_, model_, precious});
  EXPECT_EXIT_CODE(2, refused);
  EXPECT_TRUE(contains(refused.err, "exists and does not look like predictions")) << refused.err;
  EXPECT_EQ(content_of(precious), "Dear diary, today\n");
  EXPECT_EXIT_CODE(0, pegasos({"predict", data_, model_, precious, "--force"}));
  EXPECT_EXIT_CODE(0, pegasos({"predict", data_, model_, precious}));  // now it is one
}

TEST_F(Tables, AModelSaysWhatDoesNotMatch) {
  const std::string extra = folder_.file("extra.csv", "city,more,x\nRome,1,5\n");
  EXPECT_TRUE(contains(pegasos({"predict", extra, model_}).err,
                       "1 column not used by the model (ignored): more"));
  const std::string bare = folder_.file("bare.csv", "7,5,Rome\n8,1,Oslo\n");
  EXPECT_TRUE(contains(pegasos({"predict", bare, model_}).err, "matched by position"));
}

TEST_F(Tables, ConvertLikeNumbersFeaturesAlike) {
  const std::string one = folder_.file("one.csv", "c,y\nb,1\nc,0\n");
  const std::string two = folder_.file("two.csv", "c,y\nc,1\na,0\n");
  const auto like = pegasos({"convert", two, "-", "--to", "svmlight", "--like", one, "-q"});
  EXPECT_EXIT_CODE(0, like);
  EXPECT_EQ(like.out, "1 2:1\n0\n");
  EXPECT_EXIT_CODE(0, pegasos({"convert", data_, "-", "--to", "svmlight", "--like", model_, "-q"}));
}

// The second table is to be predicted, so it has no label.
TEST_F(Tables, ConvertLikeATableNeedsNoLabel) {
  const std::string rows = folder_.file("rows.csv", "x,city\n3,Rome\n5,Oslo\n");
  const auto done = pegasos(
      {"convert", rows, "-", "--to", "svmlight", "--like", data_, "--label", "Lives", "--quiet"});
  EXPECT_EQ(0, done.exit_code) << done.err;
  EXPECT_EQ(done.out, "1:3 4:1\n1:5 3:1\n");
}

// As 32-bit floats, most of these times would be the same.
TEST_F(Tables, TimesAreNoDuplicates) {
  std::string file = "time,kind,y\n";
  for (int i = 0; i < 100; ++i) file += fmt::format("{},{},{}\n", 1700000000 + i, i % 7, i % 2);
  const std::string times = folder_.file("times.csv", file);
  const auto checked = pegasos({"doctor", times});
  EXPECT_EQ(0, checked.exit_code) << checked.err;
  EXPECT_TRUE(contains(checked.out, "no problems found")) << checked.out;
  EXPECT_FALSE(contains(checked.out, "distinct as 32-bit floats")) << checked.out;
  EXPECT_FALSE(contains(pegasos({"train", times, folder_.path("times.model")}).err, "equal to"));
  // inspect shows the numbers as they are in the file, and says what that means.
  const auto shown = pegasos({"inspect", times}).out;
  EXPECT_TRUE(contains(shown, "unscaled, only 2 of 100 values are distinct")) << shown;
}

// Columns of tables are standardised: one far value is no reason to advise it again.
TEST_F(Tables, TrainDoesNotAdviseTheScalingItUses) {
  std::string file = "a,b,y\n";
  for (int i = 0; i < 40'000; ++i) {
    file += fmt::format("{},{},{}\n", i % 9, i == 7 ? 100'000 : i % 5, i % 2);
  }
  const std::string far = folder_.file("far.csv", file);
  const auto scaled = pegasos({"train", far, folder_.path("far.model"), "--max-epochs", "1"});
  EXPECT_FALSE(contains(scaled.err, "times as large")) << scaled.err;
  const auto raw =
      pegasos({"train", far, folder_.path("far.model"), "--max-epochs", "1", "--scale", "none"});
  EXPECT_TRUE(contains(raw.err, "times as large")) << raw.err;
}

TEST_F(Tables, InspectAndDoctorShowColumnsOfWhatDoesNotParse) {
  const std::string bad = folder_.file("bad.csv", "a,b,y\n1,red,0\n2,blue,1\n3\n");
  for (const char* command : {"inspect", "doctor"}) {
    const auto shown = pegasos({command, bad});
    EXPECT_EXIT_CODE(3, shown);
    EXPECT_TRUE(contains(shown.out, "category")) << shown.out;
    EXPECT_TRUE(contains(shown.err, "expected 3 cells, found 1")) << shown.err;
  }
  EXPECT_TRUE(contains(pegasos({"inspect", data_}).out, "row numbers: ignored"));
}

TEST_F(Tables, InspectWritesWeightsAsCsv) {
  const auto weights = pegasos({"inspect", model_, "--weights"});
  EXPECT_EXIT_CODE(0, weights);
  EXPECT_EQ(weights.out.substr(0, 17), "feature,weight\nx,") << weights.out;
  EXPECT_TRUE(contains(weights.out, "\ncity=Rome,"));
  EXPECT_TRUE(contains(weights.out, "\n(bias),"));
  // 0 means all, as in explain.
  EXPECT_TRUE(contains(pegasos({"inspect", model_, "--top", "0"}).out, "city=Rome"));
}

TEST_F(Tables, ExplainShowsNumbersOfTheFile) {
  const std::string test = folder_.file("test.csv", "x,city\n6,Rome\n");
  const auto shown = pegasos({"explain", test, model_, "--row", "1", "--json"});
  EXPECT_EXIT_CODE(0, shown);
  EXPECT_TRUE(contains(shown.out, "\"feature\": \"x\",\n          \"value\": 6.0") ||
              contains(shown.out, "\"value\": 6.0"))
      << shown.out;
}

TEST(OldHabits, GetAnAnswer) {
  const TemporaryFolder folder;
  const std::string data = folder.file("a.svm", "1 1:1\n-1 1:2\n");
  const auto answer = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"train", data, folder.path("m")});
    const auto result = pegasos(flags);
    EXPECT_EXIT_CODE(2, result);
    return result.err;
  };
  EXPECT_TRUE(contains(answer({"-s", "3"}), "LIBLINEAR's -s 3 is its hinge loss"));
  EXPECT_TRUE(contains(answer({"-s", "3"}), "LIBSVM's -s 3 is its epsilon-SVR"));
  EXPECT_TRUE(contains(answer({"-s", "12"}), "squared-epsilon-insensitive"));
  EXPECT_TRUE(contains(answer({"-C"}), "--lambda auto"));
  EXPECT_TRUE(contains(answer({"-R"}), "--bias unregularised"));
  EXPECT_TRUE(contains(answer({"-n", "0.5"}), "nu"));
  EXPECT_TRUE(contains(answer({"-M", "1"}), "--multiclass"));
  EXPECT_TRUE(contains(answer({"-h", "0"}), "shrinking"));
  for (const char* command : {"fit", "test", "eval", "cv"}) {
    const auto result = pegasos({command, data});
    EXPECT_EXIT_CODE(2, result);
    EXPECT_TRUE(contains(result.err, "use 'pegasos ")) << result.err;
  }
}

TEST(OldHabits, TheLastOfARepeatedFlagCounts) {
  const TemporaryFolder folder;
  const std::string data = folder.file("a.svm", "1 1:1\n-1 1:2\n");
  const auto result = pegasos({"train", data, folder.path("m"), "-c", "1", "-c", "4"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "--lambda 0.125")) << result.err;
}

TEST(Unlabelled, AreNamedUnderQuietToo) {
  const TemporaryFolder folder;
  const std::string data = folder.file("a.csv", "x,y\n1,0\n2,1\n3,\n4,1\n");
  const auto result = pegasos({"train", data, folder.path("m"), "-q"});
  EXPECT_EXIT_CODE(3, result);
  EXPECT_TRUE(contains(result.err, "a.csv:4: row without a label")) << result.err;
  const std::string svmlight = folder.file("a.svm", "1 1:1\n-1 1:2\n1:3\n");
  EXPECT_TRUE(contains(pegasos({"train", svmlight, folder.path("m"), "-q"}).err,
                       "a.svm:3: row without a label"));
}

TEST(Unlabelled, AreLeftOutOnRequestAsUnreadableRowsAre) {
  const TemporaryFolder folder;
  const std::string data = folder.file("a.csv", "x,y\n1,0\n2,1\n3,\noops,1\n4,1\n5,0\n6,1\n7,0\n");
  const auto refused = pegasos({"train", data, folder.path("m"), "--na", "oops"});
  EXPECT_EXIT_CODE(3, refused);
  EXPECT_TRUE(contains(refused.err, "--on-error skip")) << refused.err;
  const auto ragged = pegasos({"train", "-", folder.path("m")}, {.input = "x,y\n1,0\n2\n3,1\n"});
  EXPECT_EXIT_CODE(3, ragged);
  EXPECT_TRUE(contains(ragged.err, "--on-error skip")) << ragged.err;
  const auto result = pegasos({"train", data, folder.path("m"), "--on-error", "skip"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ(base_of(load_model(folder.path("m"))).record.rows, 6U) << result.err;
  EXPECT_TRUE(contains(result.err, "--on-error skip\n")) << result.err;  // the same in full
  EXPECT_EXIT_CODE(0, pegasos({"tune", data, "--folds", "2", "--on-error", "skip", "-q"}));
}

TEST_F(Tables, AmbiguousDatesAreSaidWithTheFlagForTheOtherOrder) {
  std::string file = "day,y\n";
  for (int i = 0; i < 60; ++i) {
    file += fmt::format("{:02}/{:02}/2024,{}\n", 1 + i % 12, 1 + i / 12, i % 12 < 6 ? "a" : "b");
  }
  const std::string data = folder_.file("dates.csv", file);
  const std::string said = "month before day; day before month fits as well: --date-order dmy";
  const auto trained = pegasos({"train", data, folder_.path("mdy.model")});
  EXPECT_TRUE(contains(trained.err, said)) << trained.err;
  for (const char* command : {"inspect", "doctor"}) {
    EXPECT_TRUE(contains(pegasos({command, data}).out, said)) << command;
  }
  const std::string model = folder_.path("dmy.model");
  const auto told = pegasos({"train", data, model, "--date-order", "dmy"});
  EXPECT_FALSE(contains(told.err, "fits as well")) << told.err;
  EXPECT_TRUE(contains(told.err, "--date-order dmy")) << told.err;  // the same in full
  // The months of the classes differ by the first numbers, days by the second.
  const auto row = pegasos({"explain", "-", model, "--json"}, {.input = "day\n03/04/2024\n"});
  EXPECT_EXIT_CODE(0, row);
  EXPECT_TRUE(contains(row.out, "day.month=4")) << row.out;
  EXPECT_EXIT_CODE(2, pegasos({"predict", data, model, "--date-order", "mdy"}));
}

// The note at an export says how data gets the features of the model, and that works.
TEST_F(Tables, ExportedModelsSayHowToConvertData) {
  std::string rows = "x,city,y\n";
  for (int i = 0; i < 70; ++i) {
    rows += fmt::format("{},{},{}\n", i % 7, i % 2 == 0 ? "Rome" : "Oslo", i % 7 > 3 ? 1 : -1);
  }
  const std::string data = folder_.file("numbers.csv", rows);
  const std::string linear = folder_.path("linear.model");
  const std::string kernel = folder_.path("kernel.model");
  ASSERT_EQ(0, pegasos({"train", data, linear, "-q"}).exit_code);
  ASSERT_EQ(0, pegasos({"train", data, kernel, "--kernel", "rbf", "-q"}).exit_code);
  for (const auto& [model, program] :
       {std::pair{linear, "liblinear-predict"}, {kernel, "svm-predict"}}) {
    const std::string exported = folder_.path("exported");
    const auto result = pegasos({"convert", model, exported});
    EXPECT_EXIT_CODE(0, result);
    EXPECT_TRUE(contains(result.err, std::string(program) + " needs data in the same form"))
        << result.err;
    EXPECT_TRUE(contains(result.err, "pegasos convert TABLE.csv TABLE.svm --like " + model))
        << result.err;
    const std::string converted = folder_.path("numbers.svm");
    EXPECT_EXIT_CODE(0, pegasos({"convert", data, converted, "--like", model}));
    const auto by_copy = pegasos({"evaluate", converted, exported, "--json", "-q"});
    const auto by_model = pegasos({"evaluate", data, model, "--json", "-q"});
    EXPECT_EQ(nlohmann::json::parse(by_copy.out)["accuracy"],
              nlohmann::json::parse(by_model.out)["accuracy"]);
    const auto refused = pegasos({"predict", data, exported});
    EXPECT_EXIT_CODE(3, refused);
    EXPECT_TRUE(contains(refused.err, "convert the table to svmlight first, with --like MODEL"))
        << refused.err;
  }
}

TEST_F(Tables, AColumnThatIsNotThereIsAnsweredWithThoseThatAre) {
  const auto close = pegasos({"train", data_, model_, "--label", "lives"});
  EXPECT_TRUE(contains(close.err, "Did you mean 'Lives'?")) << close.err;
  const auto far = pegasos({"train", data_, model_, "--label", "price"});
  EXPECT_EXIT_CODE(2, far);
  EXPECT_TRUE(contains(far.err, "the columns are PersonId, x, city, Lives\n")) << far.err;
}

TEST_F(Tables, AFileForAModelMayHaveAnotherDecimalSign) {
  std::string points = "x;y\n";
  std::string commas = points;
  for (int i = 0; i < 40; ++i) {
    points += fmt::format("{}.5;{}.25\n", i % 13, 2 * (i % 13));
    commas += fmt::format("{},5;{},25\n", i % 13, 2 * (i % 13));
  }
  const std::string with_points = folder_.file("points.csv", points);
  const std::string with_commas = folder_.file("commas.csv", commas);
  for (const auto& [data, other, flag] :
       {std::tuple{with_points, with_commas, "comma"}, {with_commas, with_points, "point"}}) {
    const std::string model = folder_.path("m");
    ASSERT_EQ(0, pegasos({"train", data, model, "--task", "regression"}).exit_code);
    const std::string expected = pegasos({"predict", data, model, "-q"}).out;
    EXPECT_EQ(pegasos({"predict", other, model, "--decimal", flag, "-q"}).out, expected);
    EXPECT_EQ(pegasos({"evaluate", other, model, "--decimal", flag, "-q"}).out,
              pegasos({"evaluate", data, model, "-q"}).out);
    const auto refused = pegasos({"predict", other, model});
    EXPECT_EXIT_CODE(3, refused);
    EXPECT_TRUE(contains(refused.err, std::string("--decimal ") + flag)) << refused.err;
  }
}

TEST_F(Tables, LinesOfTextNeedNoDelimiterToBePredicted) {
  std::string file;
  for (int i = 0; i < 60; ++i) {
    file += fmt::format("{}\tnumber {}, of many {} things\n", i % 2 == 0 ? "spam" : "ham", i,
                        i % 2 == 0 ? "cheap" : "dear");
  }
  const std::string model = folder_.path("texts.model");
  ASSERT_EQ(0, pegasos({"train", folder_.file("texts.tsv", file), model}).exit_code);
  const auto result =
      pegasos({"predict", "-", model, "-q"}, {.input = "so cheap\ndear, dear, dear things\n"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ(result.out, "spam\nham\n");
}

// What a competition hands out to be predicted: the training columns without the label.
TEST_F(Tables, TestFilesNeedNoLabelsToBeChecked) {
  std::string rows = "PersonId,x,city\n";
  for (int i = 0; i < 30; ++i) rows += fmt::format("{},{},Rome\n", 100 + i, i % 9);
  const std::string test = folder_.file("test.csv", rows);
  const auto checked = pegasos({"doctor", data_, test, "--label", "Lives"});
  EXPECT_EXIT_CODE(0, checked);
  EXPECT_TRUE(contains(checked.out, "test rows are also in the training data")) << checked.out;
  EXPECT_TRUE(contains(checked.err, "note: in " + test + ": 30 rows without a label"))
      << checked.err;
  const auto trained = pegasos({"train", data_, model_, "--label", "Lives", "--test", test});
  EXPECT_EXIT_CODE(3, trained);
  EXPECT_TRUE(contains(trained.err,
                       "test.csv: the data has no labels: the column 'Lives' is "
                       "absent or empty"))
      << trained.err;
  EXPECT_TRUE(contains(trained.err, "pegasos predict " + test + " " + model_)) << trained.err;
  const auto evaluated = pegasos({"evaluate", test, model_});
  EXPECT_EXIT_CODE(3, evaluated);
  EXPECT_TRUE(contains(evaluated.err, "the column 'Lives' is absent")) << evaluated.err;
  EXPECT_TRUE(contains(evaluated.err, "pegasos predict " + test + " " + model_)) << evaluated.err;
  EXPECT_EXIT_CODE(0, pegasos({"train", data_, model_, "--label", "Lives", "--test", data_}));
}

// Also where it comes through a pipe, in one piece or in several, compressed, and from many files.
TEST_F(Tables, SeparatorLinesAndJsonArrays) {
  std::string rows = "x;city;Lives\n";
  std::string array;
  for (int i = 0; i < 40; ++i) {
    rows +=
        fmt::format("{};{};{}\n", i % 7, i % 2 == 0 ? "Rome" : "Oslo", i % 7 > 3 ? "yes" : "no");
    array +=
        fmt::format("{}{{\"x\": {}, \"city\": \"{}\", \"Lives\": \"{}\"}}", i == 0 ? "[\n" : ",\n",
                    i % 7, i % 2 == 0 ? "Rome" : "Oslo", i % 7 > 3 ? "yes" : "no");
  }
  const std::string plain = folder_.file("plain.csv", rows);
  const std::string marked = folder_.file("marked.csv", "sep=;\n" + rows);
  folder_.file("marked2.csv", "sep=;\n" + rows);
  const std::string json = folder_.file("a.json", array + "]\n");
  const std::string model = folder_.path("m");
  ASSERT_EQ(0, pegasos({"train", plain, model, "--label", "Lives"}).exit_code);
  const std::string expected = pegasos({"predict", plain, model, "-q"}).out;
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 40);
  for (const std::string& data : {marked, json}) {
    EXPECT_EQ(pegasos({"predict", data, model, "-q"}).out, expected);
    EXPECT_EQ(pegasos({"predict", "-", model, "-q"}, {.input = contents_of(data)}).out, expected);
    const std::string slowly = fmt::format(
        "(head -c 6 {0}; sleep 0.3; tail -c +7 {0} | head -c 300; sleep 0.3; tail -c +307 {0}) | "
        "{1} predict - {2} -q",
        data, PEGASOS_PROGRAM, model);
    EXPECT_EQ(run_program("/bin/sh", {"-c", slowly}).out, expected) << data;
    const std::string packed = fmt::format("gzip -c {} > {}.gz && {} predict {}.gz {} -q", data,
                                           data, PEGASOS_PROGRAM, data, model);
    EXPECT_EQ(run_program("/bin/sh", {"-c", packed}).out, expected) << data;
    EXPECT_EXIT_CODE(0, pegasos({"train", data, folder_.path("again"), "--label", "Lives"}));
    EXPECT_EXIT_CODE(0, pegasos({"inspect", data}));
  }
  EXPECT_EQ(pegasos({"predict", folder_.path("marked*.csv"), model, "-q"}).out,
            expected + expected);
  EXPECT_EXIT_CODE(0,
                   pegasos({"train", "-", folder_.path("streamed"), "--stream", "--label", "Lives"},
                           {.input = contents_of(marked)}));
}

// A model settles how columns are read, so an option about it would do nothing.
TEST_F(Tables, CommandsOfAModelRefuseWhatItSettles) {
  for (const std::string command : {"predict", "evaluate", "explain", "verify"}) {
    for (const auto& [flag, value] : {std::pair{"--column", "x=category"},
                                      {"--ignore", "city"},
                                      {"--words", "x"},
                                      {"--text-words", "1"},
                                      {"--hash-bits", "8"},
                                      {"--index-base", "0"}}) {
      const auto result = pegasos({command, data_, model_, flag, value});
      EXPECT_EXIT_CODE(2, result);
      EXPECT_TRUE(contains(result.err, std::string(flag) + " is an option of 'pegasos train'"))
          << result.err;
    }
    EXPECT_FALSE(contains(pegasos({command, "--help"}).out, "--column")) << command;
  }
  const auto like = pegasos(
      {"convert", data_, folder_.path("a.svm"), "--like", model_, "--column", "x=category"});
  EXPECT_EXIT_CODE(2, like);
  EXPECT_TRUE(contains(like.err, "--column has no effect here")) << like.err;
  EXPECT_EXIT_CODE(0, pegasos({"convert", data_, folder_.path("b.svm"), "--like", data_, "--label",
                               "Lives", "--column", "x=category"}));
}

// The hint at a bad cell works where it is given.
TEST_F(Tables, HintsOfPredictWorkWithPredict) {
  const std::string dates = [] {
    std::string file = "day,y\n";
    for (int i = 0; i < 40; ++i) file += fmt::format("2024-01-{:02},{}\n", 1 + i % 28, i % 2);
    return file;
  }();
  const std::string dated = folder_.path("dated.model");
  ASSERT_EQ(0, pegasos({"train", folder_.file("dates.csv", dates), dated}).exit_code);
  for (const auto& [model, text, kind] :
       {std::tuple{model_, "PersonId,x,city\n1,oops,Rome\n", "numbers"},
        {dated, "day\noops\n", "dates"}}) {
    const auto refused = pegasos({"predict", "-", model}, {.input = text});
    EXPECT_EXIT_CODE(3, refused);
    EXPECT_TRUE(contains(refused.err, std::string("was trained on ") + kind)) << refused.err;
    EXPECT_TRUE(contains(refused.err, "(--na oops)")) << refused.err;
    EXPECT_FALSE(contains(refused.err, "--column")) << refused.err;
    EXPECT_EXIT_CODE(0, pegasos({"predict", "-", model, "--na", "oops"}, {.input = text}));
  }
}

// The real files, where they are.
class RealTables : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("PEGASOS_DATA");
    if (folder == nullptr ||
        !std::filesystem::exists(std::string(folder) + "/csv/titanic.csv.xz")) {
      GTEST_SKIP() << "PEGASOS_DATA has no tables";
    }
    data_ = std::string(folder) + "/csv/";
  }
  std::string data_;
  TemporaryFolder folder_;
};

TEST_F(RealTables, TrainAtOnce) {
  for (const auto& [name, label] :
       {std::pair{"titanic.csv.xz", "Survived"}, {"ames.csv.xz", "SalePrice"}}) {
    EXPECT_EXIT_CODE(0,
                     pegasos({"train", data_ + name, folder_.path(name), "--label", label, "-q"}));
  }
  EXPECT_EXIT_CODE(0, pegasos({"train", data_ + "sms_spam.tsv.xz", folder_.path("sms"), "-q"}));
  const auto predicted = pegasos({"predict", data_ + "titanic_test.csv.xz",
                                  folder_.path("titanic.csv.xz"), "--id", "PassengerId", "-q"});
  EXPECT_EXIT_CODE(0, predicted);
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 419);
}

TEST_F(Tables, LogTargetsArePredictedInTheirUnits) {
  const TemporaryFolder folder;
  std::string text = "size,price\n";
  for (int i = 1; i <= 80; ++i) {
    text += std::to_string(i) + "," + std::to_string(std::exp(8 + 0.05 * i)) + "\n";
  }
  const auto data = folder.file("houses.csv", text);
  const auto trained = pegasos({"train", data, folder.path("m"), "--target", "log"});
  EXPECT_EXIT_CODE(0, trained);
  EXPECT_TRUE(contains(trained.err, "regression on ln y")) << trained.err;
  EXPECT_TRUE(contains(trained.err, "--target log")) << trained.err;
  for (const char* to : {"plain", "csv", "jsonl"}) {
    const auto predicted = pegasos({"predict", data, folder.path("m"), "--to", to, "-q"});
    EXPECT_EXIT_CODE(0, predicted);
    const std::size_t at =
        predicted.out.find_first_of("0123456789", to == std::string("jsonl") ? 20 : 0);
    EXPECT_GT(std::stod(predicted.out.substr(at)), 1000) << predicted.out.substr(0, 200);
  }
  const auto folds = pegasos({"train", data, "-v", "4", "--target", "log", "--json"});
  EXPECT_GT(nlohmann::json::parse(folds.out)["mean_squared_error"].get<double>(), 100.0);
}

// A fold is trained as the whole is: C is in units of the targets' deviation there, too.
TEST_F(Tables, CrossValidationOfPricesTrainsAsTrainDoes) {
  std::string text = "a,b,price\n";
  for (int i = 0; i < 200; ++i) {
    const int a = i * 37 % 101;
    const int b = i * 53 % 97;
    text += fmt::format("{},{},{}\n", a, b, 100000 + 1000 * a - 700 * b + i * 31 % 17);
  }
  const auto data = folder_.file("prices.csv", text);
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> line = {"train", data, "-v", "5", "--json", "-q"};
    line.insert(line.end(), more.begin(), more.end());
    return nlohmann::json::parse(pegasos(line).out)["mean_squared_error"].get<double>();
  };
  EXPECT_NEAR(error({}), error({"-c", "1"}), 0.05 * error({"-c", "1"}));
}

// The line that train prints, run by a shell, writes the same bits: with decisions about columns,
// where the automatic choice changed its solver on the way, and from a name that looks like a flag.
TEST_F(Tables, TheSameInFullIsTheSame) {
  const TemporaryFolder folder;
  std::string text = "t,a,b,c,y\n";
  for (int i = 0; i < 800; ++i) {
    const int a = i * 7919 % 1009;
    const int b = i * 104729 % 997;
    const int c = i * i % 1013 * 31 % 1013;
    text += "k" + std::to_string(i * 13 % 350) + "," + std::to_string(a) + "," + std::to_string(b) +
            "," + std::to_string(c) + (a + 2 * b - c + i * 37 % 700 > 1300 ? ",p" : ",n") + "\n";
  }
  folder.file("-dash it.csv", text);
  const auto result = pegasos({"train", "--label", "y", "--column", "t=category", "-c", "300",
                               "--tol", "1e-8", "--na", "foo", "--", "-dash it.csv"},
                              {.folder = folder.path("")});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "so newton took over")) << result.err;
  const std::size_t line = result.err.find("  pegasos train ");
  ASSERT_NE(line, std::string::npos);
  const std::string first = contents_of(folder.path("-dash it.csv.model"));
  std::filesystem::remove(folder.path("-dash it.csv.model"));
  const std::string again =
      PEGASOS_PROGRAM + result.err.substr(line + 9, result.err.find('\n', line) - line - 9);
  const auto repeated = run_program("/bin/sh", {"-c", again}, {.folder = folder.path("")});
  EXPECT_EXIT_CODE(0, repeated);
  EXPECT_TRUE(first == contents_of(folder.path("-dash it.csv.model"))) << again;
}

}  // namespace
}  // namespace pegasos::testing
