#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "outrigger/k8s/priority_class.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger::testing {

/// The API server's rules for PriorityClasses, for FakeObjects. Errors are those of
/// PriorityClassAccess. What it does not imitate: validation of labels and annotations other than
/// their size, and of names other than "system-"; garbage collection of dependents. Not
/// thread-safe.
class FakeClassStore {
 public:
  /// What admission answers to a class that is to be made; Ok admits it.
  using Admission = std::function<absl::Status(const PriorityClass& made, bool dry_run)>;

  struct Made {
    std::string manifest;
    int32_t value = 0;
    StringMap annotations;
    std::string manager;  // its field manager
  };

  absl::StatusOr<PriorityClass> Read(std::string_view name) const;
  absl::StatusOr<PriorityClass> Parse(std::string_view manifest);
  /// Creates a class as a POST does; a dry run only answers, AlreadyExists included.
  absl::StatusOr<PriorityClass> Create(const Made& made, bool dry_run);
  /// An empty UID or version is no precondition.
  absl::Status Delete(std::string_view name, std::string_view uid,
                      std::string_view resource_version);
  /// Updates metadata, description and globalDefault. InvalidArgument: value or preemptionPolicy
  /// would change. A deleted class without finalizers is gone then.
  absl::Status Edit(std::string_view name, const std::function<void(PriorityClass*)>& edit);
  /// Makes a class as it stands, without admission; what is not a PriorityClass's field comes from
  /// its manifest, if it has one. It takes the place of one of that name.
  PriorityClass Put(PriorityClass made);
  /// Deletes what a garbage collector would: classes whose owners are all gone.
  void CollectGarbage();
  std::vector<PriorityClass> All() const;

  void SetAdmission(Admission admission) { admission_ = std::move(admission); }
  /// Admission takes this annotation away from all that is created.
  void StripAnnotation(std::string key) { stripped_ = std::move(key); }
  void SetOwner(const std::string& uid, bool exists);
  bool HasOwner(const std::string& uid) const { return owners_.contains(uid); }
  /// Grows with each change.
  int64_t version() const { return version_; }

 private:
  struct Stored {
    nlohmann::json object;
    PriorityClass parsed;  // with its manifest
  };
  absl::Status Validate(const PriorityClass& made) const;
  const PriorityClass& Store(nlohmann::json object);

  std::map<std::string, Stored, std::less<>> classes_;
  std::set<std::string> owners_;
  // What Parse() found last, since tests of thousands of rounds parse the same over and over.
  PriorityClass last_parsed_;
  Admission admission_;
  std::string stripped_;
  int64_t version_ = 0;
  int64_t last_uid_ = 0;
};

}  // namespace outrigger::testing
