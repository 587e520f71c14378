#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "amounts.h"
#include "curves.h"
#include "families.h"

// What happens in a run, whatever is decided in it: nodes and their exporters, applications, pods.
// Times are in seconds since the run began.

namespace outrigger::load_bench {

struct AppTrace {
  std::string name;
  Curve level;
  double cpu_ratio = 1;     // mean use of what is requested
  double memory_ratio = 1;  // the same of memory
  bool has_limits = false;
};

struct PodTrace {
  std::string name;
  size_t app = 0;
  double arrives = 0;
  double lasts = 0;  // from when it is placed
  Amounts requests;
  Amounts limits = {};  // 0: none
  uint64_t seed = 0;
  /// Where it runs from the beginning, in all runs of the trace alike; below 0: it is to be placed.
  int node = -1;
};

struct NodeTrace {
  std::string name;
  Amounts capacity;
  Amounts allocatable = {};
  double begins = 0;
  Amounts system = {};  // mean use of what is no pod
  uint64_t seed = 0;
  double scrape_offset = 0;
  double missed = 0;                 // the share of scrapes that fail
  std::vector<double> outages = {};  // beginnings of kOutage seconds without a scrape
  std::vector<double> resets = {};   // when the exporter's counters begin again
};

inline constexpr double kOutage = 240;
inline constexpr double kScrape = 15;

/// How large and how long.
struct Scale {
  size_t nodes = 12;
  double warm_up = 1800;  // pods of the beginning run, none arrives, nothing is measured
  double length = 3 * 3600;
};

struct Trace {
  Family family = Family::kSteps;
  uint64_t seed = 0;
  double warm_up = 0;
  double length = 0;  // with the warm-up
  std::vector<AppTrace> apps;
  std::vector<NodeTrace> nodes;
  std::vector<PodTrace> pods;  // by arrival
};

/// The same for the same arguments.
Trace MakeTrace(Family family, uint64_t seed, const Scale& scale);

/// What a pod uses at `time`, `age` seconds after it began.
Amounts UseOf(const Trace& trace, const PodTrace& pod, double time, double age);
/// What is used on a node beside pods.
Amounts SystemUse(const NodeTrace& node, double time);

}  // namespace outrigger::load_bench
