#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "kube/resource.h"
#include "kube/stream/object_head.h"
#include "kube/watch/object_sink.h"

namespace outrigger::kube {

/// The names of the objects that a sink holds, so that what is missing in a new list can be removed
/// from it. Not thread-safe.
class KeyTable {
 public:
  using OnGone = absl::FunctionRef<void(std::string_view namespace_, std::string_view name)>;

  /// The object exists; `readable`: its last state could be read.
  void See(std::string_view namespace_, std::string_view name, bool readable);
  /// False if it was not there.
  bool Forget(std::string_view namespace_, std::string_view name);

  /// From here on it is noted which objects are seen. One that was not ended is forgotten.
  void BeginReplace() { ++round_; }
  /// Forgets the objects that were not seen since BeginReplace(), and calls `on_gone` for each.
  void EndReplace(OnGone on_gone);

  size_t size() const { return keys_.size(); }
  /// Objects whose last state could not be read.
  size_t unreadable() const { return unreadable_; }

 private:
  struct Entry {
    uint32_t round = 0;
    bool readable = true;
  };
  const std::string& Key(std::string_view namespace_, std::string_view name);

  absl::flat_hash_map<std::string, Entry> keys_;  // "namespace/name"
  std::string key_;
  uint32_t round_ = 0;
  size_t unreadable_ = 0;
};

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
