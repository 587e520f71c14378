#include "console/reading/manifest.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "codec/json/object_list.h"
#include "console/format/text.h"
#include "console/reading/cluster_objects.h"
#include "console/reading/object_file.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"
#include "outrigger/agent/needs.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;

// The template of pods in `object`, or nullptr.
const Tree* TemplateIn(const Tree& object) {
  constexpr std::array kPlaces = {"/spec/template", "/spec/jobTemplate/spec/template", "/template"};
  for (const char* place : kPlaces) {
    const Tree::json_pointer at(place);
    if (!object.contains(at)) continue;
    const Tree& found = object.at(at);
    if (found.is_object() && found.contains("spec") && found["spec"].is_object() &&
        found["spec"].contains("containers")) {
      return &found;
    }
  }
  return nullptr;
}

// A pod of the template as the object's controller would make it, but for its name.
Tree PodOf(const Tree& object, const Tree& of) {
  Tree pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", of["spec"]}};
  pod["metadata"] = of.value("metadata", Tree::object());
  const Tree metadata = object.value("metadata", Tree::object());
  for (const char* key : {"name", "namespace"}) {
    if (metadata.is_object() && metadata.contains(key)) pod["metadata"][key] = metadata[key];
  }
  return pod;
}

class ManifestReader {
 public:
  ManifestReader(std::string name, std::vector<std::string>* notes)
      : name_(std::move(name)), notes_(notes) {}

  absl::Status Take(const json::ListedObject& object) {
    if (object.kind == "Pod") return TakePod(object);
    const Tree tree = Tree::parse(std::string_view(object.body.data, object.body.size), nullptr,
                                  /*allow_exceptions=*/false);
    const Tree* const of = tree.is_object() ? TemplateIn(tree) : nullptr;
    if (of == nullptr) {
      ++others_[std::string(object.kind)];
      return absl::OkStatus();
    }
    const std::string place = fmt::format("{}: pod template of the {}", name_, object.kind);
    return ForEachObjectInFile(place, PodOf(tree, *of).dump(),
                               [this](const json::ListedObject& pod) { return TakePod(pod); });
  }

  absl::StatusOr<std::vector<Pod>> Finish() {
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : others_) kinds.push_back(fmt::format("{} {}", count, kind));
    if (pods_.empty()) {
      return absl::InvalidArgumentError(
          Printable(fmt::format("{}: has no pod ({}); expected Pods or objects with a pod "
                                "template, such as Job, Deployment and StatefulSet",
                                name_, kinds.empty() ? "no objects" : Listed(kinds))));
    }
    if (!kinds.empty()) {
      notes_->push_back(Printable(fmt::format("{}: no pods are in {}", name_, Listed(kinds))));
    }
    return std::move(pods_);
  }

 private:
  absl::Status TakePod(const json::ListedObject& object) {
    std::vector<json::MalformedValue> malformed;
    Pod pod;
    absl::Status status = json::DecodePod(object, Needs::All(), &pod, &malformed);
    if (!status.ok()) return status;
    for (const auto& value : malformed) notes_->push_back(NoteOf(value, "pod " + pod.name));
    const std::string filled_in = ApplyDefaults(&pod);
    if (!filled_in.empty()) {
      notes_->push_back(
          Printable(fmt::format("pod {}: as the API server does: {}", pod.name, filled_in)));
    }
    pods_.push_back(std::move(pod));
    return absl::OkStatus();
  }

  const std::string name_;
  std::vector<std::string>* const notes_;
  std::vector<Pod> pods_;
  std::map<std::string, size_t> others_;
};

// Sets what `requests` lacks and `limits` has; the names go to `set`.
void FromLimits(const ResourceList& limits, ResourceList* requests, std::set<std::string>* set) {
  for (const auto& [name, quantity] : limits) {
    if (requests->Find(name) != nullptr) continue;
    requests->Set(name, quantity);
    set->insert(name);
  }
}

// A limit of the whole pod counts where no container asks for the resource (PodLevelResources).
void FromPodLimits(Pod* pod, std::set<std::string>* set) {
  if (!pod->pod_limits) return;
  ResourceList requests = pod->pod_requests.value_or(ResourceList());
  ResourceList limits;
  for (const ResourceList::Entry& limit : *pod->pod_limits) {
    const auto asks = [&limit](const Container& container) {
      return container.requests.Find(limit.name) != nullptr;
    };
    if (std::none_of(pod->containers.begin(), pod->containers.end(), asks)) {
      limits.Set(limit.name, limit.quantity);
    }
  }
  FromLimits(limits, &requests, set);
  if (!requests.empty()) pod->pod_requests = std::move(requests);
}

