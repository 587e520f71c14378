// Field numbers: runtime, meta/v1: k8s.io/apimachinery/pkg/{runtime,apis/meta/v1}/generated.proto,
// v0.36. The magic: k8s.io/apimachinery/pkg/runtime/serializer/protobuf.

#include "codec/protobuf/envelope.h"

#include "codec/protobuf/reader.h"

namespace outrigger::protobuf {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

auto TypeMeta(Envelope* envelope) {
  return [envelope](Bytes bytes, const Path& at) {
    return ReadMessage(bytes, at, Field{1, "apiVersion", &envelope->api_version},
                       Field{2, "kind", &envelope->kind});
  };
}

// Sets `end` if the annotation is the one that a bookmark has.
absl::Status ReadAnnotation(Bytes bytes, const Path& at, bool* end) {
  TextEntry entry;
  absl::Status status = ReadEntry(bytes, at, &entry);
  if (entry.key == kInitialEventsEnd) *end = entry.value == "true";
  return status;
}

}  // namespace

bool IsEnvelope(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

absl::Status OpenEnvelope(std::string_view bytes, Envelope* envelope) {
  *envelope = {};
  const Path at("object");
  if (!IsEnvelope(bytes)) {
    return Broken(at, "expected an object of Kubernetes, which begins with \"k8s\\0\"");
  }
  return ReadMessage(bytes.substr(kMagic.size()), at, Field{1, "typeMeta", TypeMeta(envelope)},
                     Field{2, "raw", Raw(&envelope->raw)});
}

absl::Status ReadMetadata(std::string_view object, bool annotations, Metadata* metadata) {
  *metadata = {};
  const auto read = [&](Bytes bytes, const Path& at) {
    return ReadMessage(
        bytes, at, Field{1, "name", &metadata->name}, Field{3, "namespace", &metadata->namespace_},
        Field{6, "resourceVersion", &metadata->resource_version},
        Field{12, "annotations", Into(&metadata->initial_events_end, ReadAnnotation), annotations});
  };
  return ReadMessage(object, Path("object"), Field{1, "metadata", read});
}

absl::Status ReadWatchFrame(std::string_view frame, WatchFrame* out) {
  *out = {};
  const auto extension = [out](Bytes bytes, const Path& at) {
    return ReadMessage(bytes, at, Field{1, "raw", Raw(&out->object)});
  };
  return ReadMessage(frame, Path("event"), Field{1, "type", &out->type},
                     Field{2, "object", extension});
}

absl::Status ReadListMeta(std::string_view bytes, ListMeta* out) {
  *out = {};
  return ReadMessage(bytes, Path("metadata"), Field{2, "resourceVersion", &out->resource_version},
                     Field{3, "continue", &out->continue_},
                     Field{4, "remainingItemCount", &out->remaining_item_count});
}

absl::Status ReadStatus(std::string_view object, ApiStatus* out) {
  *out = {};
  const auto details = [out](Bytes bytes, const Path& at) {
    return ReadMessage(bytes, at, Field{1, "name", &out->details_name},
                       Field{3, "kind", &out->details_kind},
                       Field{5, "retryAfterSeconds", &out->retry_after_seconds});
  };
  return ReadMessage(object, Path("Status"), Field{3, "message", &out->message},
                     Field{4, "reason", &out->reason}, Field{5, "details", details},
                     Field{6, "code", &out->code});
}

}  // namespace outrigger::protobuf
