// Answers of metrics.k8s.io, and files of the same amounts: whatever they hold, a node has finite
// values or a gap, and the window ends at a time that can be.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "load/usage/sampled_usage.h"
#include "load/usage/source.h"
#include "load/usage/used_answers.h"

namespace outrigger::fuzz {
namespace {

constexpr int64_t kNowMs = 1'795'658'000'000;

void CheckValue(const usage::Value& value) {
  OUTRIGGER_REQUIRE(value.value.has_value() == (value.gap == usage::Gap::kNone));
  OUTRIGGER_REQUIRE(!value.value || (std::isfinite(*value.value) && *value.value >= 0));
}

void CheckSamples(const std::vector<usage::UsedNow>& samples) {
  std::vector<usage::NodeQuestion> nodes(2);
  nodes[0].name = "a";
  nodes[1].name = samples.empty() ? "b" : samples.front().name;
  for (usage::NodeQuestion& node : nodes) node.cpu = node.memory = 4000;
  usage::SampledUsage window(std::chrono::seconds(10), /*forecast=*/false);
  for (int round = 0; round < 8; ++round) {
    const int64_t now = kNowMs + round * 2'000;
    const usage::Reading reading = window.Take(nodes, samples, now, "a source");
    OUTRIGGER_REQUIRE(reading.nodes.size() == nodes.size());
    OUTRIGGER_REQUIRE(reading.end_ms > 0 && reading.end_ms <= now);
    for (const usage::NodeReading& node : reading.nodes) {
      CheckValue(node.cpu.mean);
      CheckValue(node.cpu.deviation);
      CheckValue(node.memory.mean);
      CheckValue(node.memory.deviation);
    }
  }
}

void Check(std::string_view text) {
  std::string body(text);
  const auto metrics = usage::ReadNodeMetrics(&body);
  OUTRIGGER_REQUIRE(body == text);
  if (metrics.ok()) CheckSamples(*metrics);
  const auto file = usage::ReadUsageFile(&body);
  OUTRIGGER_REQUIRE(body == text);
  if (file.ok()) CheckSamples(*file);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
