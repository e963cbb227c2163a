// Pegasos, all of it. Start with read.h and dataset.h.
#pragma once

#include "pegasos/dataset.h"
#include "pegasos/error.h"
#include "pegasos/feature_map.h"
#include "pegasos/generate.h"
#include "pegasos/kernel.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/loss.h"
#include "pegasos/metrics.h"
#include "pegasos/model.h"
#include "pegasos/read.h"
#include "pegasos/schema.h"
#include "pegasos/summary.h"
#include "pegasos/train.h"
#include "pegasos/tune.h"
#include "pegasos/version.h"
#include "pegasos/write.h"
