#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "devices/writer/custodian.h"
#include "devices/writer/object_calls.h"

namespace outrigger::device_writer {

/// What actions are about, as the API server has it now: claims, their pools and their pods. Each
/// claim was in one version while the pools were read, and pods were read after all claims: a pod
/// that a claim names is no newer than what is known of pods. Not thread-safe.
class LiveView {
 public:
  /// All outlive it.
  LiveView(const ObjectCalls* calls, devices::CustodyHost* host, devices::Chooser* chooser)
      : calls_(*calls), host_(*host), chooser_(*chooser) {}
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// Reads, once. Returns for how many of the actions, from the first on: no further one is begun
  /// when `is_late` is true. At least one, if there is one.
  size_t Read(std::span<const devices::Action> actions, const std::function<bool()>& is_late);

  /// Of an action that was read. Aborted: its claim changed meanwhile. Else why something is not
  /// known.
  absl::Status StatusOf(const devices::Action& action) const { return Of(action).status; }
  /// Null: it is gone.
  const devices::ClaimObject* FindClaim(const devices::Action& action) const;
  /// The pool of the action, and those of its claim.
  const std::set<std::string>& PoolsOf(const devices::Action& action) const {
    return Of(action).pools;
  }
  /// Null: it is gone.
  const devices::PoolObject* FindPool(std::string_view name) const;
  const devices::PoolEntry* FindEntry(std::string_view pool, std::string_view claim_uid) const;
  /// Of pods of claims that are there. Null: it is gone or has ended.
  const devices::PodFact* FindAlive(std::string_view pod_uid) const;

  /// What is to be done about claims that are there, and about those that are gone.
  std::vector<devices::Action> DecidePresent(const devices::IntentWatch& intents) const {
    return devices::Decide({pools_, claims_, pods_, intents});
  }
  std::vector<devices::Action> DecideGone(const devices::IntentWatch& intents) const {
    return devices::Decide({pools_, successors_, users_, intents});
  }

 private:
  // Entries do not say whether their claim is a privileged one: actions do.
  using Key = std::pair<std::string, bool>;
  struct Live {
    devices::Action about;
    absl::Status status;
    std::optional<devices::ClaimObject> claim;  // until the pools are read
    std::set<std::string> pools;
    std::optional<size_t> index;  // in claims_; nothing: it is gone
  };
  static Key KeyOf(const devices::Action& action) { return {action.claim_uid, action.privileged}; }
  const Live& Of(const devices::Action& action) const { return live_.at(KeyOf(action)); }

  void ReadFirst(const devices::Action& action);
  void ReadPools();
  absl::Status ReadAgain(Live* live);
  void IndexPools();
  absl::Status ReadUsersOfGone(const Live& live);
  absl::Status ReadPods(const Live& live);
  absl::Status ReadPod(const std::string& namespace_, const std::string& name);

  const ObjectCalls& calls_;
  devices::CustodyHost& host_;
  devices::Chooser& chooser_;
  std::map<Key, Live> live_;
  std::vector<devices::PoolObject> pools_;
  std::vector<devices::ClaimObject> claims_;
  std::vector<devices::PodFact> pods_;            // of claims_, without the claims that they name
  std::vector<devices::ClaimObject> successors_;  // that have the names of claims that are gone
  std::vector<devices::PodFact> users_;           // all of the namespaces of claims that are gone
  std::map<std::pair<std::string, std::string>, absl::Status> pods_read_;  // of pods_
  std::map<std::string, absl::Status> users_read_;                         // by namespace
  std::map<std::string, size_t, std::less<>> pool_index_;
  absl::flat_hash_map<std::pair<size_t, std::string_view>, const devices::PoolEntry*> entries_;
  absl::flat_hash_map<std::string_view, const devices::PodFact*> pod_index_;
};

}  // namespace outrigger::device_writer
