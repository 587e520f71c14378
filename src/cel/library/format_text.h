#pragma once

#include <string>
#include <string_view>

#include "cel/library/function.h"

namespace outrigger::cel {

/// Which kind of argument one clause of a format (%s, %d, ...) takes.
struct FormatClause {
  char verb = 's';  // s d f e b x X o
  int precision = 6;
};

/// Divides a format into texts and clauses, one after the other. Nothing wrong: empty; else what.
class FormatReader {
 public:
  explicit FormatReader(std::string_view format) : rest_(format) {}

  /// Appends the text up to the next clause. False at the end, or if something is wrong.
  bool Next(std::string& text, FormatClause& clause);
  std::string_view error() const { return error_; }

 private:
  bool ReadClause(FormatClause& clause);

  std::string_view rest_;
  std::string_view error_;
};

/// Whether a clause takes a value of this kind.
bool ClauseTakes(char verb, Kind kind);

/// `format` with each clause replaced by the next of `args`.
Value FormatText(Evaluation& evaluation, std::string_view format, std::span<const Value> args);

/// The text as a literal of the language, in double quotes.
std::string QuotedText(std::string_view text);

/// The shortest text that reads back as `number`, as Go's %g: "1", "0.1", "1e+06", "+Inf".
std::string FormatDouble(double number);

}  // namespace outrigger::cel
