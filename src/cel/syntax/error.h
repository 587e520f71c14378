#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrigger::cel {

/// One thing that is wrong with an expression.
struct SyntaxError {
  uint32_t offset = 0;  // of the byte of the text at which it is
  std::string message;  // what is wrong, and what would be right
};

/// A place of a text as people count: the first line is 1, the first column (in code points) too.
struct Place {
  size_t line = 1;
  size_t column = 1;
};

Place PlaceOf(std::string_view text, uint32_t offset);

/// The error as upstream prints it: "ERROR: <input>:1:5: message", the line of the text, and a
/// caret below the place. Control characters of the text are shown as blanks, long lines shortened
/// around the caret.
std::string Describe(std::string_view text, const SyntaxError& error);

/// What is found wrong with one text; at most kMost errors are kept.
class ErrorList {
 public:
  void Add(uint32_t offset, std::string message) {
    if (errors_.size() < kMost) errors_.push_back({offset, std::move(message)});
  }
  bool empty() const { return errors_.empty(); }
  const std::vector<SyntaxError>& errors() const { return errors_; }

  static constexpr size_t kMost = 10;

 private:
  std::vector<SyntaxError> errors_;
};

}  // namespace outrigger::cel
