#include <chrono>
#include <functional>
#include <utility>

#include "gmock/gmock.h"
#include "pod_ledger_testing.h"

// How often the ledger looks at the cluster.

namespace outrigger::safe {
namespace {

using ::testing::DoubleNear;

/// Counts who takes snapshots of a cluster.
class Counted final : public ClusterReader {
 public:
  explicit Counted(ClusterReader* cluster) : cluster_(*cluster) {}
  absl::StatusOr<ClusterView> Take() override {
    ++taken;
    return cluster_.Take();
  }
  Subscription OnChange(std::function<void()> changed, ChangeScope scope) override {
    return cluster_.OnChange(std::move(changed), scope);
  }
  absl::StatusOr<Pod> Read(std::string_view namespace_, std::string_view name,
                           const CallLimits& limits) override {
    return cluster_.Read(namespace_, name, limits);
  }
  absl::StatusOr<std::vector<Pod>> ReadAll(std::string_view namespace_,
                                           const CallLimits& limits) override {
    return cluster_.ReadAll(namespace_, limits);
  }
  absl::StatusOr<LeaseRecord> ReadLease(std::string_view namespace_, std::string_view name,
                                        const CallLimits& limits) override {
    return cluster_.ReadLease(namespace_, name, limits);
  }
  int taken = 0;

 private:
  ClusterReader& cluster_;
};

TEST_F(SafeLedger, TakesFewSnapshotsOfManyChanges) {
  constexpr std::chrono::milliseconds kEach{2};
  Counted cluster(&day_.cluster());
  PodLedger ledger(&cluster, {.estimate = {.defaults = {100, 50}},
                              .window = 60,
                              .clock = day_.clock(),
                              .warn = [](std::string_view) {}});
  ledger.CatchUp();
  cluster.taken = 0;
  // For two seconds, on either node.
  for (int i = 0; i < 1000; ++i) {
    day_.Set(10, i * kEach);
    day_.Bind(fmt::format("p{}", i), i % 2 == 0 ? "a" : "b", 10);
  }
  EXPECT_LE(cluster.taken, 41);
  EXPECT_GE(cluster.taken, 20) << "it looks without calls";
  ledger.CatchUp();
  for (const char* node : {"a", "b"}) {
    EXPECT_EQ(ledger.Find(node)->correction[kCpuResource], 500 * 500) << "the last is read, too";
  }
}

TEST_F(SafeLedger, DatesTheLastOfManyChangesByWhenTheyCame) {
  day_.Bind("first", "a", -500);
  day_.Bind("last", "a", -500);
  Begin();
  day_.Set(20);
  day_.cluster().RemovePod("first");
  day_.Set(20, std::chrono::milliseconds(10));
  day_.cluster().RemovePod("last");  // no snapshot is taken of this alone
  day_.Set(70);
  day_.Bind("young", "b", 70);
  day_.Set(90);
  Measure("a", 90);
  Measure("b", 90);
  EXPECT_THAT(Of("a"), DoubleNear(-2 * 500 * 0.3, 0.1));
  EXPECT_THAT(Of("b"), DoubleNear(500 * 0.8, 0.1)) << "a pod says when it came";
}

}  // namespace
}  // namespace outrigger::safe
