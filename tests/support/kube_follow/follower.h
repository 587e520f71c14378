#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cluster/cluster.h"

namespace outrigger::kube_follow {

struct FollowerOptions {
  std::string kubeconfig;
  std::string context;
  int silence_ms = 75'000;
  int max_staleness_ms = 90'000;
  /// Longest pause between two attempts, for tests that cannot wait; 0: as in production.
  int backoff_ms = 0;
  bool json = false;  // as if protobuf did not exist
  /// Annotation of pods that holds the time of their last change (RFC 3339); empty: no lag is
  /// measured.
  std::string lag_annotation;
};

/// Nodes and pods of a cluster, followed, with the agents of this build served from them.
class Follower {
 public:
  virtual ~Follower() = default;
  static absl::StatusOr<std::unique_ptr<Follower>> Start(const FollowerOptions& options);

  virtual cluster::Cluster& cluster() = 0;
  /// {"ready":bool,"reasons":[...]}
  virtual std::string ReadyLine() = 0;
  /// {"rssBytes":N,"peakRssBytes":N,"cpuMs":N,"events":N,"relists":N,"watches":N,"objects":N,
  /// "lagP50Ms":N,"lagP99Ms":N,"lagCount":N}; lag is that of all changes
  /// since it was ready for the first time.
  virtual std::string StatsLine() = 0;
  /// {"port":N,"adminPort":N}
  virtual std::string PortsLine() = 0;
};

}  // namespace outrigger::kube_follow
