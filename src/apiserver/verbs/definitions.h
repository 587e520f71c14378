#pragma once

#include <optional>
#include <string>

#include "apiserver/store/store.h"
#include "apiserver/verbs/catalog.h"
#include "apiserver/verbs/watches.h"
#include "apiserver/verbs/writes.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::apiserver {

/// Serves what CustomResourceDefinitions define, from the moment in which they are written.
/// Thread-safe.
class Definitions {
 public:
  /// All live longer.
  Definitions(Store* store, Catalog* catalog, const Writes* writes, Watches* watches, Clock clock);

  /// To be called when a request has written something: of a definition, what it defines is served,
  /// or no longer; of a custom object, it may have been the last one of a definition that goes.
  void AfterWrite(const Served& served, const std::string& name) const;

 private:
  void Sync(const std::string& name) const;
  void Unserve(const std::string& name) const;
  void SyncTerminating(const std::string& name) const;
  NamesTaken TakenBeside(const std::string& name, const std::string& group) const;

  Store* const store_;
  Catalog* const catalog_;
  const Writes* const writes_;
  Watches* const watches_;
  const Clock clock_;
  const ServedPtr served_;  // CustomResourceDefinitions
  mutable Mutex mutex_;
};

}  // namespace outrigger::apiserver
