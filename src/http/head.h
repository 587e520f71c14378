#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/strings/match.h"

namespace outrigger::http {

/// The head of a request as far as the transport reads it. Views live as long as the exchange.
struct RequestHead {
  std::string_view method;
  std::string_view path;
  std::string_view query;
  std::string_view content_type;
  std::string_view content_length;     // as it was sent; meaningful if lengths > 0
  size_t lengths = 0;                  // how many Content-Length headers there are
  std::string_view transfer_encoding;  // meaningful if codings > 0
  size_t codings = 0;                  // how many Transfer-Encoding headers there are
  std::string_view content_encoding;
  std::string_view expect;
  bool close = false;  // the client wants no further request on this connection
};

/// Equal but for the case of ASCII letters.
inline bool SameText(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}

/// Why a request is answered before the handler sees it.
struct Refusal {
  int status;
  std::string text;
};

}  // namespace outrigger::http
