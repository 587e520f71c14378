#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace outrigger {

/// `text` as a part of a path or query: all but letters, digits and "-._~" as %XX.
std::string Escape(std::string_view text);

/// "?a=b&c=d", escaped; empty without parameters.
std::string QueryText(const std::vector<std::pair<std::string, std::string>>& query);

/// "127.0.0.1:80", "[::1]:80"
std::string HostAndPort(std::string_view host, uint16_t port);

/// Where an API server or a proxy is.
struct Url {
  std::string scheme;  // lower case
  std::string host;    // without brackets: "10.0.0.1", "::1", "api.example.com"
  std::string port;    // digits; the scheme's own if none is given
  std::string path;    // without a slash at the end; empty for "/"
  bool bracketed = false;

  /// "[::1]:443"
  std::string Authority() const;
};

/// Reads "https://host[:port][/path]". InvalidArgument says what is wrong, without naming `text`,
/// which may hold a password: another form, user names, a query, bytes that no URL has.
absl::StatusOr<Url> ParseUrl(std::string_view text);

/// True for "localhost", 127.0.0.0/8 and ::1.
bool IsLoopback(std::string_view host);

}  // namespace outrigger
