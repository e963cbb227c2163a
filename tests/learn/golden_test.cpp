// Files of every format version since the first, kept in tests/golden: they load for ever, and say
// what they said. A new format version adds files; none is changed or removed.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "pegasos/checkpoint.h"
#include "pegasos/model.h"
#include "pegasos/read.h"
#include "pegasos/verify.h"

namespace pegasos {
namespace {

std::string golden(const std::string& name) {
  return std::string(PEGASOS_SOURCE_DIR) + "/tests/golden/" + name;
}

TEST(Golden, ModelsOfVersionOneHoldOnTheirData) {
  const std::map<std::string, std::string> data_of = {
      {"linear.model", "two_classes.bin"},           {"kernel.model", "two_classes.bin"},
      {"mapped.model", "two_classes.bin"},           {"classes.model", "three_classes.bin"},
      {"kernel_classes.model", "three_classes.bin"}, {"joint.model", "three_classes.bin"}};
  for (const auto& [name, data] : data_of) {
    const Model model = load_model(golden(name));
    const Dataset rows = read_dataset(golden(data)).data;
    EXPECT_EQ(rows.rows(), 40U);
    EXPECT_EQ(base_of(model).record.data_fingerprint, fingerprint(rows)) << name;
    if (const auto* linear = std::get_if<LinearModel>(&model)) {
      EXPECT_EQ(verify(*linear, rows).finding, Finding::holds) << name;
    } else if (const auto* kernel = std::get_if<KernelModel>(&model)) {
      EXPECT_EQ(verify(*kernel, rows).finding, Finding::holds) << name;
    } else {
      const auto found = verify(std::get<MulticlassModel>(model), rows);
      EXPECT_EQ(found.finding(), Finding::holds) << name;
    }
  }
  const auto linear = std::get<LinearModel>(load_model(golden("linear.model")));
  EXPECT_EQ(linear.duals.size(), 40U);
  EXPECT_TRUE(linear.has_probabilities());
}

TEST(Golden, CheckpointOfVersionOne) {
  const Checkpoint checkpoint = load_checkpoint(golden("run.checkpoint"));
  EXPECT_EQ(checkpoint.version, "0.1.0");
  EXPECT_EQ(checkpoint.work, "train");
  EXPECT_TRUE(checkpoint.parts.contains("state"));
  EXPECT_TRUE(checkpoint.parts.contains("trace"));
}

}  // namespace
}  // namespace pegasos
