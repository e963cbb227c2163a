// train --stream: one pass over rows as they come.
#pragma once

#include "command.h"
#include "pegasos/stream.h"
#include "session.h"

namespace pegasos::cli {

struct TrainArguments;

struct StreamFlags {
  bool on = false;
  StreamOptions options = {};
};

void add_stream_options(Command& command, StreamFlags& flags);

// Flags that a stream has no use for are a UsageError, and so are those of streams without it.
void check_stream_flags(const Command& command, const StreamFlags& flags);

// Learns, saves now and then and in the end, reports; returns the exit code.
int train_on_stream(Session& session, TrainArguments& arguments);

}  // namespace pegasos::cli
