// The command line does not make sense. Exit code 2.
#pragma once

#include <string>
#include <utility>

#include "pegasos/error.h"

namespace pegasos::cli {

class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message, std::string hint = "")
      : Error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

}  // namespace pegasos::cli
