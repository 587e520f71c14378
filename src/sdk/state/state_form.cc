#include "state_form.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "sdk/base/utf8.h"
#include "state_rules.h"

namespace outrigger::internal {
namespace {

constexpr std::string_view kFirst = "outrigger-state 1";
constexpr std::string_view kLast = "end";

/// Takes a text apart, line by line.
class Lines {
 public:
  explicit Lines(std::string_view text) : left_(text) {}

  /// The next line, unless the text ends before the line does.
  std::optional<std::string_view> Next() {
    const size_t end = left_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    ++number_;
    return line;
  }
  /// What follows `word` and a blank in the next line, which must start so.
  std::optional<std::string_view> NextOf(std::string_view word) {
    const auto line = Next();
    if (!line || line->size() <= word.size() || !line->starts_with(word)) return std::nullopt;
    if ((*line)[word.size()] != ' ') return std::nullopt;
    return line->substr(word.size() + 1);
  }
  /// The next line is taken by Next() only if it is of a text.
  bool IsText() const { return left_.starts_with('|') && left_.find('\n') != left_.npos; }
  bool is_empty() const { return left_.empty(); }

  absl::Status Lost(std::string_view why) const {
    return absl::DataLossError(
        fmt::format("cannot be read as a state: after line {}: {}", number_, why));
  }

 private:
  std::string_view left_;
  size_t number_ = 0;
};

std::optional<uint64_t> NumberOf(std::string_view text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

absl::Status TakeHead(Lines* lines, StateForm* form) {
  if (lines->Next() != kFirst) {
    return lines->Lost(fmt::format("\"{}\" is expected, the form that is known here", kFirst));
  }
  const auto agent = lines->NextOf("agent");
  if (!agent || agent->empty() || !IsUtf8(*agent)) return lines->Lost("\"agent NAME\" is expected");
  const auto version = NumberOf(lines->NextOf("version").value_or(""));
  if (version.value_or(0) == 0) return lines->Lost("\"version NUMBER\" is expected");
  form->agent = *agent;
  form->version = *version;
  return absl::OkStatus();
}

// One key, whose line is `line`, and its text.
absl::Status TakeKey(std::string_view line, Lines* lines, StateForm* form) {
  constexpr std::string_view kKey = "key ";
  if (!line.starts_with(kKey)) return lines->Lost("\"key NAME\" or \"end\" is expected");
  const std::string_view key = line.substr(kKey.size());
  if (!IsStateKey(key)) return lines->Lost("the name of the key is not accepted");
  if (!lines->IsText()) return lines->Lost("\"|\" and a line of the text are expected");
  std::string text(lines->Next()->substr(1));
  while (lines->IsText()) {
    text += '\n';
    text += lines->Next()->substr(1);
  }
  if (!IsUtf8(text)) return lines->Lost("the text is not UTF-8");
  const bool is_new = form->data.emplace(key, std::move(text)).second;
  return is_new ? absl::OkStatus() : lines->Lost("the key is given twice");
}

}  // namespace

std::string PrintState(const StateForm& form) {
  std::string out = fmt::format("{}\nagent {}\nversion {}\n", kFirst, form.agent, form.version);
  for (const auto& [key, text] : form.data) {
    out += fmt::format("key {}\n|", key);
    for (const char c : text) {
      out += c;
      if (c == '\n') out += '|';
    }
    out += '\n';
  }
  out += kLast;
  return out + "\n";
}

absl::StatusOr<StateForm> ParseState(std::string_view text) {
  Lines lines(text);
  StateForm form;
  if (absl::Status wrong = TakeHead(&lines, &form); !wrong.ok()) return wrong;
  for (;;) {
    const auto line = lines.Next();
    if (!line) return lines.Lost("\"end\" is expected: the rest is missing");
    if (*line == kLast) break;
    if (absl::Status wrong = TakeKey(*line, &lines, &form); !wrong.ok()) return wrong;
  }
  if (!lines.is_empty()) return lines.Lost("nothing is expected");
  return form;
}

}  // namespace outrigger::internal
