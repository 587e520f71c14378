#include "devices/commands/claims/placement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_join.h"
#include "console/format/text.h"
#include "devices/objects/admin_access.h"
#include "fmt/format.h"

namespace outrigger::cli {

using devices::Claim;
using devices::ClaimObject;
using devices::Inventory;
using devices::Pool;

namespace {

devices::AllocatorOptions OptionsOf(const PlacementOptions& options) {
  return {.network_pools = options.network_pools,
          .always_resolve = options.always_resolve,
          .weights = {},
          .topology_attributes = {}};
}

std::optional<std::set<std::string>> AdminNamespaces(const DeviceObjects& objects,
                                                     const PlacementOptions& options) {
  if (objects.namespaces.empty() && !options.knows_namespaces) return std::nullopt;
  std::set<std::string> names;
  for (const devices::NamespaceObject& one : objects.namespaces) {
    if (one.admin_access) names.insert(one.name);
  }
  return names;
}

// Each request by itself, for one device of any amount, equal to nothing.
std::vector<Claim> ForOneDevice(const Claim& claim) {
  std::vector<Claim> claims;
  for (const devices::Request& request : claim.requests) {
    for (devices::Detail detail : request.details) {
      detail.min_count = 1;
      detail.max_count.reset();
      detail.amounts.clear();
      detail.match_attributes.clear();
      detail.distinct_attributes.clear();
      detail.all = false;
      Claim one = claim;
      one.counts = false;  // a class may want more than one
      one.match_attributes.clear();
      one.distinct_attributes.clear();
      one.requests = {{{std::move(detail)}}};
      claims.push_back(std::move(one));
    }
  }
  return claims;
}

// Of "claim c: 1 foozer wanted, no device matches (4 of other drivers)" the last part.
std::string WithoutWish(std::string_view reason) {
  constexpr std::string_view kWanted = " wanted, ";
  const size_t at = reason.find(kWanted);
  return std::string(at == std::string_view::npos ? reason : reason.substr(at + kWanted.size()));
}

/// Returns " until pods a, b have ended": those that use the claim.
std::string UntilText(const ClaimObject& claim) {
  const std::vector<std::string>& pods = claim.claim.pods;
  if (pods.empty()) return "";
  return fmt::format(" until pod{} {} {} ended", pods.size() == 1 ? "" : "s", Listed(pods),
                     pods.size() == 1 ? "has" : "have");
}

}  // namespace

int NodePlacement::Points() const {
  constexpr double kFull = 100;
  return fits ? static_cast<int>(std::lround(scores.total * kFull)) : 0;
}

Placement::Placement(const DeviceObjects& objects, AskedClaims asked,
                     const PlacementOptions& options)
    : objects_(objects),
      asked_(std::move(asked)),
      selectors_(devices::MakeCelSelectors()),
      allocator_(*selectors_, OptionsOf(options)),
      of_one_pool_(*selectors_, OptionsOf({.always_resolve = options.always_resolve})),
      use_(FindDeviceUse(objects, asked_.claims)),
      why_no_room_(options.why_no_room),
      admin_namespaces_(AdminNamespaces(objects, options)),
      nodes_(objects.nodes.empty() ? use_.inventory.Nodes() : objects.nodes) {
  std::sort(nodes_.begin(), nodes_.end());
  for (const ClaimObject* claim : asked_.claims) {
    if (claim->claim.allocations.empty()) open_.push_back(&claim->claim);
  }
  demand_ = Resolve(open_);
  std::vector<const Claim*> first;
  for (const Claim* claim : open_) {
    alone_.push_back(Resolve({claim}));
    first.push_back(claim);
    first_.push_back(Resolve(first));
  }
}

devices::Demand Placement::Resolve(const std::vector<const Claim*>& claims) const {
  return allocator_.Resolve(use_.inventory, claims);
}

std::vector<std::string> Placement::Strays() const {
  std::vector<std::string> texts;
  for (const std::string& node : use_.inventory.Nodes()) {
    if (std::binary_search(nodes_.begin(), nodes_.end(), node)) continue;
    std::vector<std::string> pools;
    for (const Pool* pool : use_.inventory.PoolsOf(node)) pools.push_back(pool->name);
    texts.push_back(fmt::format("there is no node {}: pools {} serve nothing", node,
                                absl::StrJoin(pools, ", ")));
  }
  return texts;
}

std::string Placement::NodeOf(const ClaimObject& claim) const {
  if (!claim.node.empty()) return claim.node;
  for (const devices::Allocation& one : claim.claim.allocations) {
    const Pool* const pool = use_.inventory.FindPool(one.pool);
    if (pool != nullptr && !pool->node.empty()) return pool->node;
  }
  return "";
}

std::vector<std::string> Placement::Unsatisfied(const std::string& node) const {
  const auto fits = [&](const devices::Demand& demand) {
    return allocator_.Allocate(use_.inventory, demand, node, devices::Parts::kVerdict)
        .verdict.fits();
  };
  std::vector<std::string> names;
  for (size_t i = 0; i < open_.size(); ++i) {
    if (!fits(alone_[i])) names.push_back(open_[i]->name);
  }
  // Each by itself would do: the first one for which the others leave too little.
  for (size_t i = 0; names.empty() && i < open_.size(); ++i) {
    if (!fits(first_[i])) names.push_back(open_[i]->name);
  }
  return names;
}

void Placement::FillIn(const devices::Answer& answer, NodePlacement* placement) const {
  size_t open = 0;
  for (const ClaimObject* claim : asked_.claims) {
    const bool has_devices = !claim->claim.allocations.empty();
    placement->claims.push_back(has_devices ? claim->claim.allocations
                                            : answer.claims[open].allocations);
    placement->holdings.push_back(has_devices ? std::vector<devices::Allocation>()
                                              : answer.claims[open].holding);
    if (!has_devices) ++open;
  }
}

// A claim of the cluster that was embedded has an owner.
std::string Placement::RefusalOf(const ClaimObject& claim) const {
  if (!asked_.refusal.empty()) return asked_.refusal;
  if (!devices::HasAdminAccess(claim, use_.inventory)) return "";
  const std::string fault = devices::AdminAccessFault(
      claim, {.is_embedded = asked_.embedded.contains(&claim) || !claim.owner_pod_uid.empty(),
              .in_admin_namespace = !admin_namespaces_.has_value() ||
                                    admin_namespaces_->contains(claim.claim.namespace_)});
  return fault.empty() ? "" : fmt::format("claim {}: {}", devices::NameOf(claim.claim), fault);
}

void Placement::Refuse(NodePlacement* placement) const {
  for (const ClaimObject* claim : asked_.claims) {
    std::string refusal = RefusalOf(*claim);
    if (refusal.empty()) continue;
    placement->unsatisfied.push_back(claim->claim.name);
    if (placement->reason.empty()) placement->reason = std::move(refusal);
  }
}

void Placement::Pin(NodePlacement* placement) const {
  for (const ClaimObject* claim : asked_.claims) {
    if (claim->claim.allocations.empty()) continue;
    const std::string at = NodeOf(*claim);
    if (at.empty() || at == placement->node) continue;
    placement->unsatisfied.push_back(claim->claim.name);
    if (!placement->reason.empty()) continue;
    placement->reason = fmt::format("claim {}: its devices are on node {}{}", claim->claim.name, at,
                                    UntilText(*claim));
  }
}

// Devices that are on the node already keep the pod from every other one.
void Placement::CheckRoom(NodePlacement* placement) const {
  if (!why_no_room_) return;
  placement->no_room = why_no_room_(placement->node);
  if (placement->no_room.empty()) return;
  for (const ClaimObject* claim : asked_.claims) {
    if (claim->claim.allocations.empty() || NodeOf(*claim).empty()) continue;
    placement->no_room +=
        fmt::format("; claim {} has its devices here{}", claim->claim.name, UntilText(*claim));
  }
}

NodePlacement Placement::On(const std::string& node) const {
  NodePlacement placement;
  placement.node = node;
  Refuse(&placement);
  if (placement.unsatisfied.empty()) Pin(&placement);
  if (!placement.unsatisfied.empty()) return placement;
  const devices::Answer answer = allocator_.Allocate(use_.inventory, *demand_, node);
  placement.steps = answer.steps;
  placement.fits = answer.verdict.fits();
  if (placement.fits) {
    placement.scores = answer.scores;
    FillIn(answer, &placement);
    CheckRoom(&placement);
  } else {
    placement.reason = answer.verdict.reason();
    placement.would_fit_empty = answer.verdict.kind() == Verdict::Kind::kRejected;
    placement.unsatisfied = Unsatisfied(node);
  }
  return placement;
}

std::string Placement::WhyIgnored(const Claim& claim, const Pool& pool) const {
  for (size_t i = 0; i < open_.size(); ++i) {
    // An expression that costs too much on all pools is not evaluated on each again.
    const std::vector<devices::InvalidClaim>& invalid = alone_[i].invalid();
    if (open_[i] == &claim && !invalid.empty()) return invalid.front().fault;
  }
  const std::string_view fault = use_.inventory.FaultOf(pool.name);
  if (!fault.empty()) return fmt::format("the pool is invalid: {}", fault);
  const devices::PoolUse use = use_.inventory.UseOf(pool.name);
  if (use.total <= 0) return "no available devices";
  Inventory alone;
  alone.SetPool(pool);
  for (const devices::ClassObject& of : objects_.classes) alone.SetClass(of.of);
  for (const devices::Driver& driver : objects_.drivers) alone.SetDriver(driver);
  for (const std::string& holder : use.claims) {
    alone.SetHolding(holder, use_.held.at(holder));
  }
  std::string why = "the claim requests nothing";
  for (const Claim& one : ForOneDevice(claim)) {
    const Claim* const claims[] = {&one};
    const devices::Demand demand = of_one_pool_.Resolve(alone, claims);
    const devices::Answer answer =
        of_one_pool_.Allocate(alone, demand, pool.node, devices::Parts::kVerdict);
    if (answer.verdict.fits()) return "";
    why = WithoutWish(answer.verdict.reason());
  }
  return why;
}

std::vector<PoolView> Placement::PoolsFor(size_t index, const std::string& node) const {
  std::vector<PoolView> views;
  std::vector<std::string> places = {node};
  if (allocator_.options().network_pools) places.emplace_back();
  for (const std::string& place : places) {
    for (const Pool* pool : use_.inventory.PoolsOf(place)) {
      views.push_back(
          {pool, use_.inventory.UseOf(pool->name), WhyIgnored(asked_.claims[index]->claim, *pool)});
    }
  }
  return views;
}

const NodePlacement* BestOf(const std::vector<NodePlacement>& placements) {
  const NodePlacement* best = nullptr;
  for (const NodePlacement& one : placements) {
    if (!one.fits || !one.no_room.empty()) continue;
    if (best == nullptr || one.scores.total > best->scores.total) best = &one;
  }
  return best;
}

}  // namespace outrigger::cli
