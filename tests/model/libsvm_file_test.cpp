// LIBSVM's text models: there and back, by the programs of LIBSVM where they are installed, and
// mistakes with their place.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/generate.h"
#include "pegasos/model.h"
#include "pegasos/read.h"
#include "pegasos/write.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::run_program;
using testing::TemporaryFolder;

const std::string kText =
    "svm_type c_svc\nkernel_type polynomial\ndegree 2\ngamma 0.5\ncoef0 1\nnr_class 2\n"
    "total_sv 3\nrho 0.25\nlabel 7 3\nnr_sv 2 1\nSV\n"
    "0.5 1:1 3:2\n0.25 2:-1\n-0.75 1:-1 2:0.5\n";

KernelModel loaded(const std::string& text) {
  return std::get<KernelModel>(load_libsvm_from_memory(text, "memory"));
}

TEST(LibsvmFile, IsReadAsItIsMeant) {
  const KernelModel model = loaded(kText);
  EXPECT_EQ(model.coefficients, (std::vector<double>{0.5, 0.25, -0.75}));
  EXPECT_EQ(model.labels, (BinaryLabels{7, 3}));
  EXPECT_EQ(model.kernel.kind, KernelKind::polynomial);
  EXPECT_EQ(model.lambda, 0.0);
  // x = (2, 0, 1): inner products 4, 0, -2 and (0.5 p + 1)^2 = 9, 1, 0.
  const std::string row = "7 1:2 3:1\n";
  ReadOptions options;
  options.schema = model.schema;
  const Dataset data = read_dataset_from_memory(row, "memory", options).data;
  EXPECT_DOUBLE_EQ(decisions(model, data)[0], 0.5 * 9 + 0.25 * 1 - 0.75 * 0 - 0.25);
}

TEST(LibsvmFile, GoesThereAndBack) {
  const TemporaryFolder folder;
  KernelModel model = loaded(kText);
  for (const KernelKind kind :
       {KernelKind::polynomial, KernelKind::rbf, KernelKind::sigmoid, KernelKind::linear}) {
    model.kernel.kind = kind;
    EXPECT_TRUE(save_libsvm(model, folder.path("m")).empty());
    const KernelModel back = std::get<KernelModel>(load_libsvm(folder.path("m")));
    EXPECT_TRUE(is_libsvm_file(folder.path("m")));
    EXPECT_EQ(back.coefficients, model.coefficients);
    EXPECT_EQ(decisions(back, model.support_vectors), decisions(model, model.support_vectors));
  }
  model.kernel.kind = KernelKind::laplacian;
  EXPECT_THROW(save_libsvm(model, folder.path("l")), Error);
}

TEST(LibsvmFile, PrecomputedKernelsHaveSerialNumbers) {
  const TemporaryFolder folder;
  const KernelModel model = loaded(
      "svm_type epsilon_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho -1\nSV\n"
      "0.5 0:4\n-0.5 0:2\n");
  EXPECT_FALSE(model.labels);
  EXPECT_EQ(model.columns, (std::vector<FeatureId>{4, 2}));
  save_libsvm(model, folder.path("m"));
  EXPECT_EQ(std::get<KernelModel>(load_libsvm(folder.path("m"))), model);
}

TEST(LibsvmFile, MistakesHaveTheirPlace) {
  const auto line_of = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    try {
      loaded(text);
    } catch (const ModelParseError& error) {
      return error.line();
    }
    return std::uint64_t{999};
  };
  EXPECT_EQ(line_of(kText, "c_svc", "one_class"), 11u);
  EXPECT_EQ(line_of(kText, "gamma 0.5", "gamma wide"), 4u);
  EXPECT_EQ(line_of(kText, "gamma 0.5", "gamma 0"), 11u);
  EXPECT_EQ(line_of(kText, "nr_class 2", "nr_class 1"), 6u);
  EXPECT_EQ(line_of(kText, "rho 0.25", "probA 1"), 8u);
  EXPECT_EQ(line_of(kText, "rho 0.25\n", ""), 10u);
  EXPECT_EQ(line_of(kText, "total_sv 3", "total_sv 4"), 11u);
  EXPECT_EQ(line_of(kText, "3:2", "3:x"), 12u);
  EXPECT_EQ(line_of(kText, "-0.75 1", "nought 1"), 14u);
  EXPECT_EQ(line_of(kText, "label 7 3\n", "label 7 7\n"), 9u);
  EXPECT_EQ(line_of(kText, "SV\n", "\n"), 12u);
}

TEST(LibsvmFile, LibsvmPredictsTheSame) {
  if (!std::filesystem::exists("/usr/bin/svm-train")) GTEST_SKIP() << "LIBSVM is not installed";
  const TemporaryFolder folder;
  const Dataset data = generate({.kind = GeneratedKind::moons, .rows = 200});
  write_svmlight(data, folder.path("data"));
  const auto peer = [&](const std::string& program, const std::vector<std::string>& arguments) {
    EXPECT_EQ(run_program("/usr/bin/" + program, arguments).exit_code, 0);
  };
  peer("svm-train", {"-q", "-t", "2", "-g", "0.5", folder.path("data"), folder.path("theirs")});
  const KernelModel model = std::get<KernelModel>(load_libsvm(folder.path("theirs")));
  save_libsvm(model, folder.path("ours"));
  peer("svm-predict", {"-q", folder.path("data"), folder.path("theirs"), folder.path("a")});
  peer("svm-predict", {"-q", folder.path("data"), folder.path("ours"), folder.path("b")});
  EXPECT_EQ(contents_of(folder.path("a")), contents_of(folder.path("b")));
  std::string said;
  for (const double score : decisions(model, data)) {
    said += testing::predicted(model, score) + "\n";
  }
  EXPECT_EQ(said, contents_of(folder.path("a")));
}

}  // namespace
}  // namespace pegasos
