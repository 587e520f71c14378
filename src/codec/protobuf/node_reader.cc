// Field numbers: k8s.io/api/core/v1/generated.proto and
// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto, v0.36.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "codec/json/object_readers.h"
#include "codec/json/words.h"
#include "codec/protobuf/object_readers.h"
#include "codec/protobuf/reader.h"

namespace outrigger::protobuf {
namespace {

// A node while it is read; what is counted lives as long as the whole, since a message may come in
// parts.
struct NodeReading {
  const Needs& needs;
  Node* node;
  size_t taints = 0;
  size_t conditions = 0;
  bool ready_seen = false;  // of several conditions of that type the first counts
};

// Appends the taint. One whose effect is not known is left out and listed, as in JSON.
absl::Status AppendTaint(Bytes bytes, const Path& at, std::vector<Taint>* taints) {
  Taint& taint = taints->emplace_back();
  std::string_view effect;
  absl::Status status = ReadMessage(bytes, at, Field{1, "key", &taint.key},
                                    Field{2, "value", &taint.value}, Field{3, "effect", &effect});
  if (const auto known = json::ParseEffect(effect)) {
    taint.effect = *known;
    return status;
  }
  taints->pop_back();
  if (status.ok()) at.Key("effect").Malformed(effect, json::kAcceptedEffect);
  return status;
}

absl::Status ReadAnnotation(Bytes bytes, const Path& at, const Needs& needs, StringMap* map) {
  TextEntry entry;
  absl::Status status = ReadEntry(bytes, at, &entry);
  const auto& wanted = needs.annotation_keys();
  if (!status.ok() || (!needs.Has(Needs::kNodeAllAnnotations) &&
                       !std::binary_search(wanted.begin(), wanted.end(), entry.key))) {
    return status;
  }
  Keep(entry, map);
  return status;
}

absl::Status ReadMetadata(Bytes bytes, const Path& at, NodeReading* reading) {
  const Needs& needs = reading->needs;
  Node* const node = reading->node;
  const auto annotation = [&](Bytes entry, const Path& place) {
    return ReadAnnotation(entry, place, needs, &node->annotations);
  };
  return ReadMessage(
      bytes, at, Field{1, "name", &node->name},
      Field{6, "resourceVersion", &node->resource_version, needs.Has(Needs::kNodeVersion)},
      Field{11, "labels", &node->labels, needs.Has(Needs::kNodeLabels)},
      Field{12, "annotations", annotation,
            needs.Has(Needs::kNodeAllAnnotations) || !needs.annotation_keys().empty()});
}

absl::Status ReadSpec(Bytes bytes, const Path& at, NodeReading* reading) {
  Node* const node = reading->node;
  const auto taint = [node](Bytes message, const Path& place) {
    return AppendTaint(message, place, &node->taints);
  };
  return ReadMessage(bytes, at, Field{4, "unschedulable", &node->unschedulable},
                     Field{5, "taints", Counted(&reading->taints, taint)});
}

absl::Status ReadAddress(Bytes bytes, const Path& at, NodeAddress* address) {
  return ReadMessage(bytes, at, Field{1, "type", Kept(&address->type)},
                     Field{2, "address", Kept(&address->address)});
}

auto KeepCondition(NodeReading* reading) {
  return [reading](Bytes bytes, const Path& at) {
    std::string_view type;
    std::string_view is;
    absl::Status status =
        ReadMessage(bytes, at, Field{1, "type", Raw(&type)}, Field{2, "status", Raw(&is)});
    if (type == "Ready" && !std::exchange(reading->ready_seen, true)) {
      reading->node->ready = json::ParseConditionStatus(is);
    }
    return status;
  };
}

absl::Status ReadStatus(Bytes bytes, const Path& at, NodeReading* reading) {
  const Needs& needs = reading->needs;
  Node* const node = reading->node;
  return ReadMessage(
      bytes, at, Field{1, "capacity", &node->capacity, needs.Has(Needs::kNodeCapacity)},
      Field{2, "allocatable", &node->allocatable, needs.Has(Needs::kNodeAllocatable)},
      Field{4, "conditions", Counted(&reading->conditions, KeepCondition(reading)),
            needs.Has(Needs::kNodeReady)},
      Field{5, "addresses", Into(&node->addresses, ReadAddress), needs.Has(Needs::kNodeAddresses)});
}

}  // namespace

absl::Status ReadNode(std::string_view object, const Path& at, const Needs& needs, Node* node) {
  NodeReading reading{needs, node};
  json::ClearNode(node);
  auto* const malformed = at.malformed();
  const size_t first_malformed = malformed == nullptr ? 0 : malformed->size();
  absl::Status read =
      ReadMessage(object, at, Field{1, "metadata", Into(&reading, ReadMetadata)},
                  Field{2, "spec", Into(&reading, ReadSpec), needs.Has(Needs::kNodeTaints)},
                  Field{3, "status", Into(&reading, ReadStatus), json::ReadsNodeStatus(needs)});
  node->labels.Normalize();
  node->annotations.Normalize();
  node->capacity.Normalize();
  node->allocatable.Normalize();
  for (size_t i = first_malformed; malformed != nullptr && i < malformed->size(); ++i) {
    (*malformed)[i].node = node->name;
  }
  return read;
}

}  // namespace outrigger::protobuf
