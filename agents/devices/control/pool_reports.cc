#include "control/pool_reports.h"

#include <chrono>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "reports/device_metrics.h"

namespace outrigger::devices::agent {
namespace {

constexpr std::chrono::seconds kPeriod{5};
// A node and its pools come in any order.
constexpr std::chrono::seconds kNodePatience{60};

}  // namespace

void PoolReports::Note(const PoolObject& pool, std::string reason, std::string text,
                       Clock::Duration patience) {
  Fault& fault = faults_[fmt::format("{}/{}", reason, pool.pool.name)];
  const Clock::TimePoint now = terms_.clock.now();
  if (fault.uid != pool.version.uid || fault.text != text) {
    fault = {.uid = pool.version.uid, .text = text, .since = now};
  }
  fault.round = round_;
  if (fault.is_reported || now - fault.since < patience) return;
  fault.is_reported = true;
  events_.push_back({std::move(reason), pool.pool.name, pool.version.uid, std::move(text)});
}

void PoolReports::Look(const Contents& contents, const ClusterSnapshot& nodes) {
  contents.pools().ForEach([&](const std::string& name, const auto& pool) {
    const std::string_view fault = contents.inventory().FaultOf(name);
    if (!fault.empty()) {
      Note(*pool, "PoolInvalid", fmt::format("the pool offers nothing: {}", fault), {});
    }
    const std::string& node = pool->pool.node;
    if (node.empty() || nodes.FindNode(node).has_value()) return;
    Note(*pool, "NodeMissing", fmt::format("there is no node {}", node), kNodePatience);
  });
  std::erase_if(faults_, [&](const auto& entry) { return entry.second.round != round_; });
}

void PoolReports::SetGauges(const DeviceStore& store) {
  std::vector<std::shared_ptr<const PoolObject>> pools;
  std::map<ClaimState, double> claims;
  store.Look([&](const Contents& contents) {
    contents.pools().ForEach([&](const auto&, const auto& pool) { pools.push_back(pool); });
    for (const bool privileged : {false, true}) {
      contents.claims(privileged).ForEach([&](const auto&, const auto& claim) {
        const bool is_none = claim->state == ClaimState::kNone;
        claims[is_none ? ClaimState::kPending : claim->state] += 1;
      });
    }
  });
  double total = 0;
  double used = 0;
  for (const auto& pool : pools) {
    const PoolTotals totals = TotalsOf(*pool, pool->entries);
    total += static_cast<double>(totals.total);
    used += static_cast<double>(totals.total - totals.free);
  }
  terms_.metrics->Set(metric::kDevices, "total", total);
  terms_.metrics->Set(metric::kDevices, "used", used);
  terms_.metrics->Set(metric::kClaims, "allocated", claims[ClaimState::kAllocated]);
  terms_.metrics->Set(metric::kClaims, "pending", claims[ClaimState::kPending]);
  terms_.metrics->Set(metric::kClaims, "invalid", claims[ClaimState::kInvalid]);
}

Clock::Duration PoolReports::Round(const DeviceStore& store) {
  const Clock::TimePoint now = terms_.clock.now();
  if (next_.has_value() && now < *next_) return *next_ - now;
  next_ = now + kPeriod;
  const auto view = terms_.cluster->Take();
  if (!view.ok()) return kPeriod;
  ++round_;
  events_.clear();
  store.Look([&](const Contents& contents) { Look(contents, *view->snapshot); });
  SetGauges(store);
  for (Event& event : events_) {
    ClusterEvent written;
    written.api_version = fmt::format("{}/{}", kPoolKind.group, kPoolKind.version);
    written.kind = kPoolKind.kind;
    written.name = event.pool;
    written.uid = event.uid;
    written.warning = true;
    written.reason = event.reason;
    written.action = "Checking";
    written.note = event.note;
    terms_.cluster->Record(std::move(written));
  }
  return kPeriod;
}

}  // namespace outrigger::devices::agent
