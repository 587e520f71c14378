#include "http/request/body_reader.h"

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

constexpr Moved kForward{Moved::How::kBytes, 0};

}  // namespace

BodyReader::BodyReader(const ReaderLimits& limits, Pool<Buffer>& bodies, Budget& memory)
    : limits_(limits), bodies_(bodies), memory_(memory) {}

BodyReader::~BodyReader() {
  Clear();
}

void BodyReader::Clear() {
  bodies_.Give(std::exchange(large_, Buffer()));
  memory_.Give(std::exchange(charged_, 0));
  size_ = 0;
  body_ = {};
  state_ = State::kReading;
}

void BodyReader::Begin(const RequestHead& head, Input& input) {
  if (head.codings > 0) return;
  const size_t length = head.content_length;
  if (input.HasRoomFor(length)) return;
  const std::string_view here = input.unread().substr(0, length);
  large_ = bodies_.Take(length + kBodyPadding);
  large_.Reserve(length + kBodyPadding, 0);
  if (!Charge(here.size())) return;
  std::memcpy(large_.data(), here.data(), here.size());
  input.Skip(here.size());
  size_ = here.size();
}

Moved BodyReader::Step(Transport& transport, RequestParser& parser, Input& input) {
  const RequestHead& head = parser.head();
  if (head.codings > 0) return ReadChunks(transport, parser, input);
  if (large_.capacity() > 0) return ReadLength(transport, head.content_length);
  return ReadInPlace(transport, input, head.content_length);
}

Moved BodyReader::ReadInPlace(Transport& transport, Input& input, size_t length) {
  const size_t here = input.unread().size();
  if (here < length) return input.ReceiveInPlace(transport, length - here);
  body_ = {input.TakePadded(length), length};
  state_ = State::kComplete;
  return kForward;
}

Moved BodyReader::ReadLength(Transport& transport, size_t length) {
  if (size_ == length) return Complete();
  const size_t wanted = std::min(length - size_, kLargestRead);
  if (!Charge(wanted)) return kForward;
  const Moved moved = transport.Read(large_.data() + size_, wanted);
  const size_t got = moved.how == Moved::How::kBytes ? moved.bytes : 0;
  size_ += got;
  memory_.Give(wanted - got);
  charged_ -= wanted - got;
  return moved;
}

Moved BodyReader::ReadChunks(Transport& transport, RequestParser& parser, Input& input) {
  size_t used = 0;
  const auto result = parser.ParseChunks(
      input.unread(), [this](std::string_view content) { return Append(content); }, &used);
  input.Skip(used);
  switch (result) {
    case RequestParser::Result::kDone:
      large_.Reserve(size_ + kBodyPadding, size_);
      return Complete();
    case RequestParser::Result::kRefused:
      return state_ == State::kRefused ? kForward : Refuse(parser.refusal());
    case RequestParser::Result::kMore:
      break;
  }
  if (input.unread().size() >= limits_.max_head) {
    return Refuse({400, "malformed chunk length or chunk end: a line is too long"});
  }
  input.Reserve(limits_);
  return input.Receive(transport);
}

/// A piece of a chunked body; false once the request is refused.
bool BodyReader::Append(std::string_view content) {
  if (!Charge(content.size())) return false;
  const size_t needed = size_ + content.size() + kBodyPadding;
  if (large_.capacity() == 0) large_ = bodies_.Take(kFirstBody);
  if (needed > large_.capacity()) large_.Reserve(std::max({needed, 2 * size_, kFirstBody}), size_);
  std::memcpy(large_.data() + size_, content.data(), content.size());
  size_ += content.size();
  return true;
}

bool BodyReader::Charge(size_t bytes) {
  if (memory_.Take(bytes)) {
    charged_ += bytes;
    return true;
  }
  Refuse({503, "the requests under way hold all the memory that bodies may take; try again"});
  return false;
}

Moved BodyReader::Refuse(Refusal refusal) {
  refusal_ = std::move(refusal);
  state_ = State::kRefused;
  return kForward;
}

Moved BodyReader::Complete() {
  std::memset(large_.data() + size_, 0, kBodyPadding);
  body_ = {large_.data(), size_};
  state_ = State::kComplete;
  return kForward;
}

}  // namespace outrigger::http
