#include "annotate/original_usage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "annotate/usage_values.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::annotate {
namespace {

constexpr int64_t kAllocatableUnit = 1000;   // for what is 1024
constexpr int64_t kRequestUnit = 1'000'000;  // for whatever it is
constexpr int64_t kLargestAmount = 1'000'000'000'000;
constexpr int64_t kMostBytes = std::numeric_limits<int64_t>::max();

void Add(const std::string& key, const usage::Value& value, NodeValues* values) {
  if (value.value && std::isfinite(*value.value) && std::abs(*value.value) < 9e18) {
    values->values[key] = std::to_string(static_cast<int64_t>(*value.value));
  } else {
    values->missing.push_back(MissingOf(key, value));
  }
}

void AddForecast(const std::string& key, const usage::Value& value, NodeValues* values) {
  if (value.value && std::isfinite(*value.value)) return Add(key, value, values);
  values->values[key] = value.gap == usage::Gap::kNone ? "N/A" : "None";
}

// What annotate usage has written before would win over what the original program writes.
void AddOff(NodeValues* values) {
  const std::vector<std::string> original = OriginalUsageKeys();
  for (std::string& key : UsageKeys({})) {
    if (std::find(original.begin(), original.end(), key) != original.end()) continue;
    values->missing.push_back(MissingOf(std::move(key), usage::Value()));
  }
}

}  // namespace

int64_t OriginalAmount(std::string_view quantity, int64_t unit) {
  int64_t digits = 0;
  for (const char c : quantity) {
    if (c >= '0' && c <= '9' && digits < kLargestAmount) digits = digits * 10 + (c - '0');
  }
  int64_t amount = 0;
  return __builtin_mul_overflow(digits, unit, &amount) ? kMostBytes : amount;
}

OriginalMemoryTexts OriginalMemoryOf(const NodeView& node) {
  OriginalMemoryTexts texts;
  texts.allocatable =
      OriginalAmount(node.node().allocatable.Get(kMemory).ToString(), kAllocatableUnit);
  for (const PodView view : node.Pods()) {
    if (view.Phase() != "Running") continue;
    const Pod pod = view.Unpack();
    for (const Container& container : pod.containers) {
      const Quantity* const memory = container.requests.Find(kMemory);
      if (memory == nullptr) continue;
      const int64_t amount = OriginalAmount(memory->ToString(), kRequestUnit);
      if (__builtin_add_overflow(texts.requested, amount, &texts.requested)) {
        texts.requested = kMostBytes;
      }
    }
  }
  return texts;
}

std::vector<std::string> OriginalUsageKeys() {
  return {"mean-free-memory", "std-free-memory", "forcasted-free-memory",
          "mean-free-cpu",    "std-free-cpu",    "free_memory",
          "min_free_memory",  "reqested_memory", "allocatable_memory"};
}

NodeValues OriginalUsageValues(const usage::NodeReading& node, const OriginalMemoryTexts& memory,
                               const std::vector<std::string>& further) {
  NodeValues values;
  values.series = node.matched_by;
  Add("mean-free-memory", node.memory.mean, &values);
  Add("std-free-memory", node.memory.deviation, &values);
  AddForecast("forcasted-free-memory", node.memory.forecast, &values);
  Add("mean-free-cpu", node.cpu.mean, &values);
  Add("std-free-cpu", node.cpu.deviation, &values);
  const usage::Value none = usage::Value::Missing(usage::Gap::kNoSeries, "");
  Add("free_memory", node.original ? node.original->now : none, &values);
  Add("min_free_memory", node.original ? node.original->least : none, &values);
  values.values["reqested_memory"] = std::to_string(memory.requested);
  values.values["allocatable_memory"] = std::to_string(memory.allocatable);
  AddFurther(node, further, &values);
  AddOff(&values);
  return values;
}

}  // namespace outrigger::annotate
