#include "http/request/reader.h"

#include <optional>

#include "http/request/parser.h"

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

// Why a request is refused for what its complete, well-formed head says, so that nothing is read
// of a body that nobody wants; nothing if its body may come.
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

// Empty lines before a request; without a limit they would keep a thread as long as they come.
constexpr size_t kEmptyLines = 16;

}  // namespace

RequestReader::RequestReader(const ReaderLimits& limits, Pool<Buffer>& bodies, Budget& memory)
    : limits_(limits), body_(limits, bodies, memory) {}

const RequestHead& RequestReader::head() const {
  static const RequestHead none;
  return parser_ != nullptr ? parser_->head() : none;
}

void RequestReader::Refuse(Refusal refusal) {
  refusal_ = std::move(refusal);
  state_ = State::kRefused;
}

void RequestReader::Next() {
  parser_.reset();
  body_.Clear();
  empty_lines_ = 0;
  state_ = State::kIdle;
  input_.Trim();  // an idle connection should cost next to nothing
}

RequestReader::State RequestReader::Advance(Transport& transport, Moved::How* blocked) {
  while (state_ < State::kComplete && Step(transport, blocked)) {
  }
  return state_;
}

/// One step forward; false when the transport has nothing now.
bool RequestReader::Step(Transport& transport, Moved::How* blocked) {
  if (state_ != State::kBody) return ReadHead(transport, blocked);
  if (!continue_.empty()) return SendContinue(transport, blocked);
  return ReadBody(transport, blocked);
}

bool RequestReader::TakeResult(const Moved& moved, Moved::How* blocked) {
  switch (moved.how) {
    case Moved::How::kBytes:
      return true;
    case Moved::How::kEnd:
      if (state_ == State::kBody) {
        Refuse(400, "the body ended early");
      } else {
        state_ = State::kEnded;
      }
      return true;
    case Moved::How::kFailed:
      state_ = State::kEnded;
      return true;
    case Moved::How::kWouldRead:
    case Moved::How::kWouldWrite:
      break;
  }
  *blocked = moved.how;
  return false;
}

/// RFC 9112, 2.2: some clients send an empty line behind a body. False while only half of one is
/// here, or when they are too many.
bool RequestReader::SkipEmptyLines() {
  while (input_.unread().substr(0, 2) == "\r\n") {
    input_.Skip(2);
    if (++empty_lines_ <= kEmptyLines) continue;
    Refuse(400, "too many empty lines before the request");
    return false;
  }
  return input_.unread() != "\r";
}

bool RequestReader::ReadHead(Transport& transport, Moved::How* blocked) {
  const bool began = state_ != State::kIdle || SkipEmptyLines();
  if (state_ == State::kRefused) return true;
  if (began && !input_.empty() && ParseHead()) return true;
  input_.Reserve(limits_);
  if (input_.full()) {
    Refuse(431, "the head of the request is too large");
    return true;
  }
  return TakeResult(input_.Receive(transport), blocked);
}

/// False if the head goes on.
bool RequestReader::ParseHead() {
  if (state_ == State::kIdle) {
    state_ = State::kLine;
    parser_ = std::make_unique<RequestParser>(limits_);
  }
  if (state_ == State::kLine && input_.unread().find('\n') != std::string_view::npos) {
    state_ = State::kHeaders;
  }
  size_t used = 0;
  const auto result = parser_->ParseHead(input_.unread(), &used);
  input_.Skip(used);
  switch (result) {
    case RequestParser::Result::kRefused:
      Refuse(parser_->refusal());
      return true;
    case RequestParser::Result::kDone:
      FinishHead();
      return true;
    case RequestParser::Result::kMore:
      break;
  }
  if (state_ != State::kLine || input_.unread().size() <= MaxLine(limits_)) return false;
  Refuse(414, "the request's first line is too long");
  return true;
}

void RequestReader::FinishHead() {
  const RequestHead& head = this->head();
  if (auto refusal = RefuseByHead(head, limits_)) return Refuse(*std::move(refusal));
  state_ = State::kBody;
  const bool none = head.codings == 0 && head.content_length == 0;
  if (!head.expect.empty() && !none && input_.empty()) continue_ = "HTTP/1.1 100 Continue\r\n\r\n";
  body_.Begin(head, input_);
  if (body_.state() == BodyReader::State::kRefused) Refuse(body_.refusal());
}

bool RequestReader::SendContinue(Transport& transport, Moved::How* blocked) {
  const Moved moved = transport.Write({&continue_, 1});
  if (moved.how == Moved::How::kBytes) continue_.remove_prefix(moved.bytes);
  return TakeResult(moved, blocked);
}

bool RequestReader::ReadBody(Transport& transport, Moved::How* blocked) {
  const Moved moved = body_.Step(transport, *parser_, input_);
  switch (body_.state()) {
    case BodyReader::State::kReading:
      break;
    case BodyReader::State::kComplete:
      state_ = State::kComplete;
      return true;
    case BodyReader::State::kRefused:
      Refuse(body_.refusal());
      return true;
  }
  return TakeResult(moved, blocked);
}

}  // namespace outrigger::http
