// A program of somebody else's: trains on four rows and loads the model again.
#include <pegasos/pegasos.h>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> values = {1, 2, 2, 1, -1, -2, -2, -1};
  const std::vector<double> labels = {1, 1, -1, -1};
  const auto data = pegasos::Dataset::from_dense(values, 4, 2, {.labels = labels});
  const auto trained = pegasos::train(data, {.lambda = 0.1});
  pegasos::save_model(trained.model, "consumer.model");
  const auto model = pegasos::load_model("consumer.model");
  std::printf("pegasos %s\n", pegasos::kVersion);
  return pegasos::base_of(model).lambda == 0.1 ? 0 : 1;
}
