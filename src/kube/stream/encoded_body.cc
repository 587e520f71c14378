#include "kube/stream/encoded_body.h"

namespace outrigger::kube {
namespace {

// Frames of a watch begin with a length below 2^24, lists with "k8s"; JSON with a bracket, or with
// what its own reader refuses.
bool IsFrame(std::string_view bytes) {
  return bytes.front() == '\0';
}

bool IsProtobufList(std::string_view bytes) {
  return bytes.front() == 'k';
}

}  // namespace

absl::Status WatchBody::Feed(std::string_view bytes, OnWatchEvent on_event) {
  if (bytes.empty()) return absl::OkStatus();
  if (std::holds_alternative<std::monostate>(stream_)) {
    if (IsFrame(bytes)) {
      stream_.emplace<ProtobufWatchStream>();
    } else {
      stream_.emplace<WatchStream>();
    }
  }
  auto* const protobuf = std::get_if<ProtobufWatchStream>(&stream_);
  return protobuf != nullptr ? protobuf->Feed(bytes, on_event)
                             : std::get<WatchStream>(stream_).Feed(bytes, on_event);
}

absl::Status ListBody::Feed(std::string_view bytes, OnListItem on_item) {
  if (bytes.empty()) return absl::OkStatus();
  if (std::holds_alternative<std::monostate>(reader_)) {
    if (IsProtobufList(bytes)) {
      reader_.emplace<ProtobufListPageReader>();
    } else {
      reader_.emplace<ListPageReader>();
    }
  }
  auto* const protobuf = std::get_if<ProtobufListPageReader>(&reader_);
  return protobuf != nullptr ? protobuf->Feed(bytes, on_item)
                             : std::get<ListPageReader>(reader_).Feed(bytes, on_item);
}

absl::StatusOr<ListPage> ListBody::Finish() {
  if (auto* const protobuf = std::get_if<ProtobufListPageReader>(&reader_)) {
    return protobuf->Finish();
  }
  if (std::holds_alternative<std::monostate>(reader_)) reader_.emplace<ListPageReader>();
  return std::get<ListPageReader>(reader_).Finish();
}

}  // namespace outrigger::kube
