#include "device_writer/custody/live_view.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "device_writer/holdings.h"
#include "fmt/format.h"

namespace outrigger::device_writer {
namespace {

using devices::Action;
using devices::PodFact;

// Nothing: it is gone.
absl::StatusOr<std::optional<ClaimObject>> ReadIfThere(const Action& action,
                                                       const ObjectCalls& calls,
                                                       devices::Chooser* chooser) {
  const ClaimName name{action.claim_namespace, action.claim_name, action.claim_uid,
                       action.privileged};
  auto claim = calls.ReadClaim(name);
  if (absl::IsNotFound(claim.status())) {
    Lose(name, chooser);
    return std::optional<ClaimObject>();
  }
  if (!claim.ok()) return claim.status();
  return std::optional<ClaimObject>(*std::move(claim));
}

absl::Status ReadPools(const std::set<std::string>& names, const ObjectCalls& calls,
                       devices::Chooser* chooser, LiveView* view) {
  for (const std::string& name : names) {
    const auto known = chooser->FindPool(name);
    auto pool = calls.ReadPool(name);
    if (absl::IsNotFound(pool.status())) {
      if (known.has_value()) chooser->LosePool(name, known->version.uid);
      continue;
    }
    if (!pool.ok()) return pool.status();
    chooser->SeePool(*pool);
    view->pools.push_back(*std::move(pool));
  }
  return absl::OkStatus();
}

absl::Status ReadPods(const Action& action, const ObjectCalls& calls, devices::CustodyHost* host,
                      LiveView* view) {
  std::set<std::string> names;
  for (const ClaimObject& claim : view->claims) {
    for (const devices::PodReference& pod : claim.pods) names.insert(pod.name);
  }
  for (const PoolObject& pool : view->pools) {
    const PoolEntry* const entry = FindEntry(pool, action.claim_uid);
    if (entry != nullptr && !entry->pod_name.empty()) names.insert(entry->pod_name);
  }
  for (const std::string& name : names) {
    auto pod = host->ReadPod(action.claim_namespace, name, calls.limits());
    if (absl::IsNotFound(pod.status())) continue;
    if (!pod.ok()) return pod.status();
    // It is one of this claim's, or of another one with its name, which says nothing here.
    pod->claims.clear();
    pod->claims_fault.clear();
    view->pods.push_back(*std::move(pod));
  }
  return absl::OkStatus();
}

}  // namespace

const PoolObject* LiveView::FindPool(std::string_view name) const {
  for (const PoolObject& pool : pools) {
    if (pool.pool.name == name) return &pool;
  }
  return nullptr;
}

absl::StatusOr<LiveView> ReadLiveView(const Action& action, const ObjectCalls& calls,
                                      devices::CustodyHost* host, devices::Chooser* chooser) {
  LiveView view;
  const auto before = ReadIfThere(action, calls, chooser);
  if (!before.ok()) return before.status();
  std::set<std::string> names;
  if (before->has_value()) names = PoolsOf((*before)->claim.allocations);
  if (!action.pool.empty()) names.insert(action.pool);
  absl::Status status = ReadPools(names, calls, chooser, &view);
  if (!status.ok()) return status;
  auto after = ReadIfThere(action, calls, chooser);
  if (!after.ok()) return after.status();
  const bool is_same = before->has_value() == after->has_value() &&
                       (!before->has_value() || (*before)->version == (*after)->version);
  if (!is_same) {
    return absl::AbortedError(
        fmt::format("claim {}/{} changed", action.claim_namespace, action.claim_name));
  }
  if (after->has_value()) {
    chooser->SeeClaim(**after);
    view.claims.push_back(**std::move(after));
  }
  status = ReadPods(action, calls, host, &view);
  if (!status.ok()) return status;
  return view;
}

}  // namespace outrigger::device_writer
