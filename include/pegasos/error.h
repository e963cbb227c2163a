// What can go wrong, as types. Every error the library throws derives from Error; the command line
// turns each kind into an exit code, the Python package into an exception.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace pegasos {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An option outside its range. field() is the option's name in its struct, e.g. "threads".
class InvalidOption : public Error {
 public:
  InvalidOption(std::string field, const std::string& message)
      : Error(field + ": " + message), field_(std::move(field)) {}
  const std::string& field() const { return field_; }

 private:
  std::string field_;
};

// One complaint about a text file, as a compiler would make it.
struct Diagnostic {
  std::uint64_t line = 0;    // from 1; 0 when the complaint is about the file as a whole
  std::uint64_t column = 0;  // byte in the line, from 1; 0 when about the whole line or file
  std::string message = {};  // "value 'abc' is not a number"
  std::string hint = {};     // the way out, may be empty
  std::string excerpt = {};  // the part of the line around the column, printable, may be empty
  std::size_t caret = 0;     // byte of excerpt the column points at

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// Data that cannot be read. Holds the first several complaints in the order of the file.
class ParseError : public Error {
 public:
  ParseError(std::string path, std::vector<Diagnostic> diagnostics);
  const std::string& path() const { return path_; }
  std::uint64_t line() const { return diagnostics_.front().line; }
  std::uint64_t column() const { return diagnostics_.front().column; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::string path_;
  std::vector<Diagnostic> diagnostics_;  // never empty
};

// A model in text form that cannot be read.
class ModelParseError : public ParseError {
 public:
  using ParseError::ParseError;
};

// The operating system refused something: open, read, write, rename, a full disk.
class IoError : public Error {
 public:
  // action says what was tried: "cannot open", "cannot write".
  IoError(const std::string& action, std::string path, int error_number);
  const std::string& path() const { return path_; }
  int error_number() const { return error_number_; }

 private:
  std::string path_;
  int error_number_;
};

// A binary file (data or model) whose bytes are not what a writer of ours leaves behind.
class CorruptFile : public Error {
 public:
  CorruptFile(std::string path, std::uint64_t offset, const std::string& message);
  const std::string& path() const { return path_; }
  std::uint64_t offset() const { return offset_; }

 private:
  std::string path_;
  std::uint64_t offset_;
};

// A model file that cannot be trusted.
class CorruptModel : public CorruptFile {
 public:
  using CorruptFile::CorruptFile;
  explicit CorruptModel(const CorruptFile& problem) : CorruptFile(problem) {}
};

// The caller's watcher asked to stop and there is no partial result to hand back.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace pegasos
