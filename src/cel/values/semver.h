#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrigger::cel {

/// A version as semver.org 2.0.0 has it. The texts are parts of the text that was read. Build
/// metadata does not count in comparisons.
struct Semver {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::string_view prerelease = {};  // "rc.1"; dots divide identifiers
  std::string_view build = {};

  std::string ToString() const;
};

/// Reads a strict version ("1.2.3-rc.1+build", no leading zeros, no "v"). Nothing if it is none;
/// then *why says what is wrong.
std::optional<Semver> ParseSemver(std::string_view text, std::string_view* why = nullptr);

/// What semver(text, true) accepts, made strict: without a leading "v", missing parts added as 0,
/// leading zeros removed. The result may still be no version.
std::string NormalisedSemver(std::string_view text);

/// Precedence (semver.org 2.0.0, item 11).
std::strong_ordering CompareSemver(const Semver& a, const Semver& b);

}  // namespace outrigger::cel
