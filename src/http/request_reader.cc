#include "http/request_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "http/server.h"

namespace outrigger::http {
namespace {

// A body of unknown length begins here and doubles; pooled buffers are larger already.
constexpr size_t kFirstBody = size_t{64} << 10;
// One read of a body takes at most this much: the budget is asked before the bytes come.
constexpr size_t kLargestRead = size_t{4} << 20;

// Empty lines before a request; without a limit they would keep a thread as long as they come.
constexpr size_t kEmptyLines = 16;

}  // namespace

RequestReader::RequestReader(const ReaderLimits& limits, Pool<Buffer>& bodies, Budget& memory)
    : limits_(limits), bodies_(bodies), memory_(memory) {}

RequestReader::~RequestReader() {
  bodies_.Give(std::move(large_));
  memory_.Give(charged_);
}

const RequestHead& RequestReader::head() const {
  static const RequestHead none;
  return parser_ != nullptr ? parser_->head() : none;
}

void RequestReader::Refuse(int status, std::string text) {
  refusal_ = {status, std::move(text)};
  state_ = State::kRefused;
}

void RequestReader::Next() {
  parser_.reset();
  bodies_.Give(std::exchange(large_, Buffer()));
  memory_.Give(std::exchange(charged_, 0));
  size_ = 0;
  empty_lines_ = 0;
  body_ = {};
  state_ = State::kIdle;
  // An idle connection should cost next to nothing.
  if (begin_ == end_) {
    input_ = Buffer();
    begin_ = end_ = 0;
  }
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
  return head().codings > 0 ? ReadChunks(transport, blocked) : ReadLength(transport, blocked);
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

/// The parser sees the same bytes of a head, or of a line between chunks, again until it is
/// complete: there must be room for the longest one.
void RequestReader::ReserveInput() {
  const size_t room =
      end_ - begin_ < limits_.first_read / 2 ? limits_.first_read : limits_.max_head;
  input_.Reserve(room + kBodyPadding, end_);
}

/// Receives behind what is unread in input_, whose room the caller has seen to.
bool RequestReader::Fill(Transport& transport, Moved::How* blocked) {
  if (begin_ > 0) {
    std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  const size_t room = input_.capacity() - kBodyPadding - end_;
  if (room == 0) {
    Refuse(431, "the head of the request is too large");
    return true;
  }
  const Moved moved = transport.Read(input_.data() + end_, room);
  if (moved.how == Moved::How::kBytes) end_ += moved.bytes;
  return TakeResult(moved, blocked);
}

/// RFC 9112, 2.2: some clients send an empty line behind a body. False while only half of one is
/// here, or when they are too many.
bool RequestReader::SkipEmptyLines() {
  while (end_ - begin_ >= 2 && input_.data()[begin_] == '\r' && input_.data()[begin_ + 1] == '\n') {
    begin_ += 2;
    if (++empty_lines_ <= kEmptyLines) continue;
    Refuse(400, "too many empty lines before the request");
    return false;
  }
  return unread() != "\r";
}

bool RequestReader::ReadHead(Transport& transport, Moved::How* blocked) {
  const bool began = state_ != State::kIdle || SkipEmptyLines();
  if (state_ == State::kRefused) return true;
  if (began && begin_ < end_) {
    if (state_ == State::kIdle) {
      state_ = State::kLine;
      parser_ = std::make_unique<RequestParser>(limits_);
    }
    if (state_ == State::kLine && unread().find('\n') != std::string_view::npos) {
      state_ = State::kHeaders;
    }
    size_t used = 0;
    const auto result = parser_->ParseHead(unread(), &used);
    begin_ += used;
    if (result == RequestParser::Result::kRefused) {
      refusal_ = parser_->refusal();
      state_ = State::kRefused;
      return true;
    }
    if (result == RequestParser::Result::kDone) {
      FinishHead();
      return true;
    }
    if (state_ == State::kLine && end_ - begin_ > MaxLine(limits_)) {
      Refuse(414, "the request's first line is too long");
      return true;
    }
  }
  ReserveInput();
  return Fill(transport, blocked);
}

void RequestReader::FinishHead() {
  PlanBody();
  if (state_ == State::kRefused) return;
  state_ = State::kBody;
  const bool none = head().codings == 0 && head().content_length == 0;
  if (!head().expect.empty() && !none && begin_ == end_)
    continue_ = "HTTP/1.1 100 Continue\r\n\r\n";
  if (head().codings == 0) BeginLength();
}

/// Refuses from the head alone, so that nothing is read of a body that nobody wants.
void RequestReader::PlanBody() {
  const RequestHead& head = this->head();
  if (head.hosts > 1 || (head.hosts == 0 && !head.http10)) {
    return Refuse(400, "one Host header is wanted");
  }
  if (!head.content_encoding.empty() && !SameText(head.content_encoding, "identity")) {
    // A few kilobytes can inflate to anything.
    return Refuse(415, "Content-Encoding is not accepted: send the body as it is");
  }
  if (head.codings > 0) {
    // RFC 9112, 6.3: both headers together are how requests are smuggled.
    if (head.lengths > 0) {
      return Refuse(400, "Content-Length and Transfer-Encoding exclude each other");
    }
    if (head.http10) return Refuse(400, "HTTP/1.0 has no Transfer-Encoding");
    if (head.codings > 1 || !SameText(head.transfer_encoding, "chunked")) {
      return Refuse(501, "Transfer-Encoding: only chunked is accepted");
    }
  }
  if (head.lengths > 1) return Refuse(400, "Content-Length is given more than once");
  if (head.content_length > limits_.max_body) {
    return Refuse(413, BodyTooLarge(limits_.max_body));
  }
  if (!head.expect.empty() && !SameText(head.expect, "100-continue")) {
    return Refuse(417, "Expect: only 100-continue is accepted");
  }
}

bool RequestReader::SendContinue(Transport& transport, Moved::How* blocked) {
  const Moved moved = transport.Write({&continue_, 1});
  if (moved.how == Moved::How::kBytes) continue_.remove_prefix(moved.bytes);
  return TakeResult(moved, blocked);
}

/// Decides where a body of known length goes: small ones stay where they are.
void RequestReader::BeginLength() {
  const size_t length = head().content_length;
  const size_t here = std::min(length, end_ - begin_);
  if (length + kBodyPadding <= input_.capacity() - begin_) return;
  large_ = bodies_.Take(length + kBodyPadding);
  large_.Reserve(length + kBodyPadding, 0);
  if (!Charge(here)) return;
  std::memcpy(large_.data(), input_.data() + begin_, here);
  begin_ += here;
  size_ = here;
}

bool RequestReader::ReadLength(Transport& transport, Moved::How* blocked) {
  const size_t length = head().content_length;
  if (large_.capacity() == 0) {
    if (end_ - begin_ >= length) {
      CompleteInPlace(length);
      return true;
    }
    const Moved moved = transport.Read(input_.data() + end_, length - (end_ - begin_));
    if (moved.how == Moved::How::kBytes) end_ += moved.bytes;
    return TakeResult(moved, blocked);
  }
  if (size_ == length) {
    Complete(large_.data(), size_);
    return true;
  }
  const size_t wanted = std::min(length - size_, kLargestRead);
  if (!Charge(wanted)) return true;
  const Moved moved = transport.Read(large_.data() + size_, wanted);
  const size_t got = moved.how == Moved::How::kBytes ? moved.bytes : 0;
  size_ += got;
  memory_.Give(wanted - got);
  charged_ -= wanted - got;
  return TakeResult(moved, blocked);
}

bool RequestReader::ReadChunks(Transport& transport, Moved::How* blocked) {
  size_t used = 0;
  const auto result = parser_->ParseChunks(
      unread(), [this](std::string_view content) { return Append(content); }, &used);
  begin_ += used;
  switch (result) {
    case RequestParser::Result::kDone:
      large_.Reserve(size_ + kBodyPadding, size_);
      Complete(large_.data(), size_);
      return true;
    case RequestParser::Result::kRefused:
      if (state_ != State::kRefused) {
        refusal_ = parser_->refusal();
        state_ = State::kRefused;
      }
      return true;
    case RequestParser::Result::kMore:
      break;
  }
  if (end_ - begin_ >= limits_.max_head) {
    Refuse(400, "malformed chunk length or chunk end: a line is too long");
    return true;
  }
  ReserveInput();
  return Fill(transport, blocked);
}

/// A piece of a chunked body; false once the request is refused.
bool RequestReader::Append(std::string_view content) {
  if (!Charge(content.size())) return false;
  const size_t needed = size_ + content.size() + kBodyPadding;
  if (large_.capacity() == 0) large_ = bodies_.Take(kFirstBody);
  if (needed > large_.capacity()) large_.Reserve(std::max({needed, 2 * size_, kFirstBody}), size_);
  std::memcpy(large_.data() + size_, content.data(), content.size());
  size_ += content.size();
  return true;
}

bool RequestReader::Charge(size_t bytes) {
  if (memory_.Take(bytes)) {
    charged_ += bytes;
    return true;
  }
  Refuse(503, "the requests under way hold all the memory that bodies may take; try again");
  return false;
}

/// Ends a body that lies in input_ at begin_. What lies behind it belongs to the next request and
/// has to survive the padding.
void RequestReader::CompleteInPlace(size_t length) {
  const size_t behind = end_ - begin_ - length;
  if (behind > 0) {
    input_.Reserve(end_ + 2 * kBodyPadding, end_);
    char* const next = input_.data() + begin_ + length;
    std::memmove(next + kBodyPadding, next, behind);
  }
  char* const body = input_.data() + begin_;
  begin_ += length + (behind > 0 ? kBodyPadding : 0);
  end_ = begin_ + behind;
  Complete(body, length);
}

void RequestReader::Complete(char* body, size_t length) {
  std::memset(body + length, 0, kBodyPadding);
  body_ = {body, length};
  state_ = State::kComplete;
}

}  // namespace outrigger::http
