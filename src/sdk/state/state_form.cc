#include "state_form.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "sdk/base/utf8.h"

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

constexpr size_t kLongestKey = 253;
constexpr size_t kShownOfKey = 64;

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

bool IsStateKey(std::string_view key) {
  constexpr std::string_view kAccepted =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  return !key.empty() && key.size() <= kLongestKey && key != "." && !key.starts_with("..") &&
         key.find_first_not_of(kAccepted) == std::string_view::npos;
}

absl::Status CheckState(const StoredState& state) {
  size_t bytes = 0;
  for (const auto& [key, text] : state.data) {
    if (!IsStateKey(key)) {
      return absl::InvalidArgumentError(fmt::format(
          "key \"{}\" is not accepted; expected at most {} letters, digits, '-', '_' and '.'",
          Shortened(Printable(key), kShownOfKey), kLongestKey));
    }
    if (!IsUtf8(text)) {
      return absl::InvalidArgumentError(fmt::format("the text of {} is not UTF-8", key));
    }
    bytes += key.size() + text.size();
  }
  if (bytes <= kMostStateBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{} bytes of state, at most {} can be stored", bytes, kMostStateBytes));
}

absl::Status At(std::string_view place, const absl::Status& status) {
  if (status.ok()) return status;
  return {status.code(), fmt::format("{}: {}", place, std::string(status.message()))};
}

}  // namespace outrigger::internal
