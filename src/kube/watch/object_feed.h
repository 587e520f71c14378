#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "kube/resource.h"
#include "kube/stream/object_head.h"
#include "kube/watch/key_table.h"
#include "kube/watch/object_sink.h"

namespace outrigger::kube {

/// Puts objects into a sink: removes what a new list does not have, and keeps one object that
/// cannot be read from stopping the others. Not thread-safe.
class ObjectFeed {
 public:
  using Report = std::function<void(const ObjectProblem& problem)>;

  /// `report` may be empty. `sink` outlives this.
  ObjectFeed(const Resource& resource, ObjectSink* sink, Report report)
      : resource_(resource), name_(NameOf(resource)), sink_(sink), report_(std::move(report)) {}

  /// An object that cannot be read is reported, and what was known of it stays. InvalidArgument
  /// only if `document`, the bytes that it stands in, is not JSON: then nothing behind it can be
  /// trusted either.
  absl::Status Upsert(const ObjectHead& head, json::Object object, std::string_view document);
  /// The same for the bytes of a protobuf message, but InvalidArgument whenever it cannot be read:
  /// broken bytes cannot be told from an object that is not understood, as JSON allows.
  absl::Status UpsertProtobuf(const ObjectHead& head, std::string_view object);
  void Remove(const ObjectHead& head);
  void BeginReplace();
  /// Removes what was not seen since BeginReplace(). `version` as of ObjectSink.
  void EndReplace(std::string_view version);

  size_t objects() const { return keys_.size(); }
  size_t unreadable() const { return keys_.unreadable(); }

 private:
  void ReportMalformed(const ObjectHead& head, const absl::Status& status) const;

  const Resource resource_;
  const std::string name_;
  ObjectSink* const sink_;
  const Report report_;
  KeyTable keys_;
  std::vector<json::MalformedValue> malformed_;
};

}  // namespace outrigger::kube
