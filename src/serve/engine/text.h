#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

namespace outrigger::engine {

/// `text` as kube-scheduler can pass it on to people: '%' becomes "percent".
///
/// kube-scheduler hands the message of a pod's FailedScheduling event to Go's Sprintf as the
/// *format* (schedule_one.go, 1.31 to 1.36), so that "90 % used" reaches people as
/// "90 %!u(MISSING)sed".
std::string ForEvent(std::string_view text);
/// Appends ForEvent(text) to `out`.
void AppendForEvent(std::string_view text, std::string* out);

/// How many nodes are refused for the same reason.
struct CountedReason {
  std::string reason;
  size_t nodes = 0;
  friend bool operator==(const CountedReason&, const CountedReason&) = default;
};

/// "1 safe: too warm, 2 gang: waits": reasons as kube-scheduler (FitError.Error, 1.31 to 1.36) puts
/// them behind "0/3 nodes are available: ", in its order, which is that of the texts.
std::string CountedReasonsText(const std::vector<CountedReason>& reasons);

/// Text from a client as it may stand in a log line: in quotes where it is anything but a plain
/// word, control characters and invalid UTF-8 escaped, cut to 128 bytes.
inline std::string ForLog(std::string_view text) {
  constexpr size_t kMost = 128;
  const bool cut = text.size() > kMost;
  text = text.substr(0, kMost);
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
  std::string out = plain ? std::string(text) : fmt::format("{:?}", text);
  if (cut) out += "...";
  return out;
}

/// A sentence of our own, which may quote what others wrote: control characters and invalid UTF-8
/// are escaped. Cut to 2048 bytes: an API server gives its reason at the end of a message.
inline std::string LineForLog(std::string_view line) {
  constexpr size_t kMost = 2048;
  const std::string quoted = fmt::format("{:?}", line.substr(0, kMost));
  std::string out;
  out.reserve(quoted.size());
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    // Quotes and backslashes can do no harm here.
    const bool harmless = quoted[i] == '\\' && (quoted[i + 1] == '"' || quoted[i + 1] == '\\');
    out += quoted[harmless ? ++i : i];
  }
  if (line.size() > kMost) out += "...";
  return out;
}

}  // namespace outrigger::engine
