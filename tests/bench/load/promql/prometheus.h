#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../exporter.h"
#include "../trace.h"
#include "engine.h"
#include "load/usage/scripted_prometheus_testing.h"
#include "store_answers.h"

namespace outrigger::load_bench {

/// The address of a node, of which its exporter's instance is made.
std::string AddressOf(size_t node);

/// A Prometheus that has scraped the exporters of a trace: it answers /api/v1/query and
/// /api/v1/query_range on loopback, at the time of the run. Metrics are node_exporter's of
/// processors and memory; each node's processors are alike.
class Prometheus {
 public:
  /// Both outlive this.
  Prometheus(const Trace* trace, const Exporter* exporter);

  /// Takes in what was scraped since the last call; `wall` is the time of the run in seconds since
  /// 1970, `run` since its beginning. Not while queries are under way.
  void Advance(double run, double wall);

  std::string url() const { return server_->url(); }
  /// What `query` is at the time of the run, as in the HTTP API.
  usage::Answered Answer(const usage::Asked& asked);

 private:
  struct Node {
    std::vector<size_t> idle, busy;  // of each processor
    size_t available = 0, total = 0, name = 0;
    size_t taken = 0;  // of the exporter's samples
  };

  void AddSeries(size_t node);
  void Take(size_t node);

  const Trace& trace_;
  const Exporter& exporter_;
  std::mutex mutex_;
  double wall_ = 0;
  double epoch_ = 0;
  std::vector<Node> nodes_;
  SeriesStore store_;
  StoreAnswers answers_{&store_};
  std::unique_ptr<usage::ScriptedPrometheus> server_;  // last: its threads use what is above
};

}  // namespace outrigger::load_bench
