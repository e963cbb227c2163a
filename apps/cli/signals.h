// Ctrl-C and SIGTERM.
//
// The first one sets a flag. Watchers of long work see it, the library throws Cancelled, its
// temporary file goes, and main turns that into 130 or 143. Work that cannot see the flag (blocked
// on a pipe, inside a computation without a watcher) is ended by a timer a moment later, but only
// while no FileAtRisk or ResultAtRisk exists: then there is nothing to leave behind or to lose. A
// second signal ends the process at once. SIGPIPE keeps its default, as a program in a pipeline
// should.
#pragma once

#include <string>

namespace pegasos::cli {

void install_signal_handlers();

// SIGINT or SIGTERM when one came, else 0.
int stop_signal();
inline bool stop_requested() {
  return stop_signal() != 0;
}

// What the timer says in place of main: to standard error, and after SIGINT or SIGTERM to standard
// output ("" for nothing). The strings must live as long as the process.
void set_parting_words(const char* talk, const char* interrupted, const char* terminated);

// Held while a temporary file stands beside `path`. Throws Cancelled when a signal came before.
class FileAtRisk {
 public:
  explicit FileAtRisk(const std::string& path);
  FileAtRisk(const FileAtRisk&) = delete;
  FileAtRisk& operator=(const FileAtRisk&) = delete;
  ~FileAtRisk();

 private:
  bool counted_;
};

// Held while work has a result so far that Ctrl-C shall not cost.
class ResultAtRisk {
 public:
  ResultAtRisk();
  ResultAtRisk(const ResultAtRisk&) = delete;
  ResultAtRisk& operator=(const ResultAtRisk&) = delete;
  ~ResultAtRisk();
};

}  // namespace pegasos::cli
