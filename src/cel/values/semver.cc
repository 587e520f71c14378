#include "cel/values/semver.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "absl/strings/ascii.h"
#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

bool AllDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-';
  });
}

bool ReadNumber(std::string_view text, uint64_t& number, std::string_view& why) {
  if (text.empty() || !AllDigits(text)) {
    why = "major, minor and patch must be numbers";
    return false;
  }
  if (text.size() > 1 && text.front() == '0') {
    why = "numbers must not have leading zeros";
    return false;
  }
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc()) return true;
  why = "number too large";
  return false;
}

bool CheckPrerelease(std::string_view text, std::string_view& why) {
  for (const std::string_view part : Split(text, '.')) {
    uint64_t number = 0;
    if (!IsIdentifier(part)) {
      why = "prerelease identifiers have letters, digits and '-'";
      return false;
    }
    if (AllDigits(part) && !ReadNumber(part, number, why)) return false;
  }
  return true;
}

bool CheckBuild(std::string_view text, std::string_view& why) {
  for (const std::string_view part : Split(text, '.')) {
    if (IsIdentifier(part)) continue;
    why = "build identifiers have letters, digits and '-'";
    return false;
  }
  return true;
}

// What follows the second dot: "3-rc.1+build".
bool ReadTail(std::string_view tail, Semver& version, std::string_view& why) {
  if (const size_t plus = tail.find('+'); plus != std::string_view::npos) {
    version.build = tail.substr(plus + 1);
    if (!CheckBuild(version.build, why)) return false;
    tail = tail.substr(0, plus);
  }
  if (const size_t minus = tail.find('-'); minus != std::string_view::npos) {
    version.prerelease = tail.substr(minus + 1);
    if (!CheckPrerelease(version.prerelease, why)) return false;
    tail = tail.substr(0, minus);
  }
  return ReadNumber(tail, version.patch, why);
}

std::strong_ordering CompareIdentifiers(std::string_view a, std::string_view b) {
  const bool a_number = AllDigits(a);
  const bool b_number = AllDigits(b);
  if (a_number != b_number) {
    return a_number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  // Without leading zeros a longer number is larger.
  if (a_number && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

std::string_view TakeIdentifier(std::string_view& rest) {
  const size_t dot = rest.find('.');
  const std::string_view part = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  return part;
}

std::strong_ordering ComparePrereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();  // none is the later version
  while (!a.empty() && !b.empty()) {
    const auto order = CompareIdentifiers(TakeIdentifier(a), TakeIdentifier(b));
    if (!std::is_eq(order)) return order;
  }
  return !a.empty() <=> !b.empty();
}

std::string WithoutLeadingZeros(std::string_view part) {
  if (part.size() < 2) return std::string(part);
  const std::string_view rest = part.substr(std::min(part.find_first_not_of('0'), part.size()));
  const bool digit = !rest.empty() && absl::ascii_isdigit(static_cast<unsigned char>(rest.front()));
  return digit ? std::string(rest) : Concat("0", rest);
}

}  // namespace

std::optional<Semver> ParseSemver(std::string_view text, std::string_view* why) {
  std::string_view reason;
  Semver version;
  const size_t first = text.find('.');
  const size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  bool good = second != std::string_view::npos;
  if (!good) {
    reason = "major, minor and patch are needed";
  } else {
    good = ReadNumber(text.substr(0, first), version.major, reason) &&
           ReadNumber(text.substr(first + 1, second - first - 1), version.minor, reason) &&
           ReadTail(text.substr(second + 1), version, reason);
  }
  if (why != nullptr) *why = reason;
  return good ? std::optional<Semver>(version) : std::nullopt;
}

std::string NormalisedSemver(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (const std::string_view part : Split(text, '.', 3))
    parts.push_back(WithoutLeadingZeros(part));
  // A short version cannot have more than numbers: it is left as it is, which no version is.
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return std::string(text);
  }
  while (parts.size() < 3) parts.emplace_back("0");
  return Concat(parts[0], ".", parts[1], ".", parts[2]);
}

std::strong_ordering CompareSemver(const Semver& a, const Semver& b) {
  if (const auto order = a.major <=> b.major; !std::is_eq(order)) return order;
  if (const auto order = a.minor <=> b.minor; !std::is_eq(order)) return order;
  if (const auto order = a.patch <=> b.patch; !std::is_eq(order)) return order;
  return ComparePrereleases(a.prerelease, b.prerelease);
}

std::string Semver::ToString() const {
  return Concat(major, ".", minor, ".", patch, prerelease.empty() ? "" : "-", prerelease,
                build.empty() ? "" : "+", build);
}

}  // namespace outrigger::cel
