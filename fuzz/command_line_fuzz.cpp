// The command line: one argument per line. It is parsed; nothing is run. Only a UsageError may come
// of it.
#include <cstdint>
#include <string>
#include <vector>

#include "program.h"
#include "session.h"
#include "usage_error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pegasos::cli;
  std::vector<std::string> words = {"pegasos"};
  std::string word;
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n' || data[i] == '\0') {
      words.push_back(word);
      word.clear();
    } else {
      word += static_cast<char>(data[i]);
    }
  }
  if (!word.empty()) words.push_back(word);
  std::vector<const char*> arguments;
  for (const std::string& one : words) arguments.push_back(one.c_str());
  Session session;
  try {
    Program program(session);
    program.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const UsageError&) {
  }
  return 0;
}
