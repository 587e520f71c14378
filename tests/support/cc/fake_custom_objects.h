#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fake_custom_store.h"
#include "nlohmann/json.hpp"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/custom_objects.h"

namespace outrigger::testing {

/// A write of a custom object, as it reaches the API server.
struct CustomWrite {
  enum class Verb : uint8_t { kCreate, kPatchStatus };
  Verb verb = Verb::kCreate;
  std::string kind = {};  // "DevicePool"
  std::string namespace_ = {};
  std::string name = {};
  std::string body = {};     // the object, or the patch of its status
  absl::Status answer = {};  // the server's; meaningful in FakeCustomObjects::Writes() alone
};

/// An API server's custom objects in memory, with its rules for those whose status is a
/// subresource. Kinds are served until a test says otherwise. What it does not imitate: schemas
/// (Before() can refuse), finalizers, deletion of dependents, managed fields, graceful deletion.
///
/// Sinks are called at once by the thread that makes the change, or, while followers are paused,
/// when they go on: a view may be as old as a test wants. A sink must not write from its calls; it
/// may read. Calls whose stop token is stopped are not sent. Thread-safe.
class FakeCustomObjects final : public CustomObjectAccess {
 public:
  using Json = nlohmann::json;
  using Hook = std::function<absl::Status(const CustomWrite& write)>;

  FakeCustomObjects();
  ~FakeCustomObjects() override;

  // What a person does; no hook is asked.
  /// Creates or replaces the whole object, status included, and returns it as it is then. What the
  /// API server sets comes from what is there: UID (unless `object` has another one: then the old
  /// object is deleted, and this one created), version, and generation, which rises where anything
  /// but metadata and status differs. Nothing changes where nothing differs.
  Json Put(const CustomKind& kind, Json object);
  /// False: it was not there.
  bool Delete(const CustomKind& kind, std::string_view namespace_, std::string_view name);
  std::optional<Json> Get(const CustomKind& kind, std::string_view namespace_,
                          std::string_view name) const;
  /// In the order of namespaces and names.
  std::vector<Json> All(const CustomKind& kind) const;
  /// The definition of the kind is applied, or deleted with all objects.
  void SetServed(const CustomKind& kind, bool served);

  // What happens to calls.
  /// Asked before a write is performed, without a lock, so that it may act as another writer; an
  /// error is the answer, and nothing is written. Null: none.
  void Before(Hook hook);
  /// Asked after a write that succeeded, without a lock; an error is the answer in place of the
  /// success: it was lost. Null: none.
  void After(Hook hook);
  /// Every write that reached the server (Before() let it pass), refused ones included, in order.
  std::vector<CustomWrite> Writes() const;
  /// From now on followers see nothing new; changes wait for Resume().
  void Pause();
  void Resume();
  /// What Usable() of all that is followed says, whatever is seen; Ok ends that.
  void SetUsable(absl::Status usable);

  std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink) override;
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
  class Follower;
  class Followed;

  absl::StatusOr<std::string> Send(CustomWrite write, const CallLimits& limits,
                                   const std::function<absl::StatusOr<Json>()>& perform);
  /// What a change of the store adds to what followers are to see. With the lock.
  FakeCustomStore::Listener ToFollowers();
  void ForFollowersOf(const CustomKind& kind, const std::function<void(Follower*)>& act) const;
  /// Hands on what waits. Without the lock.
  void Deliver();

  mutable std::mutex mutex_;
  FakeCustomStore store_{ToFollowers()};
  std::vector<std::shared_ptr<Follower>> followers_;
  std::vector<CustomWrite> writes_;
  Hook before_;
  Hook after_;
  absl::Status usable_;
  bool is_paused_ = false;
};

}  // namespace outrigger::testing
