#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/match.h"

namespace outrigger::http {

/// The head of a request as far as the transport reads it.
struct RequestHead {
  std::string method;
  std::string path;   // as sent, never percent-decoded; of an absolute-form target its path
  std::string query;  // behind the '?', or empty
  std::string content_type;
  std::string content_encoding;
  std::string transfer_encoding;  // meaningful if codings > 0
  std::string expect;
  uint64_t content_length = 0;  // meaningful if lengths > 0
  size_t lengths = 0;           // how many Content-Length headers there are
  size_t codings = 0;           // how many Transfer-Encoding headers there are
  size_t hosts = 0;             // how many Host headers there are
  size_t headers = 0;
  bool http10 = false;
  bool close = false;  // the client wants no further request on this connection
};

/// Equal but for the case of ASCII letters.
inline bool SameText(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}

/// Why a request is answered before the handler sees it.
struct Refusal {
  int status = 0;
  std::string text;
};

}  // namespace outrigger::http
