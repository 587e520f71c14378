// A byte that chooses what is read, and the bytes of that: a node, a pod, an envelope, a frame of a
// watch, the metadata of a list or of an object, or a Status.
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "codec/json/text.h"
#include "codec/protobuf/envelope.h"
#include "codec/protobuf/object_readers.h"
#include "equality.h"
#include "protozero/pbf_writer.hpp"

namespace outrigger::fuzz {
namespace {

using json::MalformedValue;
using protozero::pbf_writer;

// Field 15 000, a number: nobody knows it.
constexpr std::string_view kUnknownField = "\xc0\xa9\x07\x01";

struct Outcome {
  absl::Status status;
  std::vector<MalformedValue> malformed;
};

Outcome Read(std::string_view bytes, const Needs& needs, Node* node) {
  Outcome outcome;
  const json::Path at("object", &outcome.malformed);
  outcome.status = protobuf::ReadNode(bytes, at.AsObject(), needs, node);
  return outcome;
}

Outcome Read(std::string_view bytes, const Needs& needs, Pod* pod) {
  Outcome outcome;
  const json::Path at("object", &outcome.malformed);
  outcome.status = protobuf::ReadPod(bytes, at.AsObject(), needs, pod);
  return outcome;
}

void CheckStatus(const absl::Status& status) {
  const std::string message(status.message());
  OUTRIGGER_REQUIRE(json::IsUtf8(message));
  OUTRIGGER_REQUIRE(status.ok() || status.code() == absl::StatusCode::kInvalidArgument);
  OUTRIGGER_REQUIRE(status.ok() || message.find(": broken protobuf: ") != std::string::npos ||
                    message.find(".operator: ") != std::string::npos);
}

void CheckMalformed(const std::vector<MalformedValue>& malformed) {
  OUTRIGGER_REQUIRE(malformed.size() <= json::kMaxMalformed);
  for (const MalformedValue& value : malformed) {
    OUTRIGGER_REQUIRE(!value.field.empty() && !value.accepted.empty());
    OUTRIGGER_REQUIRE(value.value.size() <= 64 && json::IsUtf8(value.value));
  }
}

template <typename Map, typename Key>
void CheckOrder(const Map& map, Key key) {
  for (auto entry = map.begin(); entry != map.end(); ++entry) {
    OUTRIGGER_REQUIRE(json::IsUtf8(key(*entry)));
    OUTRIGGER_REQUIRE(entry == map.begin() || key(*(entry - 1)) < key(*entry));
  }
}
void CheckOrder(const StringMap& map) {
  CheckOrder(map, [](const StringMap::Entry& entry) { return std::string_view(entry.first); });
}
void CheckOrder(const ResourceList& list) {
  CheckOrder(list, [](const ResourceList::Entry& entry) { return std::string_view(entry.name); });
}

void CheckOrders(const Node& node) {
  CheckOrder(node.labels);
  CheckOrder(node.annotations);
  CheckOrder(node.capacity);
  CheckOrder(node.allocatable);
  for (const NodeAddress& address : node.addresses) {
    OUTRIGGER_REQUIRE(json::IsUtf8(address.type) && json::IsUtf8(address.address));
  }
}

void CheckStates(const Pod& pod) {
  OUTRIGGER_REQUIRE(json::IsUtf8(pod.status_reason));
  OUTRIGGER_REQUIRE(pod.IsFinished() || pod.end_time == 0);
  bool init = true;
  for (const ContainerState& state : pod.container_states) {
    OUTRIGGER_REQUIRE(init || !state.init);
    init = state.init;
    OUTRIGGER_REQUIRE(json::IsUtf8(state.name) && json::IsUtf8(state.waiting_reason));
    OUTRIGGER_REQUIRE(!state.end || json::IsUtf8(state.end->reason));
    OUTRIGGER_REQUIRE(!state.last_end || json::IsUtf8(state.last_end->reason));
  }
}

void CheckOrders(const Pod& pod) {
  CheckStates(pod);
  CheckOrder(pod.labels);
  CheckOrder(pod.annotations);
  CheckOrder(pod.node_selector);
  CheckOrder(pod.overhead);
  if (pod.pod_requests) CheckOrder(*pod.pod_requests);
  if (pod.pod_limits) CheckOrder(*pod.pod_limits);
  if (pod.status_requests) CheckOrder(*pod.status_requests);
  CheckOrder(pod.status_allocated);
  for (const auto* containers : {&pod.containers, &pod.init_containers}) {
    for (const Container& container : *containers) {
      CheckOrder(container.requests);
      CheckOrder(container.limits);
    }
  }
  for (const auto* statuses : {&pod.container_statuses, &pod.init_container_statuses}) {
    for (const ContainerStatus& status : *statuses) {
      if (status.requests) CheckOrder(*status.requests);
      CheckOrder(status.allocated);
    }
  }
  for (const auto* terms : {&pod.affinity.preferred_pod, &pod.affinity.preferred_pod_anti}) {
    for (const WeightedPodAffinityTerm& weighted : *terms) {
      if (weighted.term.label_selector) CheckOrder(weighted.term.label_selector->match_labels);
    }
  }
}

size_t Elements(const Node& node) {
  return node.taints.size() + node.addresses.size();
}
size_t Elements(const Pod& pod) {
  return pod.containers.size() + pod.tolerations.size() + pod.scheduling_gates.size() +
         pod.container_statuses.size() + pod.container_states.size() +
         pod.affinity.required_pod.size();
}

template <typename T>
void CheckObject(std::string_view bytes) {
  T object;
  const Outcome all = Read(bytes, Needs::All(), &object);
  CheckStatus(all.status);
  CheckMalformed(all.malformed);
  CheckOrders(object);

  // A used object, and a field that nobody knows in front, change nothing.
  T used = object;
  const Outcome again = Read(std::string(kUnknownField) + std::string(bytes), Needs::All(), &used);
  OUTRIGGER_REQUIRE(again.status == all.status && again.malformed.size() == all.malformed.size());
  OUTRIGGER_REQUIRE(testing::Same(used, object));
  if (!all.status.ok()) return;

  // Who needs less accepts at least as much.
  T bare;
  OUTRIGGER_REQUIRE(Read(bytes, Needs(), &bare).status.ok() && bare.name == object.name);

  // Protobuf: what stands twice is merged, and lists grow.
  T twice;
  const std::string doubled = std::string(bytes) + std::string(bytes);
  OUTRIGGER_REQUIRE(Read(doubled, Needs::All(), &twice).status.ok());
  OUTRIGGER_REQUIRE(twice.name == object.name && Elements(twice) == 2 * Elements(object));
}

void CheckText(std::string_view text, std::string_view input) {
  OUTRIGGER_REQUIRE(json::IsUtf8(text));
  OUTRIGGER_REQUIRE(text.empty() || (text.data() >= input.data() &&
                                     text.data() + text.size() <= input.data() + input.size()));
}

void Add(std::string* message, uint32_t number, std::string_view text) {
  pbf_writer(*message).add_bytes(number, text.data(), text.size());
}

void CheckEnvelope(std::string_view bytes) {
  protobuf::Envelope envelope;
  const absl::Status status = protobuf::OpenEnvelope(bytes, &envelope);
  CheckStatus(status);
  OUTRIGGER_REQUIRE(!status.ok() || protobuf::IsEnvelope(bytes));
  CheckText(envelope.kind, bytes);
  CheckText(envelope.api_version, bytes);
  if (!status.ok()) return;
  std::string type;
  Add(&type, 1, envelope.api_version);
  Add(&type, 2, envelope.kind);
  std::string again("k8s\0", 4);
  Add(&again, 1, type);
  Add(&again, 2, envelope.raw);
  protobuf::Envelope copy;
  OUTRIGGER_REQUIRE(protobuf::OpenEnvelope(again, &copy).ok());
  OUTRIGGER_REQUIRE(copy.kind == envelope.kind && copy.api_version == envelope.api_version &&
                    copy.raw == envelope.raw);
}

void CheckFrame(std::string_view bytes) {
  protobuf::WatchFrame frame;
  const absl::Status status = protobuf::ReadWatchFrame(bytes, &frame);
  CheckStatus(status);
  CheckText(frame.type, bytes);
  if (!status.ok()) return;
  std::string extension;
  Add(&extension, 1, frame.object);
  std::string again;
  Add(&again, 2, extension);
  Add(&again, 1, frame.type);
  protobuf::WatchFrame copy;
  OUTRIGGER_REQUIRE(protobuf::ReadWatchFrame(again, &copy).ok());
  OUTRIGGER_REQUIRE(copy.type == frame.type && copy.object == frame.object);
  CheckEnvelope(frame.object);
}

void CheckListMeta(std::string_view bytes) {
  protobuf::ListMeta meta;
  const absl::Status status = protobuf::ReadListMeta(bytes, &meta);
  CheckStatus(status);
  CheckText(meta.resource_version, bytes);
  CheckText(meta.continue_, bytes);
  if (!status.ok()) return;
  std::string again;
  Add(&again, 2, meta.resource_version);
  Add(&again, 3, meta.continue_);
  if (meta.remaining_item_count) pbf_writer(again).add_int64(4, *meta.remaining_item_count);
  protobuf::ListMeta copy;
  OUTRIGGER_REQUIRE(protobuf::ReadListMeta(again, &copy).ok());
  OUTRIGGER_REQUIRE(copy.resource_version == meta.resource_version &&
                    copy.continue_ == meta.continue_ &&
                    copy.remaining_item_count == meta.remaining_item_count);
}

void CheckMetadata(std::string_view bytes) {
  protobuf::Metadata metadata;
  const absl::Status status = protobuf::ReadMetadata(bytes, true, &metadata);
  CheckStatus(status);
  CheckText(metadata.name, bytes);
  CheckText(metadata.namespace_, bytes);
  CheckText(metadata.resource_version, bytes);
  Pod pod;
  if (!Read(bytes, Needs::All(), &pod).status.ok()) return;
  OUTRIGGER_REQUIRE(status.ok() && metadata.name == pod.name &&
                    metadata.namespace_ == pod.namespace_ &&
                    metadata.resource_version == pod.resource_version);
  OUTRIGGER_REQUIRE(metadata.initial_events_end ==
                    (pod.annotations.Get("k8s.io/initial-events-end") == "true"));
}

void CheckApiStatus(std::string_view bytes) {
  protobuf::ApiStatus status;
  const absl::Status read = protobuf::ReadStatus(bytes, &status);
  CheckStatus(read);
  for (const std::string_view text :
       {status.reason, status.message, status.details_kind, status.details_name}) {
    CheckText(text, bytes);
  }
  if (!read.ok()) return;
  std::string details;
  Add(&details, 1, status.details_name);
  Add(&details, 3, status.details_kind);
  pbf_writer(details).add_int32(5, status.retry_after_seconds);
  std::string again;
  Add(&again, 3, status.message);
  Add(&again, 4, status.reason);
  Add(&again, 5, details);
  pbf_writer(again).add_int32(6, status.code);
  protobuf::ApiStatus copy;
  OUTRIGGER_REQUIRE(protobuf::ReadStatus(again, &copy).ok());
  OUTRIGGER_REQUIRE(copy.code == status.code && copy.reason == status.reason &&
                    copy.message == status.message && copy.details_kind == status.details_kind &&
                    copy.details_name == status.details_name &&
                    copy.retry_after_seconds == status.retry_after_seconds);
}

void Run(std::string_view input) {
  if (input.empty()) return;
  using Check = void (*)(std::string_view);
  constexpr Check kChecks[] = {CheckObject<Node>, CheckObject<Pod>, CheckEnvelope, CheckFrame,
                               CheckListMeta,     CheckMetadata,    CheckApiStatus};
  kChecks[static_cast<unsigned char>(input[0]) % std::size(kChecks)](input.substr(1));
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
