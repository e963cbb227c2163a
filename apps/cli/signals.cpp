#include "signals.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "pegasos/error.h"

namespace pegasos::cli {
namespace {

constexpr long kPatienceNanoseconds = 300'000'000;
// timeout(1) signals its child and then the child's group: the two are one request.
constexpr std::int64_t kSameRequestNanoseconds = 50'000'000;

// Everything a handler touches is lock-free.
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<const char*>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_signal_at{0};
std::atomic<int> results_at_risk{0};
std::atomic<const char*> parting_talk{"pegasos: interrupted\n"};
std::atomic<const char*> parting_data_interrupted{""};
std::atomic<const char*> parting_data_terminated{""};
timer_t patience = {};

void write_text(int fd, const char* text) {
  // Nothing can be done in a handler about a stream that takes no more.
  [[maybe_unused]] const auto ignored = ::write(fd, text, std::strlen(text));
}

std::int64_t nanoseconds_now() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void on_stop_signal(int signal) {
  const int saved_errno = errno;
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal)) {
    const bool again = nanoseconds_now() - first_signal_at.load() > kSameRequestNanoseconds;
    if (again) ::_exit(128 + signal);
    errno = saved_errno;
    return;
  }
  first_signal_at = nanoseconds_now();
  const itimerspec once = {{0, 0}, {0, kPatienceNanoseconds}};
  ::timer_settime(patience, 0, &once, nullptr);
  errno = saved_errno;
}

extern "C" void on_patience_over(int) {
  if (results_at_risk.load() > 0) return;
  const int signal = first_signal.load();
  const char* const data =
      signal == SIGTERM ? parting_data_terminated.load() : parting_data_interrupted.load();
  if (*data != '\0') write_text(STDOUT_FILENO, data);
  write_text(STDERR_FILENO, parting_talk.load());
  ::_exit(128 + signal);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (::sigaction(signal, &action, nullptr) != 0) {
    throw Error(std::string("cannot handle signals: ") + std::strerror(errno));
  }
}

// A shell without job control starts background jobs with SIGINT ignored; that is respected.
bool is_ignored(int signal) {
  struct sigaction current = {};
  return ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

// Only a file that exists as a regular file, or not yet, is written through a temporary.
bool is_replaced(const std::string& path) {
  struct stat info = {};
  return path != "-" && (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode));
}

}  // namespace

void install_signal_handlers() {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  if (::timer_create(CLOCK_MONOTONIC, &event, &patience) != 0) {
    throw Error(std::string("cannot make a timer: ") + std::strerror(errno));
  }
  handle(SIGALRM, on_patience_over);
  if (!is_ignored(SIGINT)) handle(SIGINT, on_stop_signal);
  handle(SIGTERM, on_stop_signal);
  // A write beyond `ulimit -f` shall fail like one to a full disk, not kill.
  handle(SIGXFSZ, SIG_IGN);
}

int stop_signal() {
  return first_signal.load(std::memory_order_relaxed);
}

void set_parting_words(const char* talk, const char* interrupted, const char* terminated) {
  parting_talk = talk;
  parting_data_interrupted = interrupted;
  parting_data_terminated = terminated;
}

FileAtRisk::FileAtRisk(const std::string& path) : counted_(is_replaced(path)) {
  if (counted_) results_at_risk.fetch_add(1);
  // Counted first, asked second: the timer can no longer strike in between.
  if (stop_requested()) {
    if (counted_) results_at_risk.fetch_sub(1);
    throw Cancelled();
  }
}

FileAtRisk::~FileAtRisk() {
  if (counted_) results_at_risk.fetch_sub(1);
}

ResultAtRisk::ResultAtRisk() {
  results_at_risk.fetch_add(1);
}

ResultAtRisk::~ResultAtRisk() {
  results_at_risk.fetch_sub(1);
}

}  // namespace pegasos::cli
