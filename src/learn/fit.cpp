#include "learn/fit.h"

#include <utility>

namespace pegasos {
namespace {

Fitted fit_linear(const Dataset& rows, const TrainOptions& options,
                  const std::function<bool()>& interrupted) {
  TrainWatch watch;
  watch.interrupted = interrupted;
  TrainResult result = train(rows, options, watch);
  Fitted fitted;
  fitted.gap = result.report.certificate().relative_gap();
  fitted.interrupted = result.model.record.interrupted;
  fitted.next.a = std::move(result.duals);
  fitted.model = std::move(result.model);
  return fitted;
}

Fitted fit_kernel(const Dataset& rows, const TrainOptions& options,
                  const std::function<bool()>& interrupted) {
  KernelWatch watch;
  watch.interrupted = interrupted;
  KernelTrainResult result = train_kernel(rows, options, watch);
  Fitted fitted;
  if (const auto certificate = result.report.certificate()) {
    fitted.gap = certificate->relative_gap();
  }
  fitted.interrupted = result.model.record.interrupted;
  fitted.next.a = std::move(result.duals);
  fitted.model = std::move(result.model);
  return fitted;
}

}  // namespace

Fitted fit(const Dataset& rows, const TrainOptions& options,
           const std::function<bool()>& interrupted) {
  const bool kernel_machine = options.kernel && !options.approximation;
  return kernel_machine ? fit_kernel(rows, options, interrupted)
                        : fit_linear(rows, options, interrupted);
}

TrainOptions with_task(const TrainOptions& options, const Dataset& data) {
  TrainOptions result = options;
  if (!result.task && !result.positive_label) result.task = suggest_task(data);
  return result;
}

}  // namespace pegasos
