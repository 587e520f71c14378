#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/answer/parts.h"
#include "http/pool.h"
#include "http/server.h"
#include "http/socket/transport.h"

namespace outrigger::http {

/// The bytes of an answer's body.
size_t BodySize(const Response& response);
/// What `response` sends behind its head, piece by piece.
std::vector<std::string_view> BodyParts(const Response& response);

/// How the peer knows where the body of an answer ends.
enum class Framing { kLength, kChunked, kUntilClose };

/// The bytes before the body of an answer.
std::string AnswerHead(const Response& response, Framing framing, bool close);

/// Whether the headers that `response` adds can be sent: names and values of RFC 9110, and none
/// that is the transport's business.
bool HeadersAreSendable(const Response& response);

/// An answer of the transport's own; `text` is ours and needs no escapes.
Response Failure(int status, std::string_view text);

/// Writes one answer after the other to a transport, as far as the peer takes them. Knows no time.
/// Not thread-safe.
class AnswerWriter {
 public:
  /// The memory of answers goes back to `texts`, which outlives the writer.
  explicit AnswerWriter(Pool<std::string>& texts) : texts_(texts) {}
  ~AnswerWriter() { Clear(); }
  AnswerWriter(const AnswerWriter&) = delete;
  AnswerWriter& operator=(const AnswerWriter&) = delete;

  /// What to write next. `close`: say that the connection ends behind it. `with_body`: false for an
  /// answer to HEAD, and for one whose body others write.
  void Set(Response response, Framing framing, bool close, bool with_body);
  /// Writes until all is written, which is kBytes, or the peer takes nothing now, or never again.
  Moved Write(Transport& transport);
  /// Forgets the answer.
  void Clear();

 private:
  Pool<std::string>& texts_;
  Response answer_;
  std::string head_;
  Parts parts_;  // of the answer, head and all
};

}  // namespace outrigger::http
