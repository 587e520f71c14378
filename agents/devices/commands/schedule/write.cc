#include "devices/commands/schedule/write.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "devices/commands/claims/asked.h"
#include "devices/commands/claims/holdings.h"
#include "fmt/format.h"
#include "outrigger/agent/stages.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using devices::Allocation;
using devices::Choice;
using devices::ClaimObject;
using devices::PodOnNode;
using devices::PoolObject;
using devices::Written;

const CallLimits kLimits{.timeout = std::chrono::seconds(20)};

bool IsSame(const ClaimObject& a, const ClaimObject& b) {
  return a.privileged == b.privileged && devices::NameOf(a.claim) == devices::NameOf(b.claim);
}

/// Chooses by Placement from the state that was read, which the writer brings up to date.
class PlacementChooser final : public devices::Chooser {
 public:
  PlacementChooser(DeviceObjects* objects, const PlacementOptions& placing)
      : objects_(*objects), placing_(placing) {}

  absl::StatusOr<Choice> Choose(const PodOnNode& pod,
                                std::span<const ClaimObject> claims) override {
    AskedClaims asked;
    for (const ClaimObject& claim : claims) asked.claims.push_back(&claim);
    const Placement placement(objects_, asked, placing_);
    NodePlacement on = placement.On(pod.node);
    if (!on.fits) return absl::FailedPreconditionError(on.reason);
    Choice choice;
    std::set<std::string> pools;
    for (size_t i = 0; i < claims.size(); ++i) {
      devices::Grant& grant = choice.grants.emplace_back();
      grant.holding = std::move(on.holdings[i]);
      grant.allocations = std::move(on.claims[i]);
      for (const Allocation& one : grant.holding) pools.insert(one.pool);
    }
    for (const std::string& pool : pools) choice.pools.push_back(*FindPool(pool));
    return choice;
  }

  std::optional<PoolObject> FindPool(std::string_view name) override {
    const auto at = Find(name);
    return at == objects_.pools.end() ? std::nullopt : std::optional<PoolObject>(*at);
  }
  void SeePool(const PoolObject& pool) override {
    const auto at = Find(pool.pool.name);
    if (at == objects_.pools.end()) {
      objects_.pools.push_back(pool);
    } else {
      *at = pool;
    }
  }
  void LosePool(std::string_view name, std::string_view uid) override {
    const auto at = Find(name);
    if (at != objects_.pools.end() && at->version.uid == uid) objects_.pools.erase(at);
  }
  void SeeClaim(const ClaimObject& claim) override {
    for (ClaimObject& known : objects_.claims) {
      if (!IsSame(known, claim)) continue;
      known = claim;
      return;
    }
    objects_.claims.push_back(claim);
  }
  void LoseClaim(const CustomObjectName& claim, bool /*privileged*/) override {
    std::erase_if(objects_.claims, [&](const ClaimObject& known) {
      return !claim.uid.empty() && known.version.uid == claim.uid;
    });
  }

 private:
  std::deque<PoolObject>::iterator Find(std::string_view name) {
    return std::find_if(objects_.pools.begin(), objects_.pools.end(),
                        [name](const PoolObject& pool) { return pool.pool.name == name; });
  }

  DeviceObjects& objects_;
  const PlacementOptions placing_;
};

// Its class or it names configurations, of which the agent writes copies.
bool HasConfigs(const ClaimObject& claim, const DeviceObjects& objects) {
  if (!claim.configs.empty()) return true;
  for (const devices::Request& request : claim.claim.requests) {
    for (const devices::Detail& detail : request.details) {
      for (const devices::ClassObject& of : objects.classes) {
        if (of.of.name == detail.device_class && !of.configs.empty()) return true;
      }
    }
  }
  return false;
}

/// Writes for one pod.
class ScheduleWriter {
 public:
  ScheduleWriter(PodOnNode pod, DeviceObjects* objects, const PlacementOptions& placing,
                 const WriteAccess& access)
      : pod_(std::move(pod)),
        objects_(*objects),
        access_(access),
        chooser_(objects, placing),
        writer_(access.objects, access.options) {}

  absl::Status Write(const DevicePod& pod) {
    const auto claims = Claims(pod);
    if (!claims.ok()) return claims.status();
    const absl::StatusOr<Written> written = writer_.Write(pod_, *claims, &chooser_, kLimits);
    if (!written.ok()) return written.status();
    const absl::Status bound = access_.pods->Bind(pod_, kLimits);
    if (!bound.ok()) return Settle(*written, bound);
    return Confirm(*written);
  }

 private:
  absl::StatusOr<std::vector<ClaimObject>> Claims(const DevicePod& pod) {
    for (const devices::PodClaim& claim : pod.claims) {
      if (claim.embedded_spec.empty()) continue;
      const auto created = writer_.CreateEmbedded(pod_, claim, kLimits);
      if (!created.ok()) return created.status();
      chooser_.SeeClaim(*created);
    }
    const auto asked = ClaimsOf(pod, &objects_);
    if (!asked.ok()) return asked.status();
    std::vector<ClaimObject> claims;
    for (const ClaimObject* claim : asked->claims) {
      if (claim->claim.allocations.empty() && HasConfigs(*claim, objects_)) {
        return absl::FailedPreconditionError(Printable(fmt::format(
            "claim {} or its class refers to configurations, which only the agent copies",
            devices::NameOf(claim->claim))));
      }
      claims.push_back(*claim);
    }
    return claims;
  }

  // What fails is confirmed by the agent.
  absl::Status Confirm(const Written& written) {
    (void)writer_.Confirm(written, &chooser_, kLimits);
    return absl::OkStatus();
  }

  absl::Status Settle(const Written& written, const absl::Status& error) {
    switch (EndOf(pod_, access_.pods->NodeOf(pod_, kLimits), MayBeBound(error))) {
      case devices::BindingEnd::kBound:
        return Confirm(written);
      case devices::BindingEnd::kNotBound:
        (void)writer_.GiveBack(written, &chooser_, kLimits);
        return error;
      case devices::BindingEnd::kOpen:
        break;
    }
    return {error.code(), fmt::format("{}; it is unknown whether pod {}/{} is bound: it keeps its "
                                      "devices, and the agent frees them if it is not bound",
                                      std::string(error.message()), pod_.namespace_, pod_.name)};
  }

  const PodOnNode pod_;
  DeviceObjects& objects_;
  const WriteAccess access_;
  PlacementChooser chooser_;
  const devices::AllocationWriter writer_;
};

}  // namespace

absl::Status WriteSchedule(const DevicePod& pod, const std::string& node,
                           const PlacementOptions& placing, DeviceObjects* objects,
                           const WriteAccess& access) {
  if (!pod.node.empty()) {
    return absl::FailedPreconditionError(
        Printable(fmt::format("pod {} is bound to node {} already", NameOf(pod), pod.node)));
  }
  if (pod.in_gang) {
    return absl::FailedPreconditionError(
        Printable(fmt::format("pod {}: {}", NameOf(pod), devices::kGangsUnplanned)));
  }
  return ScheduleWriter({pod.namespace_, pod.name, pod.uid, node}, objects, placing, access)
      .Write(pod);
}

}  // namespace outrigger::cli
