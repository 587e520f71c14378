#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "apiserver/admission/admission.h"
#include "apiserver/store/store.h"
#include "apiserver/verbs/catalog.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::apiserver {

/// What a deletion asks for: DeleteOptions.
struct Deletion {
  std::optional<int64_t> grace;
  std::string propagation;  // Background, Foreground, Orphan; empty: the kind's own
  std::string uid;          // preconditions; empty: any
  std::string version;
  bool dry_run = false;

  static Deletion Of(const Json& options);
};

/// How objects are created, changed and deleted, by requests and by controllers. Thread-safe.
class Writes {
 public:
  struct Deps {
    Store* store;
    const Catalog* catalog;
    const Admission* admission;
    uint64_t seed;  // of UIDs and the ends of generated names
    Clock clock;
  };
  explicit Writes(Deps deps) : deps_(std::move(deps)), random_(deps_.seed) {}

  /// Writes a new object of a built-in kind, as controllers do: brings it into its form and gives
  /// it its defaults, then Insert().
  std::optional<Failure> Add(const Served& served, Json object, bool dry_run,
                             std::vector<std::string>* warnings, StoredPtr* stored) const;
  /// Writes a new object that Decode() or Shape() has brought into its form: gives it the metadata
  /// that the server gives, and takes it through admission.
  std::optional<Failure> Insert(const Served& served, Json object, bool dry_run,
                                std::vector<std::string>* warnings, StoredPtr* stored) const;
  /// Changes the newest state of an object by `change`, which may say why not, as long as others
  /// come between; nothing of what it makes is looked at but what admission says.
  using Changing = std::function<std::optional<Failure>(const Json& old, Json* object)>;
  std::optional<Failure> Change(const Served& served, const ObjectName& name, Part part,
                                bool dry_run, const Changing& change, StoredPtr* stored) const;
  /// Removes it, or marks it to be removed by those who still have to do something.
  std::optional<Failure> Erase(const Served& served, const ObjectName& name,
                               const Deletion& deletion, StoredPtr* last, bool* gone) const;

 private:
  void SetNewMetadata(const Served& served, Json* metadata) const;
  std::optional<Failure> CheckNamespace(const Served& served, const Json& metadata) const;

  const Deps deps_;
  mutable Mutex mutex_;
  mutable std::mt19937_64 random_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::apiserver
