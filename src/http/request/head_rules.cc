#include "http/request/head_rules.h"

namespace outrigger::http {
namespace {

std::optional<Refusal> RefuseCodings(const RequestHead& head) {
  if (head.codings == 0) return std::nullopt;
  // RFC 9112, 6.3: both headers together are how requests are smuggled.
  if (head.lengths > 0) {
    return Refusal{400, "Content-Length and Transfer-Encoding exclude each other"};
  }
  if (head.http10) return Refusal{400, "HTTP/1.0 has no Transfer-Encoding"};
  if (head.codings > 1 || !SameText(head.transfer_encoding, "chunked")) {
    return Refusal{501, "Transfer-Encoding: only chunked is accepted"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> RefuseByHead(const RequestHead& head, const ReaderLimits& limits) {
  if (head.hosts > 1 || (head.hosts == 0 && !head.http10)) {
    return Refusal{400, "one Host header is wanted"};
  }
  if (!head.content_encoding.empty() && !SameText(head.content_encoding, "identity")) {
    // A few kilobytes can inflate to anything.
    return Refusal{415, "Content-Encoding is not accepted: send the body as it is"};
  }
  if (auto refusal = RefuseCodings(head)) return refusal;
  if (head.lengths > 1) return Refusal{400, "Content-Length is given more than once"};
  if (head.content_length > limits.max_body) return Refusal{413, BodyTooLarge(limits.max_body)};
  if (!head.expect.empty() && !SameText(head.expect, "100-continue")) {
    return Refusal{417, "Expect: only 100-continue is accepted"};
  }
  return std::nullopt;
}

}  // namespace outrigger::http
