#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/allocation/claim.h"
#include "devices/objects/objects.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/k8s/pod.h"
#include "store/contents.h"

namespace outrigger::devices::agent {

/// A pod, and what its annotation asks for.
struct Wanted {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::vector<PodClaim> claims;  ///< empty: none
  /// Does not fit: the pod can run on no node as it is.
  Verdict verdict;
};

/// Reads the annotation. Costs a look at it if the pod has none. Thread-safe.
Wanted WantedBy(const Pod& pod);

/// One claim of a pod: as it is, or as it will be created.
struct DemandedClaim {
  std::shared_ptr<const ClaimObject> object;  ///< never null
  bool exists = true;                         ///< false: embedded, and not created yet
  std::string node;                           ///< where its devices are; empty: it has none yet
};

/// The claims of one pod as they are now.
struct PodDemand {
  /// Does not fit: no node will do, whatever is free on it.
  Verdict verdict;
  std::vector<DemandedClaim> claims;  ///< in the order of the annotation; none if no node will do

  /// Those without devices; pointers live as long as this.
  std::vector<const Claim*> Open() const;
  /// Names of those that may hold something, since their allocation was begun.
  std::vector<std::string> OpenHolders() const;
  /// Why the pod cannot run on `node`, where a claim has its devices elsewhere.
  Verdict VerdictOf(std::string_view node) const;
};

/// A claim that the pod may not use makes that no node will do: one that is missing, being deleted,
/// of another pod, or of admin access where that is not allowed.
PodDemand DemandOf(const Contents& contents, const Wanted& wanted);

}  // namespace outrigger::devices::agent
