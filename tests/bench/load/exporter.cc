#include "exporter.h"

#include <algorithm>
#include <cmath>

namespace outrigger::load_bench {
namespace {

// Salts NodeTrace::seed, which is also that of the system's use.
constexpr uint64_t kMissedSalt = 0x5c4a9e;

bool IsScrape(const NodeTrace& node, double time) {
  return std::fmod(time - node.scrape_offset + kScrape, kScrape) == 0;
}

struct Sums {
  double count = 0;
  double sum = 0;
  double squares = 0;
  void Add(double value) {
    count += 1;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  double deviation() const { return std::sqrt(std::max(squares / count - mean() * mean(), 0.0)); }
};

}  // namespace

Exporter::Exporter(const Trace* trace, const Truth* truth)
    : trace_(*trace), truth_(*truth), nodes_(trace->nodes.size()) {
  // Machines that were there before have counted before.
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const NodeTrace& node = trace_.nodes[i];
    if (node.begins > 0) continue;
    nodes_[i].idle_seconds = nodes_[i].busy_seconds = 1e6 * node.capacity.cpu / 1000;
  }
}

bool Exporter::Fails(const NodeTrace& node, double time) const {
  if (node.missed <= 0) return false;
  const bool is_out = std::any_of(node.outages.begin(), node.outages.end(), [time](double began) {
    return time >= began && time < began + kOutage;
  });
  // A normal value is below its quantile; that of a quarter is -0.6745.
  const double chance = NormalOf(node.seed ^ kMissedSalt, static_cast<uint64_t>(time));
  return is_out || std::erfc(-chance * M_SQRT1_2) / 2 < node.missed;
}

void Exporter::Advance(double time, double step) {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const NodeTrace& node = trace_.nodes[i];
    if (node.begins > time) continue;
    Series& series = nodes_[i];
    const Amounts use = truth_.Use(i, time);
    if (series.resets < node.resets.size() && node.resets[series.resets] < time + step) {
      ++series.resets;
      series.idle_seconds = series.busy_seconds = 0;
    }
    const double busy = std::min(use.cpu, node.capacity.cpu);
    series.busy_seconds += busy / 1000 * step;
    series.idle_seconds += (node.capacity.cpu - busy) / 1000 * step;
    const double end = time + step;
    if (!IsScrape(node, end) || Fails(node, end)) continue;
    series.idle.push_back({end, series.idle_seconds});
    series.busy.push_back({end, series.busy_seconds});
    series.available.push_back({end, std::max(node.capacity.memory - use.memory, 0.0)});
  }
}

std::optional<Usage> Exporter::Over(size_t node, double end, double window) const {
  const auto idle = Between(nodes_[node].idle, end - window, end);
  const auto available = Between(nodes_[node].available, end - window, end);
  if (idle.size() < 2) return std::nullopt;
  const Amounts& capacity = trace_.nodes[node].capacity;
  Sums cpu;
  Sums memory;
  for (size_t i = 1; i < idle.size(); ++i) {
    const bool is_reset = idle[i].value < idle[i - 1].value;
    const double increase = idle[i].value - (is_reset ? 0 : idle[i - 1].value);
    cpu.Add(capacity.cpu - 1000 * increase / (idle[i].time - idle[i - 1].time));
    memory.Add(capacity.memory - available[i].value);
  }
  return Usage{.mean = {cpu.mean(), memory.mean()},
               .deviation = {cpu.deviation(), memory.deviation()}};
}

}  // namespace outrigger::load_bench
