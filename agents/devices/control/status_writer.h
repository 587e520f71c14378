#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "calls/configs.h"
#include "control/failure_log.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/selectors.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/base/clock.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

struct ClaimJudgement;

/// Keeps what statuses say of claims without devices, of classes, and of the totals of pools: what
/// the process does that holds the Lease. Each is written when it changes, and conditional on the
/// version that was judged. Of one thread.
class StatusWriter {
 public:
  struct Terms {
    CustomObjectAccess* api = nullptr;
    ClusterWriter* cluster = nullptr;  // for Events
    AgentMetrics* metrics = nullptr;
    Clock clock = {};
    std::function<void(std::string_view line)> warn = nullptr;  // empty: nothing is said
  };
  /// All outlive this.
  StatusWriter(const Terms& terms, DeviceStore* store, const Allocator& allocator,
               const Selectors& selectors)
      : terms_(terms),
        store_(*store),
        allocator_(allocator),
        selectors_(selectors),
        failures_(terms.warn) {}

  /// Writes what is due. Returns after which time more is due though nothing has changed; nothing:
  /// never. Blocks.
  std::optional<Clock::Duration> Round(const std::stop_token& stop);

 private:
  // An object that was judged, so that it is not judged again before something changes.
  struct Seen {
    std::string uid;
    std::string resource_version;
    uint64_t class_epoch = 0;
    Clock::TimePoint since;        // of a claim: without devices
    Clock::TimePoint configs_due;  // of a claim: when its configs are looked up again
    Clock::TimePoint note_due;     // of a claim: when it is judged again, as its note may change
    bool is_settled = false;
    uint64_t round = 0;
  };
  using SeenObjects = std::map<std::string, Seen, std::less<>>;
  struct Job {
    const CustomKind* kind = nullptr;
    std::string namespace_;
    std::string name;
    ObjectVersion version;
    std::string patch;
    std::string event;  // its reason; empty: none
    std::string note;
  };

  void Collect(const Contents& contents, std::vector<Job>* jobs);
  void AddClaim(const Contents& contents, const std::string& name,
                const std::shared_ptr<const ClaimObject>& claim);
  void JudgeClaims(const std::stop_token& stop, std::vector<Job>* jobs);
  /// Nothing: expressions could not be evaluated yet.
  std::optional<ClaimJudgement> Judge(const ClaimObject& claim, const std::stop_token& stop,
                                      ConfigNames* configs);
  void AddClass(const Contents& contents, const ClassObject& of, std::vector<Job>* jobs);
  void AddPool(const PoolObject& pool, std::vector<Job>* jobs);
  /// What is to be said of a claim; nothing if its status says it.
  void Say(const ClaimObject& claim, const ClaimJudgement& judged, Seen* seen,
           std::vector<Job>* jobs);
  void JudgeAgain(Seen* seen);
  void CheckConfigs(const std::stop_token& stop, std::vector<Job>* jobs);
  /// Its entry, if it has to be judged; else null.
  Seen* Look(const std::string& key, const ObjectVersion& version, uint64_t class_epoch,
             SeenObjects* objects);
  void Write(const Job& job, const std::stop_token& stop);
  void Learn(const Job& job, const std::string& json);
  void DueIn(Clock::Duration time);

  const Terms terms_;
  DeviceStore& store_;
  const Allocator& allocator_;
  const Selectors& selectors_;
  struct Unjudged {
    std::shared_ptr<const ClaimObject> claim;
    Seen* seen = nullptr;
  };
  std::vector<Unjudged> unjudged_;  // of this round
  /// A claim that nothing is in the way of but, perhaps, its configs.
  struct Configured {
    ClaimObject claim;
    ConfigNames configs;
    std::string note;
    Seen* seen = nullptr;
  };
  std::vector<Configured> configured_;  // of this round
  SeenObjects claims_[2];               // the second: privileged ones
  SeenObjects classes_;
  SeenObjects pools_;
  uint64_t round_ = 0;
  std::optional<Clock::Duration> due_;
  FailureLog failures_;
};

}  // namespace outrigger::devices::agent
