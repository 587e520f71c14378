#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrigger::cel {

/// An absolute URL or an absolute path. All parts are parts of `text`.
struct Url {
  std::string_view text = {};
  std::string_view scheme = {};
  std::string_view host = {};  // with the port: "example.com:80"
  std::string_view path = {};
  std::string_view query = {};  // without '?'

  /// The host without port and without the brackets of an IPv6 address.
  std::string_view Hostname() const;
  std::string_view Port() const;
};

/// Reads what an HTTP request line could name: "scheme://host/path?query" or "/path?query". A
/// fragment is divided off. The scheme is returned as it is written.
std::optional<Url> ParseUrl(std::string_view text);

/// Keys and values of a query in order, escapes resolved. Parts with a bad escape or a semicolon
/// are left out.
std::vector<std::pair<std::string, std::string>> QueryParts(std::string_view query);

}  // namespace outrigger::cel
