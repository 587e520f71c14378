#include "devices/commands/dra/dra_objects.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {

void DraTaker::BeginCluster(std::string source) {
  source_ = std::move(source);
  is_cluster_ = true;
  objects_.file_claims = objects_.cluster.claims.size();
}

template <typename Object>
absl::Status DraTaker::Add(std::string_view kind, const std::string& name, Object object,
                           std::vector<Object>* to) {
  Note(kind, name);
  const auto [at, is_new] = sources_.emplace(fmt::format("{} {}", kind, name), source_);
  if (is_new) {
    to->push_back(std::move(object));
    return absl::OkStatus();
  }
  if (is_cluster_ && at->second != source_) return absl::OkStatus();
  return absl::InvalidArgumentError(Printable(
      fmt::format("{} {} is given twice, in {} and in {}", kind, name, at->second, source_)));
}

void DraTaker::Note(std::string_view kind, const std::string& name) {
  for (const json::MalformedValue& value : malformed_) {
    notes_.push_back(
        Printable(fmt::format("{} {}: {}: \"{}\" is not accepted; expected {}; treated as absent",
                              kind, name, value.field, value.value, value.accepted)));
  }
  malformed_.clear();
}

absl::Status DraTaker::Take(const json::ListedObject& object) {
  absl::Status status;
  if (object.kind == "Node") {
    status = TakeNode(object);
  } else if (object.kind == "Pod") {
    status = TakePod(object);
  } else if (dra::IsOfDra(object.api_version)) {
    status = TakeOfDra(object);
  }
  return status.ok() ? status
                     : absl::Status(status.code(), Printable(std::string(status.message())));
}

absl::Status DraTaker::TakeOfDra(const json::ListedObject& object) {
  if (object.kind == "ResourceSlice") {
    dra::Slice slice;
    absl::Status status = dra::DecodeSlice(object, &slice, &malformed_);
    const std::string name = slice.name;
    return status.ok() ? Add(object.kind, name, std::move(slice), &objects_.cluster.slices)
                       : status;
  }
  if (object.kind == "DeviceClass") {
    dra::Class of;
    absl::Status status = dra::DecodeClass(object, &of, &malformed_);
    const std::string name = of.name;
    return status.ok() ? Add(object.kind, name, std::move(of), &objects_.cluster.classes) : status;
  }
  if (object.kind == "DeviceTaintRule") {
    dra::TaintRule rule;
    absl::Status status = dra::DecodeTaintRule(object, &rule, &malformed_);
    const std::string name = rule.name;
    return status.ok() ? Add(object.kind, name, std::move(rule), &objects_.cluster.rules) : status;
  }
  if (object.kind == "ResourceClaim") return TakeClaim(object);
  if (object.kind == "ResourceClaimTemplate") return TakeTemplate(object);
  return absl::OkStatus();
}

absl::Status DraTaker::TakeClaim(const json::ListedObject& object) {
  dra::Claim claim;
  absl::Status status = dra::DecodeClaim(object, &claim, &malformed_);
  if (!status.ok()) return status;
  if (claim.namespace_.empty()) claim.namespace_ = default_namespace_;
  const std::string name = dra::NameOf(claim);
  return Add(object.kind, name, std::move(claim), &objects_.cluster.claims);
}

absl::Status DraTaker::TakeTemplate(const json::ListedObject& object) {
  dra::Claim claim;
  std::string name;
  absl::Status status = dra::DecodeTemplate(object, &name, &claim, &malformed_);
  if (!status.ok()) return status;
  if (claim.namespace_.empty()) claim.namespace_ = default_namespace_;
  name = fmt::format("{}/{}", claim.namespace_, name);
  std::vector<dra::Claim> added;
  status = Add(object.kind, name, std::move(claim), &added);
  if (!added.empty()) objects_.templates.emplace(name, std::move(added[0]));
  return status;
}

absl::Status DraTaker::TakeNode(const json::ListedObject& object) {
  Node node;
  std::vector<json::MalformedValue> none;  // of resources, which do not count here
  absl::Status status = json::DecodeNode(object, Needs::All(), &node, &none);
  const std::string name = node.name;
  return status.ok() ? Add(object.kind, name, std::move(node), &objects_.nodes) : status;
}

absl::Status DraTaker::TakePod(const json::ListedObject& object) {
  dra::PodClaims pod;
  absl::Status status = dra::DecodePodClaims(object, &pod);
  if (!status.ok() || pod.name.empty()) return status;  // of a template: it has no name yet
  if (pod.namespace_.empty()) pod.namespace_ = default_namespace_;
  const std::string name = fmt::format("{}/{}", pod.namespace_, pod.name);
  return Add(object.kind, name, std::move(pod), &objects_.pods);
}

DraObjects DraTaker::Finish(std::vector<std::string>* notes) {
  if (!is_cluster_) objects_.file_claims = objects_.cluster.claims.size();
  notes->insert(notes->end(), notes_.begin(), notes_.end());
  std::sort(objects_.nodes.begin(), objects_.nodes.end(),
            [](const Node& a, const Node& b) { return a.name < b.name; });
  return std::move(objects_);
}

}  // namespace outrigger::cli
