#include "cli/scheduler_config/entry_url.h"

#include <charconv>

#include "fmt/format.h"
#include "sdk/base/url.h"

namespace outrigger::cli {

std::string EntryUrl::Address() const {
  const bool brackets = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

std::optional<EntryUrl> ParseEntryUrl(const std::string& text) {
  absl::StatusOr<Url> url = ParseUrl(text);
  if (!url.ok() || (url->scheme != "http" && url->scheme != "https")) return std::nullopt;
  EntryUrl entry{.tls = url->scheme == "https", .host = url->host, .path = url->path};
  // ParseUrl() has checked that it is a number.
  std::from_chars(url->port.data(), url->port.data() + url->port.size(), entry.port);
  return entry;
}

}  // namespace outrigger::cli
