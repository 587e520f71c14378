// What kube-scheduler refuses to all members of one spec: a filter that no plan knows.

#include <algorithm>
#include <optional>

#include "gang/desk/nominations/memory.h"
#include "gang/desk/reasons.h"
#include "gang/plan/room.h"

namespace outrigger::desk {
namespace {

// Specs of one unit, and nodes of all of them: beyond that each member learns for itself.
constexpr size_t kMostSpecs = 8;
constexpr size_t kMostNodes = 500'000;

// A resource that the node has not is not compared, or the node is refused for it.
bool HasRoom(const ResourceList& free, const ResourceList& requests) {
  return std::all_of(requests.begin(), requests.end(), [&](const ResourceList::Entry& request) {
    const Quantity* const left = free.Find(request.name);
    return left == nullptr || request.quantity <= *left;
  });
}

SpecRefusals* FindSpec(const Pod& pod, std::vector<SpecRefusals>* specs) {
  const auto found = std::find_if(specs->begin(), specs->end(),
                                  [&](const SpecRefusals& spec) { return spec.AreFor(pod); });
  return found == specs->end() ? nullptr : &*found;
}

}  // namespace

absl::flat_hash_set<std::string> Memory::PlacesOfOthers(const PodMemory& of,
                                                        const SpecRefusals& spec) const {
  absl::flat_hash_set<std::string> places;
  for (const auto& [uid, other] : pods_) {
    if (other.reserved.empty() || &other == &of) continue;
    const bool is_alike = other.unit == of.unit && other.pod != nullptr && spec.AreFor(*other.pod);
    if (!is_alike || IsLetPass(other)) places.insert(other.reserved);
  }
  return places;
}

// Without calls kube-scheduler has tried all nodes by then, and binds where it can.
bool Memory::IsSharedBySpec(const Inbox::Refusal& refusal, const PodMemory& of) const {
  if (refusal.silent || of.pod == nullptr || of.unit.dialect == plan::Dialect::kNone) return false;
  const Pod& pod = *of.pod;
  const bool has_own =
      !pod.claims.empty() || !pod.resource_claims.empty() || pod.claims_to_come > 0;
  return options_.mode != Mode::kAlone && !has_own && !HangsOnOtherPods(pod) &&
         !options_.spreading.contains(pod.scheduler_name);
}

SpecRefusals* Memory::SpecOf(const PodMemory& of) {
  std::vector<SpecRefusals>& specs = units_[of.unit].specs;
  SpecRefusals* const known = FindSpec(*of.pod, &specs);
  if (known != nullptr) return known;
  size_t nodes = 0;
  for (const auto& [key, unit] : units_) {
    for (const SpecRefusals& spec : unit.specs) nodes += spec.size();
  }
  if (specs.size() >= kMostSpecs || nodes >= kMostNodes) return nullptr;
  return &specs.emplace_back(of.pod);
}

void Memory::RefuseToSpec(const Inbox::Refusal& refusal, const PodMemory& of,
                          const ClusterSnapshot& snapshot, Time now) {
  if (older_ == nullptr || !IsSharedBySpec(refusal, of)) return;
  SpecRefusals* const spec = SpecOf(of);
  if (spec == nullptr) return;
  const auto taken = PlacesOfOthers(of, *spec);
  const ResourceList requests = RequestsOf(*of.pod);
  const auto add = [&](const Node& node) {
    if (taken.contains(node.name)) return;
    const auto room = plan::RoomOn(snapshot, node.name);
    const bool is_settled = room && room->stamp == StampOf(*older_, node.name);
    if (is_settled && HasRoom(room->free, requests)) spec->Add(node, now);
  };
  if (const auto node = snapshot.FindNode(refusal.node)) add(node->node());
  if (!refusal.passed) return;
  // Of many it takes a part; where none passes it has tried them all.
  const bool samples =
      options_.samples_nodes && snapshot.NodeCount() > NominationOptions::kAllOffered;
  if (samples && !refusal.passed->empty()) return;
  const absl::flat_hash_set<std::string> passed(refusal.passed->begin(), refusal.passed->end());
  snapshot.ForEachNode([&](const NodeView& node) {
    if (!passed.contains(node.node().name)) add(node.node());
  });
}

void Memory::PrepareSpecs(const ClusterSnapshot& snapshot, Time now, UnitMemory* memory,
                          plan::Unit* unit) {
  if (memory->specs.empty()) return;
  for (SpecRefusals& spec : memory->specs) spec.Update(snapshot, now);
  std::erase_if(memory->specs, [](SpecRefusals& spec) { return spec.nodes() == nullptr; });
  for (plan::Member& member : unit->members) {
    SpecRefusals* const spec = FindSpec(*member.pod, &memory->specs);
    if (spec == nullptr) continue;
    member.refused_to_spec = spec->nodes();
    if (unit->refusal.empty()) unit->refusal = RefusalText(member.pod->unscheduled_message);
  }
}

}  // namespace outrigger::desk
