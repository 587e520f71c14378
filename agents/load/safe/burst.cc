#include "burst.h"

#include <algorithm>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"

namespace outrigger::safe {

std::optional<Window> ParseMeasured(std::string_view text) {
  constexpr size_t kLongest = 64;
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.size() > kLongest || text.back() != 's') {
    return std::nullopt;
  }
  absl::Time end;
  const std::string time(text.substr(0, slash));
  // absl takes blanks around a time, and the words "infinite-past" and "infinite-future".
  if (time.empty() || time.front() < '0' || time.front() > '9' || time.back() == ' ') {
    return std::nullopt;
  }
  if (!absl::ParseTime(absl::RFC3339_full, time, &end, nullptr)) return std::nullopt;
  const std::string_view seconds = text.substr(slash + 1, text.size() - slash - 2);
  const bool digits = std::all_of(seconds.begin(), seconds.end(),
                                  [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  double length = 0;
  if (!digits || !absl::SimpleAtod(absl::string_view(seconds.data(), seconds.size()), &length)) {
    return std::nullopt;
  }
  if (length > kLongestWindow) return std::nullopt;
  return Window{.end = absl::ToDoubleSeconds(end - absl::UnixEpoch()), .length = length};
}

std::optional<Window> ReadMeasured(const Request& request, const Node& node) {
  const std::string_view text = node.annotations.Get(kMeasuredAnnotation);
  if (text.data() == nullptr) return std::nullopt;
  const auto measured = ParseMeasured(text);
  if (!measured) {
    request.diagnostics.Malformed(node.name, kMeasuredAnnotation, text, kMeasuredForm);
  }
  return measured;
}

double ShareIn(const Window& window, const Stay& stay) {
  if (window.length <= 0) return stay.begin < window.end && stay.end >= window.end ? 1 : 0;
  const double from = std::max(stay.begin, window.end - window.length);
  const double to = std::min(stay.end, window.end);
  return std::clamp((to - from) / window.length, 0.0, 1.0);
}

Amounts Correction(const Window& window, std::span<const Stay> stays) {
  Amounts sum = {};
  for (const Stay& stay : stays) {
    const double share = ShareIn(window, stay);
    const double missing = stay.Lasts() ? 1 - share : -share;
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += stay.expected[i] * missing;
  }
  return sum;
}

bool IsPast(const Window& window, const Stay& stay) {
  const double start = window.end - window.length;
  return stay.Lasts() ? stay.begin < start || (stay.begin == start && window.length > 0)
                      : stay.end <= start && stay.end < window.end;
}

}  // namespace outrigger::safe
