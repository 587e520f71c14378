#include "apiserver/types/scalars.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "fmt/format.h"
#include "outrigger/k8s/quantity.h"
#include "re2/re2.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kQuantityProblem =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

// From 0000-01-01 to the end of 9999. Go's zero time is 0001-01-01.
constexpr int64_t kFirstSecond = -62'167'219'200;
constexpr int64_t kLastSecond = 253'402'300'799;
constexpr int64_t kZeroTime = -62'135'596'800;

// What absl is too lenient with.
bool LooksLikeTime(bool micro, const std::string& text) {
  static const RE2* const seconds =
      new RE2(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d))");
  static const RE2* const micros =
      new RE2(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{6}(Z|[+-]\d\d:\d\d))");
  return RE2::FullMatch(text, micro ? *micros : *seconds);
}

}  // namespace

std::optional<std::string> ConformQuantity(std::string* text) {
  const auto quantity = Quantity::Parse(std::string(absl::StripAsciiWhitespace(*text)));
  if (!quantity.ok()) return kQuantityProblem;
  *text = quantity->ToString();
  return std::nullopt;
}

std::optional<std::string> ConformTime(bool micro, std::string* text) {
  absl::Time time;
  if (LooksLikeTime(micro, *text) && absl::ParseTime(absl::RFC3339_full, *text, &time, nullptr)) {
    const int64_t seconds = absl::ToUnixSeconds(time);
    const absl::Duration rest = time - absl::FromUnixSeconds(seconds);
    if (auto canonical = TimeText(seconds, absl::ToInt64Nanoseconds(rest), micro)) {
      *text = *std::move(canonical);
      return std::nullopt;
    }
  }
  return fmt::format("parsing time \"{}\" as \"2006-01-02T15:04:05{}Z07:00\": it is none", *text,
                     micro ? ".000000" : "");
}

std::optional<std::string> ConformBase64(std::string* text) {
  const std::string whole = absl::StrReplaceAll(*text, {{"\n", ""}, {"\r", ""}});
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  std::string bytes;
  if (whole.size() % 4 != 0 || whole.find_first_not_of(kDigits) != std::string::npos ||
      !absl::Base64Unescape(whole, &bytes)) {
    return "illegal base64 data";
  }
  absl::Base64Escape(bytes, text);
  return std::nullopt;
}

std::optional<std::string> TimeText(int64_t seconds, int64_t nanoseconds, bool micro) {
  if (seconds < kFirstSecond || seconds > kLastSecond) return std::nullopt;
  if (seconds == kZeroTime && nanoseconds == 0) return "";
  return absl::FormatTime(micro ? "%E4Y-%m-%dT%H:%M:%E6SZ" : "%E4Y-%m-%dT%H:%M:%SZ",
                          absl::FromUnixSeconds(seconds) + absl::Nanoseconds(nanoseconds),
                          absl::UTCTimeZone());
}

}  // namespace outrigger::apiserver
