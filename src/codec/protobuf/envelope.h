#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"

/// What stands around objects when an API server sends application/vnd.kubernetes.protobuf, and
/// those small messages that are read for themselves.
///
/// All views are into the bytes given, and live as long as those. Every function sets all of what
/// it gives; after an error that is incomplete. Errors are InvalidArgument, "<place>: broken
/// protobuf:
/// ...": bytes that are not well-formed as far as they are read, or texts read that are not UTF-8.
/// Thread-safe; nothing is allocated but the texts of errors.
namespace outrigger::protobuf {

/// An object as the server sends it: "k8s\0" and a runtime.Unknown.
struct Envelope {
  std::string_view api_version;  // "v1"
  std::string_view kind;         // "Pod", "NodeList", "Status"
  std::string_view raw;          // the message of that kind
};
absl::Status OpenEnvelope(std::string_view bytes, Envelope* envelope);
/// True if `bytes` begin as an envelope does; no JSON does so.
bool IsEnvelope(std::string_view bytes);

/// What every object of the API has in metav1.ObjectMeta.
struct Metadata {
  std::string_view name;
  std::string_view namespace_;
  std::string_view resource_version;
  /// The annotation k8s.io/initial-events-end is "true": the bookmark behind the initial events of
  /// a watch.
  bool initial_events_end = false;
};
/// `object` is the message of any kind but a list or Status (Envelope::raw). Without `annotations`
/// those are not looked at.
absl::Status ReadMetadata(std::string_view object, bool annotations, Metadata* metadata);

/// metav1.WatchEvent, which itself has no envelope.
struct WatchFrame {
  std::string_view type;    // "ADDED", "BOOKMARK", "ERROR"
  std::string_view object;  // an envelope
};
absl::Status ReadWatchFrame(std::string_view frame, WatchFrame* out);

/// metav1.ListMeta.
struct ListMeta {
  std::string_view resource_version;
  std::string_view continue_;  // empty: the last page
  std::optional<int64_t> remaining_item_count;
};
/// `bytes` is the message itself: field 1 of a list.
absl::Status ReadListMeta(std::string_view bytes, ListMeta* out);

/// metav1.Status.
struct ApiStatus {
  int32_t code = 0;  // of HTTP
  std::string_view reason;
  std::string_view message;
  std::string_view details_kind;
  std::string_view details_name;
  int32_t retry_after_seconds = 0;
};
/// `object` is the message (Envelope::raw, of kind Status).
absl::Status ReadStatus(std::string_view object, ApiStatus* out);

}  // namespace outrigger::protobuf
