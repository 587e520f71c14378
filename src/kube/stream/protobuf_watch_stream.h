#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "kube/stream/watch_stream.h"

namespace outrigger::kube {

/// Cuts a stream of bytes into frames as the API server sends a watch in protobuf: four bytes of
/// length, the highest first, then so many bytes. Not thread-safe.
class FrameSplitter {
 public:
  /// Memory that is kept between frames, at most; what a larger one took is given back behind it.
  static constexpr size_t kKeptBytes = size_t{256} << 10U;

  using OnFrame = absl::FunctionRef<absl::Status(std::string_view frame)>;

  /// Frames of up to `max_frame` bytes.
  explicit FrameSplitter(size_t max_frame) : max_frame_(max_frame) {}

  /// Calls `on_frame` for each frame that ends within `bytes`, with a view that is valid during the
  /// call. Ends with the first error of `on_frame`, or ResourceExhausted at a frame that is too
  /// large; the stream cannot go on after that.
  absl::Status Feed(std::string_view bytes, OnFrame on_frame);

  /// Bytes of a frame that has begun and not ended.
  size_t pending() const { return in_length_ + frame_.size(); }
  /// Memory in use.
  size_t capacity() const { return frame_.capacity(); }

 private:
  void TakeLength(std::string_view* bytes);
  absl::Status TakeFrame(std::string_view* bytes, OnFrame on_frame);

  const size_t max_frame_;
  size_t in_length_ = 0;  // bytes of the length that have come
  size_t length_ = 0;
  std::string frame_;  // of a frame that came in pieces, what has come
};

/// WatchStream for the body of a watch in protobuf: frames with a metav1.WatchEvent each. Errors
/// are those of WatchStream. Not thread-safe.
class ProtobufWatchStream {
 public:
  explicit ProtobufWatchStream(size_t max_event = WatchStream::kMaxEvent) : frames_(max_event) {}

  absl::Status Feed(std::string_view bytes, OnWatchEvent on_event);

  /// Bytes of an event that has begun and not ended.
  size_t pending() const { return frames_.pending(); }
  size_t capacity() const { return frames_.capacity(); }

 private:
  absl::Status Decode(std::string_view frame, OnWatchEvent on_event);

  FrameSplitter frames_;
  ObjectHead head_;
};

}  // namespace outrigger::kube
