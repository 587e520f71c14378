#include "cluster/claim_store.h"

#include <algorithm>
#include <array>
#include <vector>

#include "fmt/format.h"

namespace outrigger::cluster {
namespace {

constexpr std::string_view kBeingDeleted = "is being deleted";

// A label of volumes that nodes must have, too, and its name since Kubernetes 1.17.
struct ZoneLabel {
  std::string_view key;
  std::string_view key_now;
};
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::array<ZoneLabel, 4> kZoneLabels{{
    {kZone, kZone},
    {kRegion, kRegion},
    {"failure-domain.beta.kubernetes.io/zone", kZone},
    {"failure-domain.beta.kubernetes.io/region", kRegion},
}};

// A volume of several zones has them all in one label: "a__b". None if one of them is empty: then
// the label does not count.
std::vector<std::string> ZonesIn(std::string_view value) {
  constexpr std::string_view kBetween = "__";
  std::vector<std::string> zones;
  for (size_t at = 0; at <= value.size();) {
    const size_t end = std::min(value.find(kBetween, at), value.size());
    if (end == at) return {};
    zones.emplace_back(value.substr(at, end - at));
    at = end + kBetween.size();
  }
  return zones;
}

NodeSelectorTerm TermOf(std::string_view key, SelectorOperator op,
                        std::vector<std::string> values) {
  NodeSelectorTerm term;
  term.match_expressions.push_back({std::string(key), op, std::move(values)});
  return term;
}

// As kube-scheduler's plugin VolumeZone: nodes without any of the labels are not looked at.
void AddZones(const StringMap& labels, std::vector<NodeSelector>* nodes) {
  NodeSelectorTerm unlabelled;
  for (const ZoneLabel& label : kZoneLabels) {
    unlabelled.match_expressions.push_back(
        {std::string(label.key), SelectorOperator::kDoesNotExist, {}});
  }
  for (const ZoneLabel& label : kZoneLabels) {
    const std::string* const value = labels.Find(label.key);
    const auto zones = value == nullptr ? std::vector<std::string>() : ZonesIn(*value);
    if (zones.empty()) continue;
    NodeSelector& selector = nodes->emplace_back();
    selector.terms.push_back(TermOf(label.key, SelectorOperator::kIn, zones));
    if (label.key != label.key_now) {
      NodeSelectorTerm now = TermOf(label.key_now, SelectorOperator::kIn, zones);
      now.match_expressions.push_back(
          {std::string(label.key), SelectorOperator::kDoesNotExist, {}});
      selector.terms.push_back(std::move(now));
    }
    selector.terms.push_back(unlabelled);
  }
}

// A requirement with the former name of a label also by the name that it has now: kube-scheduler
// translates old volumes' (csi-translation-lib), since nodes may have lost the former.
std::optional<NodeSelectorTerm> WithLabelsOfNow(NodeSelectorTerm term) {
  bool is_old = false;
  for (SelectorRequirement& requirement : term.match_expressions) {
    for (const ZoneLabel& label : kZoneLabels) {
      if (label.key == label.key_now || requirement.key != label.key) continue;
      requirement.key = label.key_now;
      is_old = true;
    }
  }
  if (!is_old) return std::nullopt;
  return term;
}

NodeSelector Translated(NodeSelector affinity) {
  for (size_t i = 0, count = affinity.terms.size(); i < count; ++i) {
    if (auto now = WithLabelsOfNow(affinity.terms[i])) affinity.terms.push_back(*std::move(now));
  }
  return affinity;
}

template <typename Items>
bool PutInto(typename Items::key_type&& key, typename Items::mapped_type&& item, Items* items) {
  const auto [at, is_new] = items->try_emplace(std::move(key), item);
  if (is_new) return true;
  if (at->second == item) return false;
  at->second = std::move(item);
  return true;
}

ClaimWish WishForDevices(const DeviceClaim& claim) {
  ClaimWish wish;
  wish.open = !claim.allocated;
  if (claim.allocated && claim.reserved && claim.nodes) wish.nodes.push_back(*claim.nodes);
  if (claim.being_deleted) wish.refused = kBeingDeleted;
  return wish;
}

}  // namespace

bool ClaimStore::Changed(bool changed) {
  if (changed) taken_ = nullptr;
  return changed;
}

bool ClaimStore::Put(Volume volume) {
  std::string name = volume.name;
  return Changed(PutInto(std::move(name), std::move(volume), &volumes_));
}

bool ClaimStore::Put(VolumeClaim claim) {
  Name name{claim.namespace_, claim.name};
  return Changed(PutInto(std::move(name), std::move(claim), &volume_claims_));
}

bool ClaimStore::Put(StorageClass put) {
  std::string name = put.name;
  return Changed(PutInto(std::move(name), std::move(put), &storage_classes_));
}

bool ClaimStore::Put(DeviceClaim claim) {
  Name name{claim.namespace_, claim.name};
  return Changed(PutInto(std::move(name), std::move(claim), &device_claims_));
}

bool ClaimStore::RemoveVolume(std::string_view name) {
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return false;
  volumes_.erase(found);
  return Changed(true);
}

bool ClaimStore::RemoveVolumeClaim(std::string_view namespace_, std::string_view name) {
  return Changed(volume_claims_.erase({std::string(namespace_), std::string(name)}) > 0);
}

bool ClaimStore::RemoveStorageClass(std::string_view name) {
  const auto found = storage_classes_.find(name);
  if (found == storage_classes_.end()) return false;
  storage_classes_.erase(found);
  return Changed(true);
}

bool ClaimStore::RemoveDeviceClaim(std::string_view namespace_, std::string_view name) {
  return Changed(device_claims_.erase({std::string(namespace_), std::string(name)}) > 0);
}

bool ClaimStore::SetDeviceClaimsServed(bool served) {
  return Changed(std::exchange(device_claims_served_, served) != served);
}

// As kube-scheduler's plugin VolumeBinding judges before it looks at nodes
// (volumebinding/binder.go: GetPodVolumeClaims(), checkBoundClaims()).
std::string ClaimStore::RefusalOf(const VolumeClaim& claim) const {
  if (claim.being_deleted) return std::string(kBeingDeleted);
  if (claim.bound) {
    if (volumes_.contains(claim.volume)) return {};
    return fmt::format("is bound to the PersistentVolume {}, which is not there", claim.volume);
  }
  // What names its volume already is bound to it at once, whatever its class says.
  if (!claim.volume.empty()) return fmt::format("is not bound to {} yet", claim.volume);
  if (claim.storage_class.empty()) return "is not bound, and has no StorageClass that binds late";
  const auto found = storage_classes_.find(claim.storage_class);
  if (found == storage_classes_.end()) {
    return fmt::format("is not bound, and its StorageClass {} is not known", claim.storage_class);
  }
  if (found->second.binds_late) return {};
  return fmt::format("is not bound, and its StorageClass {} binds at once", claim.storage_class);
}

ClaimWish ClaimStore::WishOf(const VolumeClaim& claim) const {
  ClaimWish wish;
  wish.open = !claim.bound;
  wish.refused = RefusalOf(claim);
  if (claim.volume.empty()) {
    wish.made_for = claim.selected_node;
    return wish;
  }
  const auto volume = volumes_.find(claim.volume);
  if (volume == volumes_.end()) return wish;
  if (volume->second.node_affinity) wish.nodes.push_back(Translated(*volume->second.node_affinity));
  AddZones(volume->second.labels, &wish.nodes);
  return wish;
}

std::shared_ptr<const ClaimTable> ClaimStore::Take() {
  if (taken_ != nullptr) return taken_;
  auto table = std::make_shared<ClaimTable>();
  const auto add = [](const Name& name, ClaimWish wish, ClaimWishes* wishes) {
    wishes->emplace_hint(wishes->end(), name, std::move(wish));
  };
  for (const auto& [name, claim] : volume_claims_) add(name, WishOf(claim), &table->volumes);
  for (const auto& [name, claim] : device_claims_) {
    add(name, WishForDevices(claim), &table->devices);
  }
  table->device_claims_served = device_claims_served_;
  taken_ = std::move(table);
  return taken_;
}

}  // namespace outrigger::cluster
