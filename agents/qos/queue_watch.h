#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/desk/participant.h"

namespace outrigger::qos {

/// Counts what becomes of the queue with each plan, and logs what is wrong with pods' labels where
/// no other agent does. Of the planning thread.
class QueueWatch final : public desk::Participant {
 public:
  using Log = std::function<void(std::string_view line)>;
  using UnixTime = std::function<int64_t()>;
  /// `metrics` and what the functions need outlive this. `is_alone`: no other agent of the process
  /// plans. `unix_time`: seconds since 1970; null: the system's.
  QueueWatch(AgentMetrics* metrics, Log log, std::function<bool()> is_alone,
             UnixTime unix_time = nullptr);

  void OnPlan(const desk::Round& round) override;
  void OnActing(const absl::Status& acting) override;
  void Pause(desk::Time now, bool another_acts) override;

 private:
  void CountHeld(const desk::Board& board);
  void CountInversions(const desk::Round& round);
  void CountInversionsOn(std::string_view node, const plan::Rank& first,
                         const ClusterSnapshot& snapshot);

  AgentMetrics* const metrics_;
  const Log log_;
  const std::function<bool()> is_alone_;
  const UnixTime unix_time_;
  std::map<std::string, size_t> held_;         // by cause, as last counted
  std::shared_ptr<const desk::Board> before_;  // of the last round
  absl::Status acting_;
};

}  // namespace outrigger::qos
