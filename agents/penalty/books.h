#pragma once

#include <memory>

#include "class_table.h"
#include "group_table.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/mutex.h"
#include "penalty/classes/ledger.h"

namespace outrigger::penalty {

/// What is known of classes and PodGroups, and what pages show. The leading thread alone changes
/// it, with the lock, and reads it without; all others read it with the lock.
struct Books {
  mutable Mutex mutex;
  Ledger ledger;
  GroupTable groups;
  std::shared_ptr<const ClusterObjects> objects;  // as last looked at
  ClassTable classes;                             // points into `objects`
  RefusedClasses refused;
};

}  // namespace outrigger::penalty
