#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/framework/plugins.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// One answer of one plugin.
struct TraceRow {
  std::string_view stage;  // "Filter", "Score", "Select", "Count", ...; static
  std::string plugin;      // "NodeNumber"
  std::string node;        // empty: about the pod as a whole
  std::string answer;      // "ok", "10", "waits 8 s", a reason
  bool good = true;        // false: the answer speaks against it
};

/// One pod's way through the stages, as --verbose shows it.
struct CycleTrace {
  std::string pod = {};  // "default/pod1"
  int attempt = 1;
  std::vector<TraceRow> rows = {};  // with SchedulerOptions::trace_rows
  bool bound = false;
  std::string node = {};    // if bound
  std::string reason = {};  // if not: "0/9 nodes are available: ..."
};

/// Shows what cycles did. Thread-safe: binding cycles may end at the same time.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// The cycle is over, binding included.
  virtual void Show(const CycleTrace& trace) = 0;
};

}  // namespace outrigger::lab
