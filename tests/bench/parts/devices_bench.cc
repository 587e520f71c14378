// Devices for the claims of a pod: 5000 nodes with 8 devices each, and the two cases of which
// upstream's search does not come back.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/selectors.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

constexpr int kNodes = 5000;

Pool PoolOf(int node, int devices, int numas, bool serials) {
  Pool pool;
  pool.name = fmt::format("node-{:04}-foozer", node);
  pool.node = fmt::format("node-{:04}", node);
  pool.driver = "example.com-foozer";
  pool.attributes = {{"vendor", "example.com"}, {"model", "foozer-1000"}};
  for (int i = 0; i < devices; ++i) {
    Device device;
    device.name = fmt::format("dev-{:02}", i);
    device.attributes.push_back({"numa", fmt::format("{}", i * numas / devices)});
    if (serials) device.attributes.push_back({"serial", fmt::format("{}-{}", node, i)});
    pool.devices.push_back(std::move(device));
  }
  return pool;
}

Claim ClaimOf(int count, bool on_one_numa) {
  Detail detail;
  detail.device_class = "foozer";
  detail.constraints = "device.model == 'foozer-1000'";
  detail.min_count = count;
  if (on_one_numa) detail.match_attributes.emplace_back("numa");
  Claim claim;
  claim.namespace_ = "default";
  claim.name = "c";
  claim.requests.push_back({{detail}});
  return claim;
}

Inventory InventoryOf(int nodes, int devices, int numas, bool serials) {
  Inventory inventory;
  inventory.SetClass({.name = "foozer",
                      .driver = "example.com-foozer",
                      .device_type = "gpu",
                      .constraints = "",
                      .min_count = {},
                      .max_count = {},
                      .match_attributes = {},
                      .fault = {}});
  for (int i = 0; i < nodes; ++i) inventory.SetPool(PoolOf(i, devices, numas, serials));
  return inventory;
}

int64_t AskAll(const Allocator& allocator, const Inventory& inventory, const Claim& claim,
               const std::vector<std::string>& nodes, Parts parts = Parts::kVerdict) {
  const Claim* claims[] = {&claim};
  const Demand demand = allocator.Resolve(inventory, claims);
  int64_t fits = 0;
  for (const std::string& node : nodes) {
    fits += allocator.Allocate(inventory, demand, node, parts).verdict.fits() ? 1 : 0;
  }
  return fits;
}

double ResidentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

// Every node fits. With serial numbers no two devices have equal attributes.
void BM_DevicesWarm(benchmark::State& state) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  const bool serials = state.range(0) != 0;
  const auto parts = static_cast<Parts>(state.range(1));
  const Inventory inventory = InventoryOf(kNodes, 8, 1, serials);
  const std::vector<std::string> nodes = inventory.Nodes();
  const Claim claim = ClaimOf(8, true);
  AskAll(allocator, inventory, claim, nodes);
  for (auto _ : state) {
    const int64_t fits = AskAll(allocator, inventory, claim, nodes, parts);
    if (fits != kNodes) state.SkipWithError("does not fit");
  }
}
BENCHMARK(BM_DevicesWarm)
    ->ArgNames({"serials", "parts"})
    ->ArgsProduct({{0, 1}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);

// Every node fits, and has a choice: two devices of one of two NUMA nodes.
void BM_DevicesChoice(benchmark::State& state) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  const Inventory inventory = InventoryOf(kNodes, 8, 2, state.range(0) != 0);
  const std::vector<std::string> nodes = inventory.Nodes();
  const Claim claim = ClaimOf(2, true);
  AskAll(allocator, inventory, claim, nodes);
  for (auto _ : state) {
    const int64_t fits = AskAll(allocator, inventory, claim, nodes);
    if (fits != kNodes) state.SkipWithError("does not fit");
  }
}
BENCHMARK(BM_DevicesChoice)->ArgName("serials")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// No node fits, each with its reason.
void BM_DevicesRejected(benchmark::State& state) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  const Inventory inventory = InventoryOf(kNodes, 8, 2, true);
  const std::vector<std::string> nodes = inventory.Nodes();
  const Claim claim = ClaimOf(8, true);
  AskAll(allocator, inventory, claim, nodes);
  for (auto _ : state) {
    if (AskAll(allocator, inventory, claim, nodes) != 0) state.SkipWithError("fits");
  }
}
BENCHMARK(BM_DevicesRejected)->Unit(benchmark::kMillisecond);

