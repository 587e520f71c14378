#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>

#include "control/custody.h"
#include "control/pool_reports.h"
#include "control/status_writer.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/pace.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// What the one process does that holds the Lease: looks again and again at what is known, and
/// brings what is written in line with it.
class Keeper {
 public:
  /// All outlive this.
  Keeper(const Clock& clock, const DeviceStore& store, Custody* custody, StatusWriter* statuses,
         PoolReports* reports)
      : clock_(clock),
        store_(store),
        custody_(*custody),
        statuses_(*statuses),
        reports_(*reports) {}

  /// Works until the end of the term. One term at a time.
  void Lead(const std::stop_token& term);
  /// Pods or nodes have changed. Thread-safe.
  void OnPods() {
    custody_.OnChange();
    pace_.Wake();
  }
  /// Claims, pools, classes or drivers have changed. Thread-safe.
  void OnDevices() {
    are_statuses_due_ = true;
    OnPods();
  }

 private:
  /// Writes statuses if that is due. Returns when it is again.
  std::chrono::milliseconds WriteStatuses(const std::stop_token& term);

  const Clock clock_;
  const DeviceStore& store_;
  Custody& custody_;
  StatusWriter& statuses_;
  PoolReports& reports_;
  std::atomic<bool> are_statuses_due_{true};
  std::optional<Clock::TimePoint> next_statuses_;  // though nothing changes
  Pace pace_;
};

}  // namespace outrigger::devices::agent
