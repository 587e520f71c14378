#include "sdk/base/url.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "fmt/format.h"

namespace outrigger {
namespace {

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("{}", what));
}

bool IsPort(std::string_view text) {
  uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end && text.size() <= 5 && value >= 1 && value <= 65535;
}

std::string_view DefaultPort(std::string_view scheme) {
  if (scheme == "https") return "443";
  return scheme == "http" ? "80" : "1080";
}

bool IsHostByte(char c, bool bracketed) {
  return bracketed ? IsPlain(c) || c == ':' || c == '%' : IsPlain(c);
}

// "host", "host:port", "[::1]:port"
absl::Status SplitAuthority(std::string_view authority, Url* url) {
  if (authority.find('@') != std::string_view::npos) {
    return Wrong("a URL with a user name or password in it");
  }
  std::string_view rest;
  url->bracketed = authority.starts_with('[');
  if (url->bracketed) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) return Wrong("'[' without ']'");
    url->host = authority.substr(1, end - 1);
    rest = authority.substr(end + 1);
    if (url->host.find(':') == std::string::npos) return Wrong("no IPv6 address in brackets");
  } else {
    const size_t colon = authority.find(':');
    url->host = authority.substr(0, colon);
    if (colon != std::string_view::npos) rest = authority.substr(colon);
  }
  if (url->host.empty()) return Wrong("no host");
  if (!std::all_of(url->host.begin(), url->host.end(),
                   [&](char c) { return IsHostByte(c, url->bracketed); })) {
    return Wrong("a host has letters, digits, '-', '.' and '_' only");
  }
  url->port = rest.empty() ? DefaultPort(url->scheme) : rest.substr(1);
  if ((!rest.empty() && rest[0] != ':') || !IsPort(url->port)) {
    return Wrong("a port is a number from 1 to 65535");
  }
  return absl::OkStatus();
}

}  // namespace

std::string Escape(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (IsPlain(c)) {
      escaped += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped += '%';
    escaped += kDigits[byte >> 4U];
    escaped += kDigits[byte & 15U];
  }
  return escaped;
}

std::string QueryText(const std::vector<std::pair<std::string, std::string>>& query) {
  std::string text;
  for (const auto& [name, value] : query) {
    text += text.empty() ? '?' : '&';
    text += Escape(name);
    text += '=';
    text += Escape(value);
  }
  return text;
}

std::string HostAndPort(std::string_view host, uint16_t port) {
  const bool bracketed = host.find(':') != std::string_view::npos;
  return bracketed ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string Url::Authority() const {
  return bracketed ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

absl::StatusOr<Url> ParseUrl(std::string_view text) {
  Url url;
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos) return Wrong("no scheme such as https:// in it");
  url.scheme = text.substr(0, colon);
  std::transform(url.scheme.begin(), url.scheme.end(), url.scheme.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  text.remove_prefix(colon + 3);
  const size_t end = text.find_first_of("/?#");
  absl::Status status = SplitAuthority(text.substr(0, end), &url);
  if (!status.ok()) return status;
  if (end != std::string_view::npos) url.path = text.substr(end);
  while (url.path.ends_with('/')) url.path.pop_back();
  for (const char c : url.path) {
    if (!IsPlain(c) && std::string_view("/%:@!$&'()*+,;=").find(c) == std::string_view::npos) {
      return Wrong("a path has no blanks, control bytes, queries or fragments");
    }
  }
  return url;
}

bool IsLoopback(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  return host.starts_with("127.") &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace outrigger
