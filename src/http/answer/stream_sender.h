#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/answer/parts.h"
#include "http/socket/transport.h"
#include "http/stream.h"

namespace outrigger::http {

/// Sends what a stream gives, in chunks or as it is, as far as the peer takes it. What was written
/// in many small pieces goes out together. Knows no time. Not thread-safe.
class StreamSender {
 public:
  StreamSender() = default;
  ~StreamSender() { Close(); }
  StreamSender(const StreamSender&) = delete;
  StreamSender& operator=(const StreamSender&) = delete;

  /// `wake` is called, on any thread, when a stream that had nothing has something.
  void Begin(std::shared_ptr<Stream> stream, bool chunked, std::function<void()> wake);
  bool active() const { return stream_ != nullptr; }
  void End() { stream_->End(); }

  struct Result {
    enum class How { kWaits, kBlocked, kEnded, kFailed } how = How::kFailed;
    Moved::How blocked = Moved::How::kFailed;  // of kBlocked: what the transport waits for
    size_t sent = 0;
  };
  Result Send(Transport& transport);

  /// Tells the stream that nobody reads it any more, and forgets it.
  void Close();

 private:
  Stream::State Load();

  std::shared_ptr<Stream> stream_;
  bool chunked_ = true;
  Stream::State state_ = Stream::State::kOpen;
  std::vector<Stream::Bytes> pieces_;  // what parts_ points to
  std::string chunk_head_;
  Parts parts_;
};

}  // namespace outrigger::http
