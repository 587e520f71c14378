#include "cli/scheduler_config/entry_url.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

std::optional<int> ParsePort(std::string_view text) {
  int port = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  if (port < 1 || port > 65535) return std::nullopt;
  return port;
}

// "host", "host:80", "[::1]:80".
bool ReadAddress(std::string_view text, EntryUrl* url) {
  const size_t bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  if (text.starts_with('[') && bracket == std::string_view::npos) return false;
  const size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const std::optional<int> port = ParsePort(text.substr(colon + 1));
    if (!port) return false;
    url->port = *port;
  }
  url->host = text.substr(0, colon);
  if (bracket != std::string_view::npos) url->host = text.substr(1, bracket - 1);
  return !url->host.empty();
}

}  // namespace

std::string EntryUrl::Address() const {
  const bool brackets = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

std::optional<EntryUrl> ParseEntryUrl(const std::string& text) {
  EntryUrl url;
  url.tls = text.starts_with(kHttps);
  if (!url.tls && !text.starts_with(kHttp)) return std::nullopt;
  if (text.find_first_of(" \t\r\n\"?#") != std::string::npos) return std::nullopt;
  url.port = url.tls ? 443 : 80;
  std::string_view rest = std::string_view(text).substr((url.tls ? kHttps : kHttp).size());
  rest = rest.substr(0, rest.find_last_not_of('/') + 1);  // as kube-scheduler does
  const size_t slash = rest.find('/');
  if (!ReadAddress(rest.substr(0, slash), &url)) return std::nullopt;
  if (slash != std::string_view::npos) url.path = rest.substr(slash);
  return url;
}

}  // namespace outrigger::cli
