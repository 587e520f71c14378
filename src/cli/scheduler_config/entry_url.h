#pragma once

#include <optional>
#include <string>

namespace outrigger::cli {

/// A urlPrefix, taken apart.
struct EntryUrl {
  bool tls = false;
  std::string host;  // without brackets
  int port = 80;
  std::string path;  // "/safe", or empty

  /// "127.0.0.1:9870".
  std::string Address() const;
};

/// Nothing for what kube-scheduler cannot call.
std::optional<EntryUrl> ParseEntryUrl(const std::string& text);

}  // namespace outrigger::cli
