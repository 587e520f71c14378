#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/change_listeners.h"
#include "fake_class_store.h"
#include "fake_map_store.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/agent/subscription.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/priority_class.h"

namespace outrigger::testing {

/// A call as it reaches the API server.
struct ObjectCall {
  enum class Verb : uint8_t { kGet, kCreate, kTry, kUpdate, kDelete };
  Verb verb = Verb::kGet;
  std::string kind = {};    // "PriorityClass", "ConfigMap", or an owner's
  std::string name = {};    // of the object
  std::string client = {};  // of the process that calls; empty: FakeObjects' own functions
  int number = 0;           // among the calls of that process, from 1

  bool Is(Verb is_verb, std::string_view is_kind) const {
    return verb == is_verb && kind == is_kind;
  }
  /// "delete PriorityClass batch".
  std::string Text() const;
};

/// What becomes of a call.
struct CallFate {
  enum class Kind : uint8_t {
    kDone,
    kFailBefore,  // it fails, and was not performed
    kFailAfter,   // it was performed, and its answer is an error
    kLate,        // its answer is an error; it is performed later
    kDieBefore,   // the process is killed before the call is sent
    kDieAfter,    // the process is killed before it hears the answer
  };
  Kind kind = Kind::kDone;
  absl::Status error = {};
  /// Of kLate: it is performed right after a call of which this is true; null: by DeliverLate().
  std::function<bool(const ObjectCall& call)> arrives_after = {};

  static CallFate Done() { return {}; }
  static CallFate FailBefore(absl::Status error) { return {Kind::kFailBefore, std::move(error)}; }
  static CallFate FailAfter(absl::Status error) { return {Kind::kFailAfter, std::move(error)}; }
  static CallFate Late(std::function<bool(const ObjectCall& call)> arrives_after = {});
  static CallFate DieBefore() { return {Kind::kDieBefore}; }
  static CallFate DieAfter() { return {Kind::kDieAfter}; }
};

/// An API server's PriorityClasses and ConfigMaps in memory, with its rules for these kinds
/// (fake_class_store.h, fake_map_store.h), and with faults of calls.
///
/// Calls come from processes (Process()), each of which can be killed, or from this object itself.
/// A call whose stop token is stopped is not sent. Thread-safe; deterministic if the calls are.
class FakeObjects final : public PriorityClassAccess, public ConfigMapAccess {
 public:
  using OnCallFn = std::function<CallFate(const ObjectCall& call)>;

  /// The connection of one process. Thread-safe.
  class Client final : public PriorityClassAccess, public ConfigMapAccess {
   public:
    Client(FakeObjects* server, std::string name) : server_(server), name_(std::move(name)) {}
    /// True once a fate has killed it: each call is Cancelled then, and is not sent.
    bool is_dead() const;
    /// How many calls were sent.
    int calls() const;

    absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view name,
                                                    const CallLimits& limits) override;
    absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) const override;
    absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass& made,
                                                      const CallLimits& limits) override;
    absl::Status TryCreatePriorityClass(const NewPriorityClass& made,
                                        const CallLimits& limits) override;
    absl::Status DeletePriorityClass(std::string_view name, std::string_view uid,
                                     std::string_view resource_version,
                                     const CallLimits& limits) override;
    absl::StatusOr<AdmittedPod> TryPod(std::string_view namespace_, std::string_view class_name,
                                       const CallLimits& limits) override;
    absl::StatusOr<bool> OwnerExists(const OwnerReference& owner,
                                     const CallLimits& limits) override;
    absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view namespace_, std::string_view name,
                                            const CallLimits& limits) override;
    absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap& map,
                                             const CallLimits& limits) override;
    absl::Status DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) override;

   private:
    friend class FakeObjects;
    template <typename Answer>
    Answer Send(ObjectCall call, const CallLimits& limits, std::function<Answer()> perform);

    FakeObjects* const server_;
    const std::string name_;
    bool is_dead_ = false;  // with the server's lock, as what follows
    int calls_ = 0;
  };

  FakeObjects() = default;

  /// A new process. It may not outlive this.
  std::unique_ptr<Client> Process(std::string name);
  /// Decides on each call, without a lock: it may act as another person or process. Null: all are
  /// done.
  void OnCall(OnCallFn on_call);
  /// Performs the late calls that wait, in the order in which they were sent; returns how many.
  int DeliverLate();
  size_t late_calls() const;

  // What a person does. No fate applies.
  PriorityClass Put(PriorityClass made);
  absl::Status Edit(std::string_view name, const std::function<void(PriorityClass*)>& edit);
  absl::Status Remove(std::string_view name);
  std::optional<PriorityClass> Find(std::string_view name) const;  // with its manifest
  std::optional<ConfigMap> FindMap(std::string_view namespace_, std::string_view name) const;
  std::vector<ConfigMap> Maps() const;
  /// Writes labels and data, whatever is there.
  ConfigMap PutMap(ConfigMap map);
  void RemoveMap(std::string_view namespace_, std::string_view name);
  void SetAdmission(FakeClassStore::Admission admission);
  /// Applies the policy that maps new pods by what that ConfigMap says; an empty name removes it.
  void SetPolicy(std::string namespace_, std::string map);
  /// What a pod becomes now that names the class. NotFound: it is refused.
  absl::StatusOr<AdmittedPod> Admit(std::string_view class_name) const;
  void StripAnnotation(std::string key);
  void SetOwner(const std::string& uid, bool exists);
  /// Does the garbage collector's round over classes.
  void CollectGarbage();

  // What a watch shows: the classes without their manifests, in the order of names.
  std::vector<PriorityClass> Classes() const;
  Subscription OnChange(std::function<void()> changed);

  absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view name,
                                                  const CallLimits& limits) override;
  absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) const override;
  absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass& made,
                                                    const CallLimits& limits) override;
  absl::Status TryCreatePriorityClass(const NewPriorityClass& made,
                                      const CallLimits& limits) override;
  absl::Status DeletePriorityClass(std::string_view name, std::string_view uid,
                                   std::string_view resource_version,
                                   const CallLimits& limits) override;
  absl::StatusOr<AdmittedPod> TryPod(std::string_view namespace_, std::string_view class_name,
                                     const CallLimits& limits) override;
  absl::StatusOr<bool> OwnerExists(const OwnerReference& owner, const CallLimits& limits) override;
  absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view namespace_, std::string_view name,
                                          const CallLimits& limits) override;
  absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap& map, const CallLimits& limits) override;
  absl::Status DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) override;

 private:
  struct LateCall {
    std::function<void()> perform;
    std::function<bool(const ObjectCall& call)> arrives_after;
  };
  // Performs `act` with the lock and calls the listeners after it, if it changed something.
  template <typename Act>
  auto Locked(const Act& act);
  // With the lock: performs the late calls that a call brings in.
  void DeliverAfter(const ObjectCall& call);
  absl::StatusOr<AdmittedPod> Admitted(const std::string& class_name) const;
  int64_t Version() const { return classes_.version() + maps_.version(); }

  cluster::ChangeListeners changes_;
  mutable std::mutex mutex_;
  mutable FakeClassStore classes_;  // parsing makes no call, and keeps what it found
  FakeMapStore maps_;
  std::pair<std::string, std::string> policy_;  // namespace and name of its ConfigMap
  OnCallFn on_call_;
  std::list<LateCall> late_;
  Client self_{this, ""};
};

}  // namespace outrigger::testing
