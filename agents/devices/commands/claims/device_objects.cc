#include "devices/commands/claims/device_objects.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"
#include "gang/plan/group.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;

constexpr std::string_view kApiVersion = "devmgmtproto.k8s.io/v1alpha1";

std::string_view BodyOf(const json::ListedObject& object) {
  return {object.body.data, object.body.size};
}

// The field of that name in any case, or nullptr; null is not there.
const Tree* FieldOfTree(const Tree& object, const std::string& name) {
  if (!object.is_object()) return nullptr;
  for (const auto& [key, value] : object.items()) {
    if (absl::EqualsIgnoreCase(key, name)) return value.is_null() ? nullptr : &value;
  }
  return nullptr;
}

std::string StringAt(const Tree* object, const std::string& name) {
  const Tree* const found = object == nullptr ? nullptr : FieldOfTree(*object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

absl::Status In(std::string_view place, std::string_view kind, const absl::Status& status) {
  if (status.ok()) return status;
  const std::string where = place.empty() ? std::string(kind) : fmt::format("{}: {}", place, kind);
  return {status.code(), Printable(fmt::format("{}: {}", where, std::string(status.message())))};
}

// The claims of a pod as JSON; empty: it has none.
absl::StatusOr<std::string> ClaimsText(const Tree& pod) {
  const Tree* const spec = FieldOfTree(pod, "spec");
  const Tree* const metadata = FieldOfTree(pod, "metadata");
  const Tree* const annotations =
      metadata == nullptr ? nullptr : FieldOfTree(*metadata, "annotations");
  const Tree* const listed = spec == nullptr ? nullptr : FieldOfTree(*spec, "deviceClaims");
  const std::string annotation = StringAt(annotations, std::string(devices::kClaimsAnnotation));
  if (listed == nullptr) return annotation;
  if (!annotation.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "spec.deviceClaims and the annotation {} exclude each other", devices::kClaimsAnnotation));
  }
  return listed->dump();
}

// Why the containers of a pod, as k8srm-prototype has them, are not served; empty: they are.
std::string DevicesFault(const Tree& pod) {
  const Tree* const spec = FieldOfTree(pod, "spec");
  for (const char* list : {"initContainers", "containers"}) {
    const Tree* const containers = spec == nullptr ? nullptr : FieldOfTree(*spec, list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (size_t i = 0; i < containers->size(); ++i) {
      const Tree* const devices = FieldOfTree((*containers)[i], "devices");
      if (devices == nullptr || devices->empty()) continue;
      return fmt::format(
          "spec.{}[{}].devices: containers cannot have devices of their own; list the claims in "
          "spec.deviceClaims",
          list, i);
    }
  }
  return "";
}

bool IsInGang(const json::ListedObject& object) {
  Pod pod;
  std::vector<json::MalformedValue> none;
  const Needs needs = Needs().PodMetadata().PodScheduling();
  return json::DecodePod(object, needs, &pod, &none).ok() &&
         plan::MembershipOf(pod, nullptr).has_value();
}

bool IsNeverScheduled(std::string_view kind) {
  return kind == "DeviceSetClaim" || kind == "DeviceClaimTemplate";
}

}  // namespace

std::string NameOf(const DevicePod& pod) {
  return pod.namespace_ + "/" + pod.name;
}

void DeviceTaker::BeginCluster(std::string source, bool gives_way) {
  source_ = std::move(source);
  gives_way_ = gives_way;
  is_cluster_ = true;
}

template <typename Object>
absl::Status DeviceTaker::Add(std::string_view kind, std::string_view name, Object object,
                              std::deque<Object>* to) {
  const auto [at, is_new] = sources_.emplace(fmt::format("{} {}", kind, name), source_);
  if (is_new) {
    to->push_back(std::move(object));
    return absl::OkStatus();
  }
  if (gives_way_ && at->second != source_) {
    notes_.push_back(Printable(
        fmt::format("{} {} is read from {}, not from {}", kind, name, at->second, source_)));
    return absl::OkStatus();
  }
  const std::string other =
      at->second == source_ ? "" : fmt::format(": it is in {}, too", at->second);
  return absl::InvalidArgumentError(
      Printable(fmt::format("{} {} is given twice{}", kind, name, other)));
}

absl::Status DeviceTaker::TakeNode(const json::ListedObject& object) {
  Node node;
  std::vector<json::MalformedValue> none;
  absl::Status status = json::DecodeNode(object, Needs(), &node, &none);  // names are always read
  if (!status.ok()) return status;
  std::deque<std::string> names;
  status = Add("Node", node.name, node.name, &names);
  objects_.nodes.insert(objects_.nodes.end(), names.begin(), names.end());
  return status;
}

