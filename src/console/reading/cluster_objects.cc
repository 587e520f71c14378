#include "console/reading/cluster_objects.h"

#include <algorithm>
#include <utility>

#include "console/format/text.h"
#include "console/reading/object_file.h"
#include "devices/objects/objects.h"
#include "fmt/format.h"
#include "kube/resource.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

constexpr const char* kExpectedDump = "what `kubectl get nodes,pods -A -o yaml` prints";
// kubectl refuses a list with a kind that is not installed.
constexpr const char* kExpectedOfGangs =
    "what `kubectl get nodes,pods,podgroups,priorityclasses,pv,pvc,resourceclaims,deviceclasses -A "
    "-o yaml` prints (omit podgroups if not installed; before Kubernetes 1.34 omit resourceclaims "
    "and deviceclasses)";

std::string FullName(const PodName& pod) {
  return pod.name_space + "/" + pod.name;
}

class Dump final : public ClusterObjects {
 public:
  Dump(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  absl::StatusOr<FoundObjects> Find(const PodName* pod, bool with_all_pods) override {
    KeepDevices();
    ObjectPicker picker(name_, pod, kExpectedDump);
    if (with_all_pods) picker.KeepPods();
    const absl::Status status =
        ForEachObjectInFile(name_, std::move(text_), [&](const json::ListedObject& object) {
          const bool is_kept = with_all_pods && object.kind == kube::kPods.kind;
          const absl::Status placed = is_kept ? picker.Place(object) : absl::OkStatus();
          return placed.ok() ? picker.Take(object) : placed;
        });
    if (!status.ok()) return status;
    return picker.Finish();
  }

  absl::StatusOr<std::vector<Told>> ReadTold(const std::string& /*name_space*/) override {
    return std::vector<Told>();
  }

  absl::StatusOr<PlannedCluster> ReadPlanned() override {
    ClusterTaker taker(name_, kExpectedOfGangs);
    const absl::Status status =
        ForEachObjectInFile(name_, std::move(text_),
                            [&](const json::ListedObject& object) { return taker.Take(object); });
    if (!status.ok()) return status;
    return taker.Finish();
  }

  absl::Status ForEachPod(bool with_classes, json::OnObject on_object) override {
    KeepDevices();
    return ForEachObjectInFile(name_, std::move(text_), [&](const json::ListedObject& object) {
      const bool is_wanted = object.kind == kube::kPods.kind ||
                             (with_classes && object.kind == kube::kPriorityClasses.kind);
      return is_wanted ? on_object(object) : absl::OkStatus();
    });
  }

  absl::Status ForEachDeviceObject(const PodName* /*pod*/, json::OnObject on_object,
                                   std::vector<std::string>* /*notes*/) override {
    std::string& text = with_devices_.empty() ? text_ : with_devices_;
    if (text.empty()) return absl::OkStatus();  // it was read, and has none
    return ForEachObjectInFile(name_, std::exchange(text, ""), on_object);
  }

  absl::Status ForEachDraObject(const PodName* /*pod*/, json::OnObject on_object,
                                std::vector<std::string>* /*notes*/) override {
    std::string& text = with_dra_.empty() ? text_ : with_dra_;
    if (text.empty()) return absl::OkStatus();  // it was read, and has none
    return ForEachObjectInFile(name_, std::exchange(text, ""), on_object);
  }

  absl::Status ForEachPublication(json::OnObject on_object,
                                  std::vector<std::string>* notes) override {
    return ForEachDeviceObject(nullptr, on_object, notes);
  }

  std::string DefaultNamespace() const override { return ""; }

 private:
  /// For ForEachDeviceObject() and ForEachDraObject().
  void KeepDevices() {
    if (text_.find(devices::kPoolKind.group) != std::string::npos) with_devices_ = text_;
    if (text_.find(kube::kDeviceSlices.group) != std::string::npos) with_dra_ = text_;
  }

  const std::string name_;
  std::string text_;
  std::string with_devices_;  // a copy, if the text was taken and has such objects
  std::string with_dra_;      // the same
};

}  // namespace

ObjectPicker::ObjectPicker(std::string where, const PodName* pod, std::string expected)
    : where_(std::move(where)),
      wanted_(pod == nullptr ? std::nullopt : std::optional<PodName>(*pod)),
      expected_(std::move(expected)) {}

absl::Status ObjectPicker::Take(const json::ListedObject& object) {
  ++kinds_[std::string(object.kind.substr(0, 64))];
  if (object.kind == "Node") return TakeNode(object);
  if (object.kind == "Pod" && wanted_) return TakePod(object);
  return absl::OkStatus();
}

absl::Status ObjectPicker::TakeNode(const json::ListedObject& object) {
  Node& node = nodes_.emplace_back();
  absl::Status status = json::DecodeNode(object, Needs::All(), &node, &malformed_);
  if (!status.ok() || node_names_.insert(node.name).second) return status;
  return absl::InvalidArgumentError(fmt::format("node {} is given twice", node.name));
}

