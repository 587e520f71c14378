#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace outrigger::engine
