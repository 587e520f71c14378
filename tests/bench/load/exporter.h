#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "amounts.h"
#include "rates.h"
#include "trace.h"
#include "truth.h"

namespace outrigger::load_bench {

/// Mean and deviation of what a machine uses.
struct Usage {
  Amounts mean;
  Amounts deviation;
};

/// What Prometheus has of the nodes: the counters of idle and of busy processor time of each
/// machine's node_exporter and its available memory, at each scrape that did not fail. A machine
/// has no more than its capacity to use. Not thread-safe.
class Exporter {
 public:
  /// Both outlive this.
  Exporter(const Trace* trace, const Truth* truth);

  /// Lets `step` seconds from `time` on pass; a scrape at their end is made. Truth holds as at
  /// `time`.
  void Advance(double time, double step);

  std::span<const Sample> idle(size_t node) const { return nodes_[node].idle; }
  std::span<const Sample> busy(size_t node) const { return nodes_[node].busy; }
  std::span<const Sample> available(size_t node) const { return nodes_[node].available; }

  /// Over the window that ends at `end`, from one sample to the next; nothing of fewer than two.
  std::optional<Usage> Over(size_t node, double end, double window) const;

 private:
  struct Series {
    double idle_seconds = 0;  // of all processors
    double busy_seconds = 0;
    size_t resets = 0;  // that have been made
    std::vector<Sample> idle;
    std::vector<Sample> busy;
    std::vector<Sample> available;
  };

  bool Fails(const NodeTrace& node, double time) const;

  const Trace& trace_;
  const Truth& truth_;
  std::vector<Series> nodes_;
};

}  // namespace outrigger::load_bench