// As upstream's GetPodQOS: cpu and memory of all containers.
std::string QosOf(const Pod& pod) {
  bool any = false;
  bool all = true;
  const auto look = [&](const ResourceList& requests, const ResourceList& limits) {
    for (const std::string_view name : {kCpu, kMemory}) {
      const Quantity request = requests.Get(name);
      const Quantity limit = limits.Get(name);
      any = any || request > Quantity() || limit > Quantity();
      all = all && limit > Quantity() && request == limit;
    }
  };
  if (pod.pod_requests || pod.pod_limits) {
    look(pod.pod_requests.value_or(ResourceList()), pod.pod_limits.value_or(ResourceList()));
  } else {
    for (const Container& container : pod.containers) look(container.requests, container.limits);
    for (const Container& container : pod.init_containers) {
      look(container.requests, container.limits);
    }
  }
  if (!any) return "BestEffort";
  return all ? "Guaranteed" : "Burstable";
}

// Adds a toleration of any value of `key`, unless one covers the taint already.
bool AddToleration(std::string_view key, TaintEffect effect, Pod* pod) {
  const Taint taint{std::string(key), "", effect};
  const bool covered =
      std::any_of(pod->tolerations.begin(), pod->tolerations.end(),
                  [&](const Toleration& toleration) { return toleration.Tolerates(taint); });
  if (!covered) pod->tolerations.push_back({std::string(key), "", true, effect});
  return !covered;
}

std::vector<std::string> AddTolerations(Pod* pod) {
  std::vector<std::string> added;
  for (const char* word : {"not-ready", "unreachable"}) {
    const std::string key = fmt::format("node.kubernetes.io/{}", word);
    if (AddToleration(key, TaintEffect::kNoExecute, pod)) added.emplace_back(word);
  }
  if (pod->qos_class != "BestEffort" &&
      AddToleration("node.kubernetes.io/memory-pressure", TaintEffect::kNoSchedule, pod)) {
    added.emplace_back("memory-pressure");
  }
  return added;
}

// The values are upstream's SystemClusterCritical and SystemNodeCritical.
std::string SetPriority(Pod* pod) {
  if (pod->priority != 0 || pod->priority_class_name.empty()) return {};
  const std::string& name = pod->priority_class_name;
  if (name == "system-cluster-critical") pod->priority = 2'000'000'000;
  if (name == "system-node-critical") pod->priority = 2'000'001'000;
  if (pod->priority != 0) return fmt::format("priority {} of class {}", pod->priority, name);
  return fmt::format("priority 0, since class {} is not looked up", name);
}

}  // namespace

std::string ApplyDefaults(Pod* pod) {
  std::set<std::string> from_limits;
  for (Container& container : pod->containers) {
    FromLimits(container.limits, &container.requests, &from_limits);
  }
  for (Container& container : pod->init_containers) {
    FromLimits(container.limits, &container.requests, &from_limits);
  }
  FromPodLimits(pod, &from_limits);
  std::vector<std::string> said;
  if (!from_limits.empty()) {
    said.push_back(fmt::format("requests of {} from limits", fmt::join(from_limits, ", ")));
  }
  if (pod->qos_class.empty()) {
    pod->qos_class = QosOf(*pod);
    said.push_back("QoS class " + pod->qos_class);
  }
  const std::vector<std::string> tolerations = AddTolerations(pod);
  if (!tolerations.empty()) {
    said.push_back(fmt::format("tolerations of {}", fmt::join(tolerations, ", ")));
  }
  const std::string priority = SetPriority(pod);
  if (!priority.empty()) said.push_back(priority);
  return fmt::format("{}", fmt::join(said, "; "));
}

absl::StatusOr<std::vector<Pod>> ReadManifest(const std::string& name, std::string text,
                                              std::vector<std::string>* notes) {
  ManifestReader reader(name, notes);
  absl::Status status = ForEachObjectInFile(
      name, std::move(text),
      [&reader](const json::ListedObject& object) { return reader.Take(object); });
  if (!status.ok()) return status;
  return reader.Finish();
}

}  // namespace outrigger::cli
