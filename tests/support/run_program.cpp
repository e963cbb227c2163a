#include "support/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

namespace pegasos::testing {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTick{5};
constexpr std::chrono::milliseconds kBetweenSignals{100};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
  return {ends[0], ends[1]};
}

Pipe make_terminal(unsigned short columns) {
  winsize size = {24, columns, 0, 0};
  Pipe terminal;
  if (::openpty(&terminal.read_end, &terminal.write_end, nullptr, nullptr, &size) != 0) {
    fail("openpty");
  }
  ::fcntl(terminal.read_end, F_SETFD, FD_CLOEXEC);
  ::fcntl(terminal.write_end, F_SETFD, FD_CLOEXEC);
  return terminal;
}

void close_once(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

std::vector<std::string> environment_of(const RunOptions& options) {
  const char* const path = ::getenv("PATH");
  std::map<std::string, std::string> variables = {{"PATH", path == nullptr ? "/bin" : path},
                                                  {"TERM", "xterm"},
                                                  {"LC_ALL", "C"},
                                                  {"HOME", "/nonexistent"}};
  for (const auto& [name, value] : options.environment) variables[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Between fork and exec: system calls only.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         const RunOptions& options, int in, int out, int err) {
  bool fine = ::dup2(in, 0) >= 0 && ::dup2(out, 1) >= 0 && ::dup2(err, 2) >= 0;
  if (!options.folder.empty()) fine = fine && ::chdir(options.folder.c_str()) == 0;
  if (!options.standard_output.empty()) {
    const int file = ::open(options.standard_output.c_str(), O_WRONLY);
    fine = fine && file >= 0 && ::dup2(file, 1) >= 0;
  }
  if (options.file_size_limit) {
    const rlimit limit = {*options.file_size_limit, *options.file_size_limit};
    fine = fine && ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
  }
  if (fine) ::execve(program, arguments, environment);
  ::_exit(127);
}

// The parent's side of a running child.
class Conversation {
 public:
  Conversation(pid_t child, int in, int out, int err, const RunOptions& options)
      : child_(child), in_(in), out_(out), err_(err), options_(options) {}

  RunResult hold() {
    const auto deadline = Clock::now() + options_.timeout;
    int status = 0;
    for (;;) {
      exchange();
      send_signals();
      const pid_t ended = ::waitpid(child_, &status, WNOHANG);
      if (ended == child_) break;
      if (Clock::now() > deadline && !result_.timed_out) {
        result_.timed_out = true;
        ::kill(child_, SIGKILL);
      }
    }
    close_once(in_);
    drain(out_, result_.out);
    drain(err_, result_.err);
    if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    return result_;
  }

 private:
  void exchange() {
    std::array<pollfd, 3> waiting = {
        {{in_, POLLOUT, 0}, {options_.read_output ? out_ : -1, POLLIN, 0}, {err_, POLLIN, 0}}};
    if (sent_ == options_.input.size()) waiting[0].fd = -1;
    ::poll(waiting.data(), waiting.size(), static_cast<int>(kTick.count()));
    if (waiting[0].revents != 0) feed();
    if (waiting[1].revents != 0) take(out_, result_.out);
    if (waiting[2].revents != 0) take(err_, result_.err);
    if (sent_ == options_.input.size() && !options_.keep_input_open) close_once(in_);
  }

  void feed() {
    const auto n = ::write(in_, options_.input.data() + sent_, options_.input.size() - sent_);
    sent_ = n > 0 ? sent_ + static_cast<std::size_t>(n) : options_.input.size();
  }

  // False at the end; a terminal ends with EIO.
  static bool take(int& fd, std::string& text) {
    std::array<char, 65536> bytes = {};
    const auto n = ::read(fd, bytes.data(), bytes.size());
    if (n > 0) text.append(bytes.data(), static_cast<std::size_t>(n));
    if (n <= 0) close_once(fd);
    return n > 0;
  }

  static void drain(int& fd, std::string& text) {
    while (fd >= 0) {
      pollfd waiting = {fd, POLLIN, 0};
      if (::poll(&waiting, 1, 100) <= 0 || !take(fd, text)) close_once(fd);
    }
  }

  void send_signals() {
    if (signals_sent_ == options_.signals.size() || Clock::now() < next_signal_) return;
    if (signals_sent_ == 0 && options_.signal_when && !options_.signal_when()) return;
    ::kill(child_, options_.signals[signals_sent_++]);
    next_signal_ = Clock::now() + kBetweenSignals;
  }

  pid_t child_;
  int in_;
  int out_;
  int err_;
  const RunOptions& options_;
  std::size_t sent_ = 0;
  std::size_t signals_sent_ = 0;
  Clock::time_point next_signal_ = Clock::now();
  RunResult result_;
};

}  // namespace

RunResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                      const RunOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);  // a program need not read all its input
  using Terminal = RunOptions::Terminal;
  Pipe in = make_pipe();
  Pipe err = options.terminal == Terminal::none ? make_pipe() : make_terminal(options.columns);
  Pipe out = make_pipe();
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment_of(options);
  const auto argv = pointers_to(words);
  const auto envp = pointers_to(variables);
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    const int output = options.terminal == Terminal::both ? err.write_end : out.write_end;
    become(program.c_str(), argv.data(), envp.data(), options, in.read_end, output, err.write_end);
  }
  close_once(in.read_end);
  close_once(out.write_end);
  close_once(err.write_end);
  RunResult result = Conversation(child, in.write_end, out.read_end, err.read_end, options).hold();
  if (options.terminal == Terminal::both) std::swap(result.out, result.err);
  return result;
}

}  // namespace pegasos::testing
