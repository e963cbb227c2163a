// What a search chooses from its points, and where it should look further.
#pragma once

#include <optional>

#include "pegasos/tune.h"

namespace pegasos {

// NaN (an AUC without one of the classes) is worse than everything.
bool is_better(Score score, const TunePoint& a, const TunePoint& b);

// Sets best and chosen of a result that has points.
void choose(Choice choice, TuneResult& result);

// The options with the loss and the scaling of a point of a wide search.
TuneOptions at_combination(const TuneOptions& options, const TunePoint& point);

// If the grid is the default one and the best point is at its end: the options of a search
// beyond that end, for its strengths or its gammas. Nothing where the best is inside.
std::optional<TuneOptions> search_beyond(const TuneOptions& options, const TuneResult& result);

// Adds the points of a search beyond: strengths to the path they continue, others as new paths.
void add_points(const TuneResult& more, TuneResult& result);

}  // namespace pegasos
