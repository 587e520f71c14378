#pragma once

#include <memory>
#include <vector>

#include "policy.h"
#include "trace.h"

namespace outrigger::load_bench {

/// The load of cpu of one node at one time, percent of what is allocatable: how it is, and how it
/// is taken to be.
struct LoadPoint {
  double time = 0;  // seconds after the warm-up
  double truth = 0;
  double measured = 0;  // the mean over the window, as it is annotated
  double forecast = 0;  // the same; off by default
  double safe = 0;      // by agent safe, which goes by the mean and by pods that came or went
};

/// Each minute of the trace's first node, where agent safe places the pods. For
/// `scripts/plot-load load`.
std::vector<LoadPoint> SeriesOf(const Trace& trace);

/// Agent safe, which writes `points` as time goes on.
std::unique_ptr<Policy> MakeRecordedSafe(const Scene& scene, std::vector<LoadPoint>* points);

}  // namespace outrigger::load_bench
