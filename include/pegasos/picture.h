// Rows and decisions in two dimensions.
//
//   plane        two features: the rows, and the predicted class at every point of the plane
//   projection   other data: for two classes the score against the direction in which rows differ
//                most; for more the two directions in which they differ most (principal components,
//                by power iteration on a sample)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/model.h"

namespace pegasos {

struct Picture {
  struct Point {
    double x = 0.0;
    double y = 0.0;
    std::size_t group = 0;  // its class, a place in names
    // Of a hinge loss: no margin of at least 1. On its training data such a row holds the decision
    // boundary where it is.
    bool support = false;
  };

  bool plane = false;
  std::string x = {};  // what the axes are
  std::string y = {};
  double left = 0.0;
  double right = 0.0;
  double bottom = 0.0;
  double top = 0.0;
  std::vector<std::string> names = {};  // of the groups; the last is "other" where classes are many
  std::vector<Point> points = {};
  // Of a plane: the group that each cell is called, row by row from the bottom left.
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::vector<std::uint8_t> cells = {};
};

struct PictureOptions {
  std::size_t most_points = 600;  // evenly from all rows
  std::size_t columns = 96;       // of the plane
  std::size_t rows = 64;
  std::size_t most_groups = 6;
  int threads = 0;
};

// `data` has the model's features and labels; `scores` are its decisions. Nothing for regression,
// without labelled rows, or for a precomputed kernel, whose rows are no points.
std::optional<Picture> picture_of(const Model& model, const Dataset& data,
                                  std::span<const double> scores,
                                  const PictureOptions& options = {});

}  // namespace pegasos
