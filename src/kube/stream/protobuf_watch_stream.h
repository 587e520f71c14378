#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "kube/stream/frame_splitter.h"
#include "kube/stream/watch_stream.h"

namespace outrigger::kube {

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