absl::Status DeviceTaker::TakePod(const json::ListedObject& object) {
  const Tree tree = Tree::parse(BodyOf(object), nullptr, /*allow_exceptions=*/false);
  if (tree.is_discarded()) return absl::InvalidArgumentError("is not JSON");
  const Tree* const metadata = FieldOfTree(tree, "metadata");
  DevicePod pod;
  pod.name = StringAt(metadata, "name");
  pod.namespace_ = StringAt(metadata, "namespace");
  if (pod.namespace_.empty()) pod.namespace_ = default_namespace_;
  pod.uid = StringAt(metadata, "uid");
  pod.node = StringAt(FieldOfTree(tree, "spec"), "nodeName");
  if (pod.name.empty()) return absl::InvalidArgumentError("metadata.name is empty");
  const absl::StatusOr<std::string> text = ClaimsText(tree);
  auto claims = text.ok() ? devices::ParsePodClaims(*text, pod.name) : text.status();
  if (claims.ok()) {
    pod.fault = DevicesFault(tree);
    pod.claims = *std::move(claims);
    pod.in_gang = !pod.claims.empty() && IsInGang(object);
  } else {
    pod.fault = std::string(claims.status().message());
  }
  const std::string name = NameOf(pod);
  absl::Status status = Add("Pod", name, std::move(pod), &objects_.pods);
  if (!is_cluster_) objects_.file_pods = objects_.pods.size();
  return status;
}

absl::Status DeviceTaker::TakeNamespace(std::string_view json) {
  absl::StatusOr<devices::NamespaceObject> read = devices::ParseNamespace(json);
  if (!read.ok()) return read.status();
  const std::string name = read->name;
  return Add(devices::kNamespaceKind.kind, name, *std::move(read), &objects_.namespaces);
}

absl::Status DeviceTaker::TakeClaim(std::string_view json) {
  absl::StatusOr<devices::ClaimObject> read = devices::ParseClaim(json);
  if (!read.ok()) return read.status();
  if (read->claim.namespace_.empty()) read->claim.namespace_ = default_namespace_;
  const std::string_view kind =
      (read->privileged ? devices::kPrivilegedClaimKind : devices::kClaimKind).kind;
  const std::string name = devices::NameOf(read->claim);
  absl::Status status = Add(kind, name, *std::move(read), &objects_.claims);
  if (!is_cluster_) objects_.file_claims = objects_.claims.size();
  return status;
}

absl::Status DeviceTaker::TakeOwn(std::string_view kind, std::string_view json) {
  if (kind == devices::kPoolKind.kind) {
    absl::StatusOr<devices::PoolObject> read = devices::ParsePool(json);
    if (!read.ok()) return read.status();
    const std::string name = read->pool.name;
    return Add(kind, name, *std::move(read), &objects_.pools);
  }
  if (kind == devices::kClassKind.kind) {
    absl::StatusOr<devices::ClassObject> read = devices::ParseClass(json);
    if (!read.ok()) return read.status();
    const std::string name = read->of.name;
    return Add(kind, name, *std::move(read), &objects_.classes);
  }
  if (kind == devices::kDriverKind.kind) {
    absl::StatusOr<devices::Driver> read = devices::ParseDriver(json);
    if (!read.ok()) return read.status();
    const std::string name = read->name;
    return Add(kind, name, *std::move(read), &objects_.drivers);
  }
  if (kind == devices::kClaimKind.kind || kind == devices::kPrivilegedClaimKind.kind) {
    return TakeClaim(json);
  }
  ++left_[source_][fmt::format("{}{}", kind, IsNeverScheduled(kind) ? " (never scheduled)" : "")];
  return absl::OkStatus();
}

absl::Status DeviceTaker::Take(const json::ListedObject& object) {
  const bool is_core = object.api_version.empty() || object.api_version == "v1";
  if (is_core && object.kind == "Node") return TakeNode(object);
  if (is_core && object.kind == "Pod") return In(object.place, object.kind, TakePod(object));
  if (is_core && object.kind == devices::kNamespaceKind.kind) {
    return In(object.place, object.kind, TakeNamespace(BodyOf(object)));
  }
  if (object.api_version.empty() || object.api_version == kApiVersion) {
    return In(object.place, object.kind, TakeOwn(object.kind, BodyOf(object)));
  }
  ++left_[source_]
         [fmt::format("{} ({})", object.kind.substr(0, 64), object.api_version.substr(0, 128))];
  return absl::OkStatus();
}

DeviceObjects DeviceTaker::Finish(std::vector<std::string>* notes) {
  for (const auto& [source, kinds] : left_) {
    std::vector<std::string> texts;
    for (const auto& [kind, count] : kinds) texts.push_back(fmt::format("{} {}", count, kind));
    notes_.push_back(
        Printable(fmt::format("{}: not read: {}", source, absl::StrJoin(texts, ", "))));
  }
  notes->insert(notes->end(), notes_.begin(), notes_.end());
  return std::move(objects_);
}

}  // namespace outrigger::cli
