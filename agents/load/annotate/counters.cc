#include "load/annotate/counters.h"

namespace outrigger::annotate {

void Counters::Patch(std::string_view outcome) {
  const MutexLock lock(mutex_);
  ++figures_.patches[std::string(outcome)];
}

void Counters::Missing(std::string_view node, std::string_view cause) {
  const MutexLock lock(mutex_);
  std::pair<std::string, std::string> key(node, cause);
  if (!figures_.missing.contains(key) && figures_.missing.size() >= kMostSeries) {
    key.first = "other";
  }
  ++figures_.missing[std::move(key)];
}

void Counters::Removed(size_t annotations) {
  const MutexLock lock(mutex_);
  figures_.removed += annotations;
}

void Counters::Round(double seconds, double compute_seconds) {
  const MutexLock lock(mutex_);
  ++figures_.rounds;
  figures_.round_seconds += seconds;
  figures_.compute_seconds += compute_seconds;
}

void Counters::FailedRound() {
  const MutexLock lock(mutex_);
  ++figures_.failed_rounds;
}

void Counters::Nodes(size_t nodes, size_t without) {
  const MutexLock lock(mutex_);
  figures_.nodes = nodes;
  figures_.nodes_without = without;
}

void Counters::Pending(size_t nodes) {
  const MutexLock lock(mutex_);
  figures_.pending = nodes;
}

void Counters::Leads(bool is_leader) {
  const MutexLock lock(mutex_);
  figures_.is_leader = is_leader;
}

Figures Counters::Read() const {
  const MutexLock lock(mutex_);
  return figures_;
}

}  // namespace outrigger::annotate
