#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/verdict.h"
#include "outrigger/devices/claim.h"
#include "outrigger/devices/objects.h"
#include "outrigger/k8s/pod.h"
#include "store/contents.h"

namespace outrigger::devices::agent {

/// Which pod. Views live as long as what they are of.
struct PodName {
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
};

/// What the annotation of a pod asks for, read.
struct Wanted {
  /// Does not fit: the pod can run on no node as it is.
  Verdict verdict;
  std::vector<PodClaim> claims;  ///< empty: none
};

/// Thread-safe.
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
PodDemand DemandOf(const Contents& contents, const PodName& pod,
                   const std::vector<PodClaim>& claims);

}  // namespace outrigger::devices::agent
