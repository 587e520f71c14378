#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/snapshot.h"
#include "outrigger/plan/preemption.h"

namespace outrigger::plan {

/// A victim that may be evicted, with what it costs. Records live as long as the snapshot.
struct Candidate {
  Victim victim;
  std::vector<const cluster::PodRecord*> records;  // of its pods
  std::vector<size_t> budgets;  // which its pods draw on; once for each pod and budget
  int64_t run_time = 0;         // of all its pods together, seconds
};

/// Who is on nodes.
struct Candidates {
  std::vector<Candidate> candidates;               // by key
  std::vector<const cluster::PodRecord*> leaving;  // being deleted: their places will be free
};

/// Those who may be evicted for a unit of `priority`; FindPreemption() says who may not.
Candidates CandidatesBelow(int32_t priority, const cluster::Snapshot& snapshot,
                           std::span<const GroupState> groups, const PreemptionOptions& options);

}  // namespace outrigger::plan
