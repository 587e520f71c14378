#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "outrigger/base/clock.h"

// A cluster whose pods come and go, and the time of the day.

namespace outrigger::safe {

/// When the tests begin.
inline constexpr int64_t kStart = 1'800'000'000;

/// "<end, in seconds after kStart>/<length>s" as the annotation has it.
inline std::string MeasuredText(int64_t end, int64_t length) {
  const absl::Time time = absl::FromUnixSeconds(kStart + end);
  return fmt::format("{}/{}s", absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone()),
                     length);
}

/// A node of 10 cpu and 10000 bytes, of which 9 cpu and all memory are free.
inline testing::MakeNode Measured(std::string_view name) {
  return testing::MakeNode(name)
      .Allocatable("cpu", "10")
      .Allocatable("memory", "10000")
      .Annotation("mean-free-cpu", "9000")
      .Annotation("std-free-cpu", "100");
}

/// Time is in seconds after kStart.
class Day {
 public:
  testing::FakeCluster& cluster() { return cluster_; }
  Clock clock() {
    Clock clock;
    clock.wall = [this] {
      return std::chrono::system_clock::time_point(std::chrono::seconds(kStart + now_) + after_);
    };
    return clock;
  }
  int64_t now() const { return now_; }
  void Set(int64_t now, std::chrono::milliseconds after = {}) {
    now_ = now;
    after_ = after;
  }

  /// A pod that came to `node` at `time`.
  void Bind(std::string_view name, std::string_view node, int64_t time,
            std::string_view cpu = "500m") {
    Pod pod = testing::MakePod(name).Requests({{"cpu", cpu}, {"memory", "1000"}});
    pod.uid = fmt::format("{}-{}", name, ++uids_);
    pod.node_name = node;
    pod.phase = "Running";
    pod.scheduled_time = pod.start_time = kStart + time;
    cluster_.Show(pod);
  }
  void Finish(std::string_view name, int64_t time) {
    cluster_.Change(name, [&](Pod* pod) {
      pod->phase = "Succeeded";
      pod->end_time = kStart + time;
    });
  }
  /// The node as the view of the cluster has it.
  Node Seen(std::string_view name) { return cluster_.Take()->snapshot->FindNode(name)->node(); }

 private:
  testing::FakeCluster cluster_;
  int64_t now_ = 0;
  std::chrono::milliseconds after_{0};
  int64_t uids_ = 0;
};

}  // namespace outrigger::safe
