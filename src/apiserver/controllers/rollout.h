#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/controllers/desk.h"

namespace outrigger::apiserver {

/// One look at a Deployment and its ReplicaSets: the next step of its rollout, and its status.
class Rollout {
 public:
  Rollout(Desk* desk, StoredPtr deployment);

  Result Run();
  /// When its progress has to be looked at again.
  std::optional<Clock::Duration> next() const { return next_; }
  /// Its next step comes when pods of old ReplicaSets have ended.
  bool waits_for_pods() const { return waits_for_pods_; }

 private:
  struct Set {
    StoredPtr stored;
    Json object;
    int64_t want = 0;
    int64_t available = 0;
    int64_t revision = 0;
  };

  void ReadSets();
  Result FindNewest(bool create);
  Result AdoptRevision(int64_t revision);
  Result Create(int64_t revision);
  Failure NoteRefusal(const std::string& name, Failure failure);
  void CopyAnnotations(int64_t revision, Json* set) const;
  void SetProgress(const char* status, const char* reason, const std::string& message,
                   bool always = false);
  void NotePause();

  bool IsScaled() const;
  Result Scale();
  Result ScaleInProportion(std::vector<Set*> active);
  Result SetReplicas(Set* set, int64_t replicas);

  Result Roll();
  int64_t NewReplicas() const;
  Result ScaleDownOld(bool* scaled);
  Result Recreate();
  Result Cleanup();

  int64_t Sum(int64_t Set::*field) const;
  int64_t SumOfStatus(const char* key) const;
  bool IsComplete(const Json& status) const;
  Result WriteStatus(bool estimates);
  void TakeFailures();
  bool HasProgressed() const;
  void EstimateProgress();

  Desk& desk_;
  const Served& deployments_;
  const Served& sets_;
  const StoredPtr stored_;
  const Json object_;
  Json edited_;  // with the status that it is to have
  const int64_t want_;
  int64_t surge_ = 0;
  int64_t unavailable_ = 0;
  std::vector<Set> all_;   // the oldest first
  Set* newest_ = nullptr;  // whose template is the Deployment's
  std::optional<Clock::Duration> next_;
  bool waits_for_pods_ = false;
};

}  // namespace outrigger::apiserver
