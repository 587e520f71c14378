#include "prometheus.h"

#include <utility>

#include "fmt/format.h"

namespace outrigger::load_bench {
namespace {

using usage::Asked;

LabelSet LabelsFor(const char* metric, size_t node) {
  return {{"__name__", metric}, {"instance", AddressOf(node) + ":9100"}, {"job", "node-exporter"}};
}

}  // namespace

std::string AddressOf(size_t node) {
  return fmt::format("10.0.{}.{}", node / 250, node % 250 + 1);
}

Prometheus::Prometheus(const Trace* trace, const Exporter* exporter)
    : trace_(*trace), exporter_(*exporter), nodes_(trace->nodes.size()) {
  for (size_t node = 0; node < nodes_.size(); ++node) AddSeries(node);
  server_ = std::make_unique<usage::ScriptedPrometheus>(
      [this](const Asked& asked) { return Answer(asked); });
}

void Prometheus::AddSeries(size_t node) {
  Node& series = nodes_[node];
  const auto cores = static_cast<size_t>(trace_.nodes[node].capacity.cpu / 1000);
  for (size_t cpu = 0; cpu < cores; ++cpu) {
    LabelSet labels = LabelsFor("node_cpu_seconds_total", node);
    labels["cpu"] = std::to_string(cpu);
    labels["mode"] = "idle";
    series.idle.push_back(store_.Add(labels));
    labels["mode"] = "user";
    series.busy.push_back(store_.Add(labels));
  }
  series.available = store_.Add(LabelsFor("node_memory_MemAvailable_bytes", node));
  series.total = store_.Add(LabelsFor("node_memory_MemTotal_bytes", node));
  LabelSet name = LabelsFor("node_uname_info", node);
  name["nodename"] = trace_.nodes[node].name;
  series.name = store_.Add(std::move(name));
}

void Prometheus::Advance(double run, double wall) {
  const std::lock_guard lock(mutex_);
  wall_ = wall;
  epoch_ = wall - run;
  for (size_t node = 0; node < nodes_.size(); ++node) Take(node);
}

void Prometheus::Take(size_t node) {
  Node& series = nodes_[node];
  const auto idle = exporter_.idle(node);
  const auto busy = exporter_.busy(node);
  const auto available = exporter_.available(node);
  const auto cores = static_cast<double>(series.idle.size());
  for (; series.taken < idle.size(); ++series.taken) {
    const double time = idle[series.taken].time + epoch_;
    for (size_t cpu = 0; cpu < series.idle.size(); ++cpu) {
      store_.Append(series.idle[cpu], {time, idle[series.taken].value / cores});
      store_.Append(series.busy[cpu], {time, busy[series.taken].value / cores});
    }
    store_.Append(series.available, {time, available[series.taken].value});
    store_.Append(series.total, {time, trace_.nodes[node].capacity.memory});
    store_.Append(series.name, {time, 1});
  }
}

usage::Answered Prometheus::Answer(const Asked& asked) {
  const std::lock_guard lock(mutex_);
  return answers_.Answer(asked, wall_);
}

}  // namespace outrigger::load_bench
