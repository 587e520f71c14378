#include "state_rules.h"

#include <cstddef>
#include <string>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "sdk/base/utf8.h"

namespace outrigger::internal {
namespace {

constexpr size_t kLongestKey = 253;
constexpr size_t kShownOfKey = 64;

}  // namespace

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
