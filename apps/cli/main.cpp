// The command line `pegasos`: parse -> run -> exit code.
#include "environment.h"
#include "error_report.h"
#include "exit_codes.h"
#include "heap.h"
#include "memory_reserve.h"
#include "program.h"
#include "ranks.h"
#include "session.h"
#include "signals.h"

int main(int argc, char** argv) {
  using namespace pegasos::cli;
  prepare_heap();
  Session session;
  try {
    keep_memory_in_reserve();
    install_signal_handlers();
    Program program(session);
    program.parse(argc, argv);
    obey_environment();
    prepare_parting_words(session);
    return join_ranks(program, session) ? program.run() : kDone;
  } catch (...) {
    const int exit_code = report_current_exception(session);
    end_other_ranks(session, exit_code);
    return exit_code;
  }
}
