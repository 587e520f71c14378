#include "kube/stream/protobuf_head.h"

#include "protobuf/envelope.h"

namespace outrigger::kube {

absl::Status ReadHead(std::string_view object, bool annotations, ObjectHead* head) {
  protobuf::Metadata metadata;
  absl::Status status = protobuf::ReadMetadata(object, annotations, &metadata);
  if (!status.ok()) return status;
  head->name = metadata.name;
  head->namespace_ = metadata.namespace_;
  head->resource_version = metadata.resource_version;
  head->initial_events_end = metadata.initial_events_end;
  return status;
}

}  // namespace outrigger::kube
