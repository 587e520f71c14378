#include "kube/stream/protobuf_watch_stream.h"

#include <optional>

#include "fmt/format.h"
#include "kube/stream/protobuf_head.h"
#include "protobuf/envelope.h"

namespace outrigger::kube {

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
