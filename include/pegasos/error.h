// The exception types. Every exception the library throws derives from Error; the command line
// turns each kind into an exit code, the Python package into an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pegasos/setting.h"

namespace pegasos {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The way out of an error, in neutral words. Each {} in the text stands for the next of the
// settings, which every front end spells its own way.
struct Hint {
  std::string text = {};  // "fill empty cells with {} or {}"
  std::vector<Setting> settings = {};

  Hint() = default;
  Hint(const char* words) : text(words) {}
  Hint(std::string words, std::vector<Setting> options = {})
      : text(std::move(words)), settings(std::move(options)) {}

  bool empty() const { return text.empty(); }
  // By default a setting is written name=value.
  std::string in_words() const;
  std::string in_words(const std::function<std::string(const Setting&)>& spell) const;
  friend bool operator==(const Hint&, const Hint&) = default;
};

// An option outside its range, or one that does not go with the others or the data. field() is the
// option's name in its struct, e.g. "threads".
class InvalidOption : public Error {
 public:
  InvalidOption(std::string field, std::string message, Hint hint = {})
      : Error(field + ": " + message),
        field_(std::move(field)),
        message_(std::move(message)),
        hint_(std::move(hint)) {}
  const std::string& field() const { return field_; }
  const std::string& message() const { return message_; }  // without the field
  const Hint& hint() const { return hint_; }

 private:
  std::string field_;
  std::string message_;
  Hint hint_;
};

// Data that was read but cannot be used for what was asked: no labels, one class only.
class UnusableData : public Error {
 public:
  using Error::Error;
};

// One error in a text file, in the style of a compiler message.
struct Diagnostic {
  std::uint64_t line = 0;    // from 1; 0 if the error is about the file as a whole
  std::uint64_t column = 0;  // byte in the line, from 1; 0 when about the whole line or file
  std::string message = {};  // "value 'abc' is not a number"
  std::string hint = {};     // how to fix it, may be empty: that of `remedy` in words
  Hint remedy = {};
  std::string excerpt = {};  // the part of the line around the column, printable, may be empty
  std::size_t caret = 0;     // byte of excerpt the column points at

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// Malformed data. Holds the first few errors in file order.
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

// A binary file (data or model) that is damaged or not in our format.
class CorruptFile : public Error {
 public:
  CorruptFile(std::string path, std::uint64_t offset, const std::string& message);
  const std::string& path() const { return path_; }
  std::uint64_t offset() const { return offset_; }

 private:
  std::string path_;
  std::uint64_t offset_;
};

// A model file that is damaged or invalid.
class CorruptModel : public CorruptFile {
 public:
  using CorruptFile::CorruptFile;
  explicit CorruptModel(const CorruptFile& problem) : CorruptFile(problem) {}
};

// The caller's callback asked to stop and there is no partial result to return.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace pegasos
