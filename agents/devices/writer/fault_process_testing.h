#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "device_world_testing.h"
#include "devices/writer/custodian.h"
#include "devices/writer/writer.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/agent/stages.h"

// A process that writes about devices, and what can happen to it.

namespace outrigger::devices::testing {

/// A write that was sent, got no answer, and arrives when a test wants it.
using LateWrites = std::vector<std::function<void()>>;

/// What chance does to calls. One in so many; 0: never.
struct Faults {
  int64_t conflict = 0;
  int64_t busy = 0;           // 429
  int64_t broken_before = 0;  // 500, nothing written
  int64_t broken_after = 0;   // 500, written
  int64_t lost = 0;           // written, no answer
  int64_t late = 0;           // no answer, written later
  int64_t kill_before = 0;
  int64_t kill_after = 0;
  int64_t unreadable = 0;  // of reads
  int64_t interleave = 0;  // another process acts before the write
  int64_t abandoned = 0;   // bind calls that end before the binding
  bool clocks_differ = false;
  bool pools_change = false;   // drivers make pools again, and shrink them
  bool one_pool = false;       // there is no other
  bool claims_change = false;  // users edit claims, allocated or not
};

/// How far clocks differ at most.
inline constexpr std::chrono::seconds kMostAhead{90};

/// The API server as one process sees it.
class FaultyAccess final : public CustomObjectAccess {
 public:
  FaultyAccess(World* world, Random* random, const Faults* faults, LateWrites* late,
               std::function<void()> interleave)
      : world_(*world),
        random_(*random),
        faults_(*faults),
        late_(*late),
        interleave_(std::move(interleave)) {}

  bool is_dead() const { return is_dead_; }

  std::unique_ptr<FollowedKind> Follow(const CustomKind&, CustomObjectSink*) override {
    return nullptr;
  }
  absl::StatusOr<std::string> ReadCustomObject(const CustomKind& kind,
                                               const CustomObjectName& object,
                                               const CallLimits& limits) override;
  absl::StatusOr<std::string> CreateCustomObject(const CustomKind& kind,
                                                 std::string_view namespace_, std::string_view json,
                                                 const CallLimits& limits) override;
  absl::StatusOr<std::string> PatchCustomStatus(const CustomKind& kind,
                                                const CustomObjectName& object,
                                                std::string_view status_patch,
                                                const CallLimits& limits) override;

 private:
  bool Happens(int64_t one_in) { return one_in > 0 && OneIn(random_, one_in); }

  World& world_;
  Random& random_;
  const Faults& faults_;
  LateWrites& late_;
  std::function<void()> interleave_;
  bool is_dead_ = false;
};

/// An agent: binds pods with their devices, and is a custodian. What it remembers dies with it.
class Process final : public CustodyHost {
 public:
  /// All outlive it. Its clock is `ahead`, or late if that is negative.
  Process(std::string identity, World* world, Random* random, const Faults* faults,
          LateWrites* late, std::function<void()> interleave, std::chrono::seconds ahead);

  bool is_dead() const { return access_.is_dead(); }
  void Refresh() { chooser_.Refresh(); }
  /// A bind call of the scheduler.
  void BindPod(const std::string& name, const std::string& node);
  /// Carries out all that is to be done by its view. False: there was nothing.
  bool Keep();

  absl::StatusOr<PodFact> ReadPod(std::string_view namespace_, std::string_view name,
                                  const CallLimits& limits) override;
  absl::StatusOr<std::vector<PodFact>> ReadPods(std::string_view namespace_,
                                                const CallLimits& limits) override;
  absl::Status Serve(const Action& action, const CallLimits& limits) override;
  void Report(const Action& action) override { reports.push_back(action.reason); }

  std::vector<std::string> reports;

 private:
  WriterOptions Options() const;
  WallTime Now() const { return world_.now + ahead_; }
  bool Happens(int64_t one_in) { return one_in > 0 && OneIn(random_, one_in); }
  /// What the binding is answered, after what happens meanwhile.
  BindFailure AskForBinding(const Written& written);
  void Settle(const Written& written, const BindFailure& failure);
  absl::StatusOr<std::string> NodeOf(const PodOnNode& pod);
  /// A binding that arrives after the caller has given it up.
  void ArriveLate(const Written& written);
  /// The pod is bound by the call that wrote this, and in time.
  void ExpectDevices(const Written& written);
  void ExpectEntries(const Written& written);

  std::string identity_;
  World& world_;
  Random& random_;
  const Faults& faults_;
  LateWrites& late_;
  std::function<void()> interleave_;
  const std::chrono::seconds ahead_;
  FaultyAccess access_;
  StoreChooser chooser_;
  AllocationWriter writer_;
  IntentWatch intents_;
};

}  // namespace outrigger::devices::testing
