#include "devices/writer/custody/live_view.h"

#include <utility>

#include "devices/writer/holdings.h"
#include "fmt/format.h"

namespace outrigger::device_writer {

using devices::Action;
using devices::PodFact;

const ClaimObject* LiveView::FindClaim(const Action& action) const {
  const Live& live = Of(action);
  return live.index.has_value() ? &claims_[*live.index] : nullptr;
}

const PoolObject* LiveView::FindPool(std::string_view name) const {
  const auto found = pool_index_.find(name);
  return found == pool_index_.end() ? nullptr : &pools_[found->second];
}

const PoolEntry* LiveView::FindEntry(std::string_view pool, std::string_view claim_uid) const {
  const auto at = pool_index_.find(pool);
  if (at == pool_index_.end()) return nullptr;
  const auto found = entries_.find(std::pair(at->second, claim_uid));
  return found == entries_.end() ? nullptr : found->second;
}

const PodFact* LiveView::FindAlive(std::string_view pod_uid) const {
  const auto found = pod_index_.find(pod_uid);
  return found == pod_index_.end() || found->second->finished ? nullptr : found->second;
}

void LiveView::ReadFirst(const Action& action) {
  const auto [at, is_new] = live_.try_emplace(KeyOf(action));
  Live& live = at->second;
  if (!action.pool.empty()) live.pools.insert(action.pool);
  if (!is_new) return;
  live.about = action;
  const ClaimName name{live.about.claim_namespace, live.about.claim_name, live.about.claim_uid,
                       live.about.privileged};
  auto claim = calls_.ReadClaim(name);
  if (claim.ok()) {
    live.pools.merge(device_writer::PoolsOf(HoldingOf(*claim)));
    live.claim = *std::move(claim);
  } else if (absl::IsNotFound(claim.status())) {
    Lose(name, &chooser_);
  } else {
    live.status = claim.status();
  }
}

// What pools have for a claim is right as long as the claim was in one version meanwhile.
void LiveView::ReadPools() {
  std::map<std::string, absl::Status> read;
  for (auto& [key, live] : live_) {
    for (const std::string& name : live.pools) {
      const auto [at, is_new] = read.try_emplace(name);
      if (is_new) {
        const auto known = chooser_.FindPool(name);
        auto pool = calls_.ReadPool(name);
        if (pool.ok()) {
          chooser_.SeePool(*pool);
          pools_.push_back(*std::move(pool));
        } else if (!absl::IsNotFound(pool.status())) {
          at->second = pool.status();
        } else if (known.has_value()) {
          chooser_.LosePool(name, known->version.uid);
        }
      }
      live.status.Update(at->second);
    }
  }
}

// Without a UID: what has the name is the claim itself, or what came after it.
absl::Status LiveView::ReadAgain(Live* live) {
  const Action& about = live->about;
  auto now = calls_.ReadClaim({about.claim_namespace, about.claim_name, {}, about.privileged});
  if (!now.ok() && !absl::IsNotFound(now.status())) return now.status();
  const bool is_there = now.ok() && now->version.uid == about.claim_uid;
  if (!is_there) {
    Lose({about.claim_namespace, about.claim_name, about.claim_uid, about.privileged}, &chooser_);
  }
  const bool is_same =
      is_there == live->claim.has_value() && (!is_there || now->version == live->claim->version);
  if (!is_same) {
    return absl::AbortedError(
        fmt::format("claim {}/{} changed", about.claim_namespace, about.claim_name));
  }
  if (is_there) {
    chooser_.SeeClaim(*now);
    live->index = claims_.size();
    claims_.push_back(*std::move(now));
  } else if (now.ok() && !about.privileged) {
    successors_.push_back(*std::move(now));
  }
  return absl::OkStatus();
}

// The pods that shared a claim that is gone are known by naming it alone, unless they have one of
// the same name that came after it.
absl::Status LiveView::ReadUsersOfGone(const Live& live) {
  const std::string& namespace_ = live.about.claim_namespace;
  if (live.about.privileged) {
    auto successor = calls_.ReadClaim({namespace_, live.about.claim_name, {}, false});
    if (successor.ok()) {
      successors_.push_back(*std::move(successor));
    } else if (!absl::IsNotFound(successor.status())) {
      return successor.status();
    }
  }
  const auto [at, is_new] = users_read_.try_emplace(namespace_);
  if (!is_new) return at->second;
  auto pods = host_.ReadPods(namespace_, calls_.limits());
  if (!pods.ok()) return at->second = pods.status();
  for (PodFact& pod : *pods) users_.push_back(std::move(pod));
  return absl::OkStatus();
}

absl::Status LiveView::ReadPod(const std::string& namespace_, const std::string& name) {
  const auto [at, is_new] = pods_read_.try_emplace({namespace_, name});
  if (!is_new) return at->second;
  auto pod = host_.ReadPod(namespace_, name, calls_.limits());
  if (absl::IsNotFound(pod.status())) return absl::OkStatus();
  if (!pod.ok()) return at->second = pod.status();
  // It is one of this claim's, or of another one with its name, which says nothing here.
  pod->claims.clear();
  pod->claims_fault.clear();
  pods_.push_back(*std::move(pod));
  return absl::OkStatus();
}

absl::Status LiveView::ReadPods(const Live& live) {
  std::set<std::string> names;
  for (const devices::PodReference& pod : claims_[*live.index].pods) names.insert(pod.name);
  for (const std::string& pool : live.pools) {
    const PoolEntry* const entry = FindEntry(pool, live.about.claim_uid);
    if (entry != nullptr && !entry->pod_name.empty()) names.insert(entry->pod_name);
  }
  for (const std::string& name : names) {
    absl::Status status = ReadPod(live.about.claim_namespace, name);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void LiveView::IndexPools() {
  for (size_t i = 0; i < pools_.size(); ++i) {
    pool_index_[pools_[i].pool.name] = i;
    for (const PoolEntry& entry : pools_[i].entries) {
      entries_.try_emplace(std::pair(i, std::string_view(entry.claim_uid)), &entry);
    }
  }
}

size_t LiveView::Read(std::span<const Action> actions, const std::function<bool()>& is_late) {
  size_t count = 0;
  do {
    if (count == actions.size()) break;
    ReadFirst(actions[count++]);
  } while (!is_late());
  ReadPools();
  IndexPools();
  for (auto& [key, live] : live_) {
    if (live.status.ok()) live.status = ReadAgain(&live);
  }
  for (auto& [key, live] : live_) {
    if (!live.status.ok()) continue;
    live.status = live.index.has_value() ? ReadPods(live) : ReadUsersOfGone(live);
  }
  for (const PodFact& pod : pods_) pod_index_[pod.uid] = &pod;
  return count;
}

}  // namespace outrigger::device_writer