absl::Status ObjectPicker::TakePod(const json::ListedObject& object) {
  Pod pod;
  std::vector<json::MalformedValue> none;
  absl::Status status = json::DecodePod(object, Needs(), &pod, &none);  // names are always read
  if (!status.ok()) return status;
  PodName name{pod.namespace_, pod.name};
  const bool wanted = name.name == wanted_->name &&
                      (wanted_->name_space.empty() || wanted_->name_space == name.name_space);
  if (wanted) {
    for (const Pod& other : found_) {
      if (other.namespace_ == name.name_space) {
        return absl::InvalidArgumentError(fmt::format("pod {} is given twice", FullName(name)));
      }
    }
    const size_t before = malformed_.size();
    status = json::DecodePod(object, Needs::All(), &found_.emplace_back(), &malformed_);
    for (size_t i = before; i < malformed_.size(); ++i) malformed_[i].node.clear();
  }
  pods_.push_back(std::move(name));
  return status;
}

absl::Status ObjectPicker::Place(const json::ListedObject& pod) {
  Pod read;
  std::vector<json::MalformedValue> none;  // an agent that is asked goes by what can be read
  absl::Status status = json::DecodePod(pod, Needs::All(), &read, &none);
  if (status.ok()) cluster_->UpsertPod(read);
  return status;
}

void ObjectPicker::DropPods(std::string note) {
  cluster_ = nullptr;
  notes_.push_back(std::move(note));
}

absl::Status NoNodes(const std::string& where, const std::map<std::string, size_t>& kinds,
                     const std::string& expected) {
  if (expected.empty()) return absl::FailedPreconditionError(where + " has no nodes");
  std::vector<std::string> counts;
  counts.reserve(kinds.size());
  for (const auto& [kind, count] : kinds) counts.push_back(fmt::format("{} {}", count, kind));
  return absl::FailedPreconditionError(Printable(fmt::format(
      "{} has no nodes (objects by kind: {}); expected {}", where, Listed(counts), expected)));
}

absl::Status ObjectPicker::NoPod() const {
  std::vector<std::string> elsewhere;
  std::vector<std::string> names;
  for (const PodName& pod : pods_) {
    if (pod.name == wanted_->name) elsewhere.push_back(pod.name_space);
    const bool in_sight = wanted_->name_space.empty() || wanted_->name_space == pod.name_space;
    if (in_sight) names.push_back(pod.name);
  }
  std::string hint;
  if (!elsewhere.empty()) {
    hint = fmt::format("; there is one in namespace {}", Listed(elsewhere));
  } else if (const auto near = NearNames(wanted_->name, names); !near.empty()) {
    hint = fmt::format("; similar names: {}", Listed(near));
  } else if (pods_.empty() && !expected_.empty()) {
    hint = fmt::format("; it has no pods: expected {}", expected_);
  }
  return absl::NotFoundError(Printable(fmt::format(
      "{} has no pod {}{}{}", where_, wanted_->name,
      wanted_->name_space.empty() ? "" : " in namespace " + wanted_->name_space, hint)));
}

absl::StatusOr<FoundObjects> ObjectPicker::Finish() {
  if (wanted_ && found_.empty()) return NoPod();
  if (found_.size() > 1) {
    std::vector<std::string> spaces;
    for (const Pod& pod : found_) spaces.push_back(pod.namespace_);
    return absl::InvalidArgumentError(Printable(
        fmt::format("{} has a pod {} in each of the namespaces {}; choose one with --namespace",
                    where_, wanted_->name, Listed(spaces))));
  }
  if (nodes_.empty()) return NoNodes(where_, kinds_, expected_);
  FoundObjects found;
  if (cluster_ != nullptr) {
    for (const Node& node : nodes_) cluster_->UpsertNode(node);
    found.snapshot = cluster_->Take();
  }
  found.notes = std::move(notes_);
  found.nodes = std::move(nodes_);
  if (wanted_) found.pod = std::move(found_.front());
  for (const json::MalformedValue& value : malformed_) {
    found.notes.push_back(
        NoteOf(value, found.pod ? fmt::format("pod {}", found.pod->name) : "pod"));
  }
  return found;
}

std::string NoteOf(const json::MalformedValue& value, const std::string& owner) {
  return Printable(fmt::format("{}: {}: \"{}\" is not accepted; expected {}; treated as absent",
                               value.node.empty() ? owner : "node " + value.node, value.field,
                               value.value, value.accepted));
}

std::unique_ptr<ClusterObjects> ObjectsInDump(std::string name, std::string text) {
  return std::make_unique<Dump>(std::move(name), std::move(text));
}

}  // namespace outrigger::cli