// Every device is in use, each by a claim of its own: the reason names those to give back.
void BM_DevicesInUse(benchmark::State& state) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  Inventory inventory = InventoryOf(kNodes, 8, 2, true);
  const std::vector<std::string> nodes = inventory.Nodes();
  for (int i = 0; i < kNodes * 8; ++i) {
    inventory.SetHolding(
        fmt::format("default/job-{}", i),
        {{fmt::format("node-{:04}-foozer", i / 8), fmt::format("dev-{:02}", i % 8), 1, {}}});
  }
  const Claim claim = ClaimOf(2, true);
  for (auto _ : state) {
    if (AskAll(allocator, inventory, claim, nodes) != 0) state.SkipWithError("fits");
  }
}
BENCHMARK(BM_DevicesInUse)->Unit(benchmark::kMillisecond);

void BM_DevicesCold(benchmark::State& state) {
  const auto selectors = MakeCelSelectors();
  const Inventory inventory = InventoryOf(kNodes, 8, 1, true);
  const std::vector<std::string> nodes = inventory.Nodes();
  const Claim claim = ClaimOf(8, true);
  for (auto _ : state) {
    const Allocator allocator(*selectors);
    if (AskAll(allocator, inventory, claim, nodes) != kNodes) state.SkipWithError("does not fit");
  }
}
BENCHMARK(BM_DevicesCold)->Unit(benchmark::kMillisecond);

// So many expressions that are new, on 1000 nodes whose devices all differ; and
// what they leave in memory.
void BM_DevicesExpressions(benchmark::State& state) {
  const auto selectors = MakeCelSelectors();
  const Inventory inventory = InventoryOf(1000, 8, 1, true);
  const std::vector<std::string> nodes = inventory.Nodes();
  double grown = 0;
  for (auto _ : state) {
    const Allocator allocator(*selectors);
    const double before = ResidentMegabytes();
    for (int64_t i = 0; i < state.range(0); ++i) {
      Claim claim = ClaimOf(8, true);
      claim.requests[0].details[0].constraints =
          fmt::format("device.serial != '{}' && device.model.startsWith('foozer')", i);
      if (AskAll(allocator, inventory, claim, nodes) == 0) state.SkipWithError("fits nowhere");
    }
    grown = ResidentMegabytes() - before;
  }
  state.counters["MB"] = grown;
}
BENCHMARK(BM_DevicesExpressions)->Arg(1)->Arg(1024)->Unit(benchmark::kMillisecond);

// A pool changes, and its node is asked.
void BM_DevicesChange(benchmark::State& state) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  Inventory inventory = InventoryOf(kNodes, 8, 1, true);
  const Claim claim = ClaimOf(8, true);
  AskAll(allocator, inventory, claim, inventory.Nodes());
  int64_t i = 0;
  for (auto _ : state) {
    Pool pool = PoolOf(static_cast<int>(i % kNodes), 8, 1, true);
    pool.attributes.push_back({"version", ++i});
    inventory.SetPool(std::move(pool));
    AskAll(allocator, inventory, claim, {"node-0000"});
  }
}
BENCHMARK(BM_DevicesChange)->Unit(benchmark::kMicrosecond);

// Claims that one node cannot serve, with the reason: devices wanted, there, and NUMA nodes.
void BM_DevicesHopeless(benchmark::State& state) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  const auto wanted = static_cast<int>(state.range(0));
  const auto numas = static_cast<int>(state.range(2));
  const Inventory inventory = InventoryOf(1, static_cast<int>(state.range(1)), numas, false);
  const Claim claim = ClaimOf(wanted, numas > 1);
  for (auto _ : state) {
    if (AskAll(allocator, inventory, claim, {"node-0000"}) != 0) state.SkipWithError("fits");
  }
}
BENCHMARK(BM_DevicesHopeless)->Args({25, 24, 1})->Args({17, 32, 2})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace outrigger::devices
