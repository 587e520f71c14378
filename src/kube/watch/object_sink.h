#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/json/body.h"
#include "codec/json/reader.h"
#include "kube/stream/object_head.h"

namespace outrigger::kube {

/// Where a reflector puts the objects of one kind. Called by one thread at a time.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  /// The object has come or changed. Reads `object` at most once; `at` is where it stands, and
  /// takes malformed values. An error says that it could not be read: then the sink has changed
  /// nothing, what it knew of the object stays.
  virtual absl::Status Upsert(const ObjectHead& head, json::Object object,
                              const json::Path& at) = 0;
  /// The same for the bytes of a protobuf message. Called only if ReadsProtobuf().
  virtual absl::Status UpsertProtobuf(const ObjectHead& /*head*/, std::string_view /*object*/,
                                      const json::Path& /*at*/) {
    return absl::UnimplementedError("this kind is read as JSON only");
  }
  /// Whether objects may come as protobuf, which costs the server and us a fraction of JSON.
  virtual bool ReadsProtobuf() const { return false; }
  /// The object is gone; no effect if it is not known. The version is that of its deletion, or of
  /// the list that lacks it.
  virtual void Remove(const ObjectHead& gone) = 0;

  /// Brackets around a full list. Between them come Upsert() for what there is and, last, Remove()
  /// for what is there no more. A list that breaks off has no EndReplace(); until a complete one
  /// has come, objects may be of different ages. `version` is the list's; empty: the kind is not
  /// served.
  virtual void BeginReplace() {}
  virtual void EndReplace(std::string_view /*version*/) {}
};

/// Something of an object that could not be used. Valid during the call that hands it over.
struct ObjectProblem {
  std::string_view resource;  // "pods", "podgroups.scheduling.x-k8s.io"
  std::string_view namespace_;
  std::string_view name;
  /// A value that was treated as absent, or nullptr: then the object as a whole could not be read,
  /// what was known of it stays, and `error` says why.
  const json::MalformedValue* value = nullptr;
  std::string_view error;
};

}  // namespace outrigger::kube
