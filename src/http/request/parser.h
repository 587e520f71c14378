#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
  std::string fields;  // "name:value\n" of each header
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

/// What is read of a request at most.
struct ReaderLimits {
  size_t max_head = size_t{32} << 10;   // bytes, first line included; trailers have the same limit
  size_t max_target = size_t{8} << 10;  // bytes
  size_t max_headers = 100;             // trailers count
  size_t max_body = size_t{256} << 20;  // bytes, without the framing of chunks
  // Bytes asked for while it is not known how many come: most heads, and most bodies of names-only
  // calls for some hundred nodes, come in one read.
  size_t first_read = size_t{16} << 10;
};

/// Bytes of the first line at most: there is room for a method and a version beside the target.
inline size_t MaxLine(const ReaderLimits& limits) {
  return limits.max_target + 64;
}

/// The text of a refusal.
std::string BodyTooLarge(size_t limit);

/// The syntax of one request and the limits of its head and framing, by Boost.Beast's parser; its
/// source is the only one that knows that library. Understands no semantics: what a server must
/// refuse is the reader's business. Not thread-safe.
class RequestParser {
 public:
  /// `limits` outlive the parser.
  explicit RequestParser(const ReaderLimits& limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  enum class Result { kMore, kDone, kRefused };

  /// Reads on in the head. `bytes`: all that has come and was not used before; of it, `used` are
  /// used now. kMore: the same bytes again, with more behind them.
  Result ParseHead(std::string_view bytes, size_t* used);

  /// The same for a chunked body, whose content goes to `sink`; a sink that says false ends it with
  /// kRefused and leaves refusal() alone.
  using Sink = std::function<bool(std::string_view content)>;
  Result ParseChunks(std::string_view bytes, const Sink& sink, size_t* used);

  const RequestHead& head() const;
  /// Meaningful after kRefused.
  const Refusal& refusal() const;

 private:
  class Beast;
  const ReaderLimits& limits_;
  const std::unique_ptr<Beast> beast_;
  size_t head_bytes_ = 0;  // used until now
};

}  // namespace outrigger::http
