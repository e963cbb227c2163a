// The command line `pegasos`: parse -> run -> exit code.
#include "environment.h"
#include "error_report.h"
#include "memory_reserve.h"
#include "program.h"
#include "session.h"
#include "signals.h"

int main(int argc, char** argv) {
  using namespace pegasos::cli;
  Session session;
  try {
    keep_memory_in_reserve();
    install_signal_handlers();
    Program program(session);
    program.parse(argc, argv);
    obey_environment();
    prepare_parting_words(session);
    return program.run();
  } catch (...) {
    return report_current_exception(session);
  }
}
