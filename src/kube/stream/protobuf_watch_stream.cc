#include "kube/stream/protobuf_watch_stream.h"

#include <algorithm>
#include <optional>

#include "codec/protobuf/envelope.h"
#include "fmt/format.h"
#include "kube/stream/protobuf_list_page.h"

namespace outrigger::kube {
namespace {

constexpr size_t kLengthBytes = 4;

}  // namespace

absl::Status FrameSplitter::Feed(std::string_view bytes, OnFrame on_frame) {
  while (true) {
    TakeLength(&bytes);
    if (in_length_ < kLengthBytes) return absl::OkStatus();
    if (length_ > max_frame_) {
      return absl::ResourceExhaustedError(
          fmt::format("an event of {} bytes, expected at most {}", length_, max_frame_));
    }
    if (bytes.size() < length_ - frame_.size()) {
      frame_.append(bytes);
      return absl::OkStatus();
    }
    absl::Status status = TakeFrame(&bytes, on_frame);
    if (!status.ok()) return status;
  }
}

void FrameSplitter::TakeLength(std::string_view* bytes) {
  while (in_length_ < kLengthBytes && !bytes->empty()) {
    length_ = (length_ << 8U) | static_cast<unsigned char>(bytes->front());
    ++in_length_;
    bytes->remove_prefix(1);
  }
}

absl::Status FrameSplitter::TakeFrame(std::string_view* bytes, OnFrame on_frame) {
  const size_t missing = length_ - frame_.size();
  const std::string_view rest = bytes->substr(0, missing);
  bytes->remove_prefix(missing);
  in_length_ = length_ = 0;
  if (frame_.empty()) return on_frame(rest);  // most come in one piece
  frame_.append(rest);
  absl::Status status = on_frame(frame_);
  frame_.clear();
  if (frame_.capacity() > kKeptBytes) frame_.shrink_to_fit();
  return status;
}

absl::Status ProtobufWatchStream::Feed(std::string_view bytes, OnWatchEvent on_event) {
  return frames_.Feed(bytes, [&](std::string_view frame) { return Decode(frame, on_event); });
}

absl::Status ProtobufWatchStream::Decode(std::string_view frame, OnWatchEvent on_event) {
  protobuf::WatchFrame read;
  absl::Status status = protobuf::ReadWatchFrame(frame, &read);
  if (!status.ok()) return status;
  const std::optional<WatchEventType> type = WatchEventTypeOf(read.type);
  if (!type) return UnknownWatchEventType(fmt::format("\"{}\"", json::Cut(read.type)));
  WatchEvent event{.type = *type, .head = head_, .document = frame};
  if (*type == WatchEventType::kError) {
    event.error = read.object;
    return on_event(event);
  }
  protobuf::Envelope envelope;
  status = protobuf::OpenEnvelope(read.object, &envelope);
  if (status.ok()) {
    status = ReadHead(envelope.raw, *type == WatchEventType::kBookmark, &head_);
  }
  if (status.ok()) status = CheckHead(*type, head_);
  if (!status.ok()) return status;
  event.protobuf = envelope.raw;
  return on_event(event);
}

}  // namespace outrigger::kube
