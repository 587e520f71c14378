#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apiserver/admission/admission.h"
#include "apiserver/store/store.h"
#include "apiserver/verbs/call.h"
#include "apiserver/verbs/ids.h"
#include "apiserver/verbs/reads.h"
#include "outrigger/base/clock.h"

// create, update, patch, delete and deletecollection, and the subresources that write.

namespace outrigger::apiserver {

/// What a deletion asks for: DeleteOptions.
struct Deletion {
  std::optional<int64_t> grace;
  std::string propagation;  // Background, Foreground, Orphan; empty: the kind's own
  std::string uid;          // preconditions; empty: any
  std::string version;
  bool dry_run = false;
};

/// Thread-safe.
class Writes {
 public:
  struct Deps {
    Store* store;
    Catalog* catalog;
    const Admission* admission;
    const Reads* reads;
    Ids* ids;
    Clock clock;
  };
  explicit Writes(Deps deps);

  std::optional<Failure> Create(Call* call, Reply* reply) const;
  std::optional<Failure> Update(Call* call, Reply* reply) const;
  std::optional<Failure> Patch(Call* call, Reply* reply) const;
  std::optional<Failure> Delete(Call* call, Reply* reply) const;
  std::optional<Failure> DeleteMany(Call* call, Reply* reply) const;
  std::optional<Failure> Bind(Call* call, Reply* reply) const;
  std::optional<Failure> Evict(Call* call, Reply* reply) const;
  std::optional<Failure> Scale(Call* call, Reply* reply) const;

  /// Writes a new object that is complete but for metadata that the server gives, as controllers
  /// do. Goes through admission.
  std::optional<Failure> Add(const Served& served, Json object, bool dry_run,
                             std::vector<std::string>* warnings, StoredPtr* stored) const;
  /// Changes the newest state of an object by `change`, which may say why not, as long as others
  /// come between; nothing of what it makes is looked at but what admission says.
  using Changing = std::function<std::optional<Failure>(const Json& old, Json* object)>;
  std::optional<Failure> Change(const Served& served, const ObjectName& name, Part part,
                                bool dry_run, const Changing& change,
                                std::vector<std::string>* warnings, StoredPtr* stored) const;
  /// Removes it, or marks it to be removed by those who still have to do something.
  std::optional<Failure> Erase(const Served& served, const ObjectName& name,
                               const Deletion& deletion, StoredPtr* last, bool* gone) const;

 private:
  std::optional<Failure> ReadObject(Call* call, Json* object) const;
  std::optional<Failure> Decode(Call* call, Json* object) const;
  std::optional<Failure> DecodeCustom(Call* call, Json* object) const;
  std::optional<Failure> Adopt(Call* call, Json* object) const;
  std::optional<Failure> CheckNamespace(const Served& served, const Json& object) const;
  std::optional<Failure> PatchOne(Call* call, const Json& patch, const Json& old,
                                  Json* object) const;
  std::optional<Failure> PatchScale(Call* call, Json* scale) const;
  std::optional<Failure> TakeDisruption(const Json& pod, bool dry_run) const;
  std::optional<Failure> Retain(const Served& served, Part part, const Json& old,
                                Json* object) const;

  const Deps deps_;
};

/// DeleteOptions of query and body.
std::optional<Failure> ReadDeletion(Call* call, Deletion* deletion);

}  // namespace outrigger::apiserver
