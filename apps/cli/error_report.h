// The only place that turns exceptions into messages, JSON and exit codes.
//
//   train.svm:17:42: value 'abc' is not a number
//     +1 3:abc 4:1
//          ^
//     hint: ...
#pragma once

#include "session.h"

namespace pegasos::cli {

// Call inside a catch block. Reports to standard error, and with --json to standard output too.
int report_current_exception(const Session& session);

// Words for the timer of signals.h, which cannot compose any.
void prepare_parting_words(const Session& session);

}  // namespace pegasos::cli
