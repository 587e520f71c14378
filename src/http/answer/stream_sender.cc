#include "http/answer/stream_sender.h"

#include <fmt/format.h>

#include <utility>

namespace outrigger::http {
namespace {

constexpr size_t kChunk = size_t{64} << 10;

}  // namespace

void StreamSender::Begin(std::shared_ptr<Stream> stream, bool chunked, std::function<void()> wake) {
  stream_ = std::move(stream);
  chunked_ = chunked;
  state_ = Stream::State::kOpen;
  stream_->SetWake(std::move(wake));
}

/// Makes a chunk of what waits in the stream.
Stream::State StreamSender::Load() {
  pieces_.clear();
  parts_.Clear();
  const Stream::State state = stream_->Take(kChunk, &pieces_);
  size_t size = 0;
  for (const Stream::Bytes& piece : pieces_) size += piece->size();
  if (chunked_ && size > 0) {
    chunk_head_ = fmt::format("{:x}\r\n", size);
    parts_.Add(chunk_head_);
  }
  for (const Stream::Bytes& piece : pieces_) parts_.Add(*piece);
  if (chunked_ && size > 0) parts_.Add("\r\n");
  if (chunked_ && state == Stream::State::kEnded) parts_.Add("0\r\n\r\n");
  return state;
}

StreamSender::Result StreamSender::Send(Transport& transport) {
  using How = Result::How;
  Result result;
  for (;;) {
    const Moved moved = parts_.Write(transport, &result.sent);
    if (moved.how == Moved::How::kWouldRead || moved.how == Moved::How::kWouldWrite) {
      result.how = stream_->closed() ? How::kFailed : How::kBlocked;
      result.blocked = moved.how;
      return result;
    }
    if (moved.how != Moved::How::kBytes) return result;
    if (state_ == Stream::State::kEnded) {
      result.how = How::kEnded;
      return result;
    }
    state_ = Load();
    if (state_ == Stream::State::kClosed) return result;
    if (pieces_.empty() && state_ == Stream::State::kOpen) {
      result.how = How::kWaits;
      return result;
    }
  }
}

void StreamSender::Close() {
  pieces_.clear();
  parts_.Clear();
  if (const auto stream = std::exchange(stream_, nullptr)) stream->Close();
}

}  // namespace outrigger::http
