#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "codec/json/reader.h"

namespace outrigger::kube {

/// What a reflector itself reads of an object.
struct ObjectHead {
  std::string name;
  std::string namespace_;  // empty where the kind has none
  std::string resource_version;
  /// Carries the annotation "k8s.io/initial-events-end": "true".
  bool initial_events_end = false;
};

/// Reads the metadata of an object into `head`, whose memory is reused; the rest of the object is
/// stepped over. Annotations are looked at only if `annotations`.
absl::Status ReadHead(json::Value object, const json::Path& at, bool annotations, ObjectHead* head);
absl::Status ReadHead(json::Object object, const json::Path& at, bool annotations,
                      ObjectHead* head);

/// True if `text` is JSON in every detail. The readers look only at what they read; this tells
/// bytes that were damaged from an object that is not understood.
bool IsJson(std::string_view text);

}  // namespace outrigger::kube
