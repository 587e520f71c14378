#include "load/annotate/usage_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fmt/format.h"
#include "load/annotate/node_values.h"
#include "load/annotate/usage_values.h"
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

namespace {

std::vector<std::string> KeysOf(const UsageOptions& options) {
  std::vector<std::string> keys = UsageKeys(options.further);
  // The others are removed then.
  if (options.original_arithmetic) {
    for (std::string& key : OriginalUsageKeys()) keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

usage::NodeQuestion QuestionOf(const NodeView& view) {
  const Node& node = view.node();
  usage::NodeQuestion question;
  question.name = node.name;
  for (const NodeAddress& address : node.addresses) {
    if (address.type == "InternalIP") question.addresses.push_back(address.address);
  }
  question.cpu = static_cast<double>(node.allocatable.Get(kCpu).MilliValue());
  question.memory = node.allocatable.Get(kMemory).ToDouble();
  return question;
}

// A node that is new is measured over what it has of the window; some scrapes that are missed do
// not make it new.
Measurement MeasurementOf(const usage::Reading& reading, const usage::NodeReading& node) {
  const bool is_short = node.known.count() > 0 && 10 * node.known < 9 * reading.window;
  const auto window = is_short ? node.known : reading.window;
  return {.end = reading.end_ms / 1000,
          .window = std::max<int64_t>(
              std::chrono::duration_cast<std::chrono::seconds>(window).count(), 1)};
}

// The figures of a note that repeats are others each time.
std::string WithoutDigits(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

}  // namespace

UsageSource::UsageSource(std::unique_ptr<usage::Source> source, UsageOptions options,
                         std::function<void(const std::string& line)> warn)
    : source_(std::move(source)),
      options_(std::move(options)),
      warn_(std::move(warn)),
      keys_(KeysOf(options_)) {}

Needs UsageSource::Reads() const {
  Needs needs = Needs().NodeAllocatable().NodeAddresses();
  if (options_.original_arithmetic) needs.ClusterPods().PodResources();
  return needs;
}

absl::StatusOr<std::vector<NodeValues>> UsageSource::Compute(
    std::shared_ptr<const ClusterSnapshot> snapshot, Scope /*scope*/, std::stop_token stop) {
  std::vector<usage::NodeQuestion> questions;
  questions.reserve(snapshot->NodeCount());
  std::vector<OriginalMemoryTexts> texts;
  snapshot->ForEachNode([&](const NodeView& view) {
    questions.push_back(QuestionOf(view));
    if (!options_.original_arithmetic) return;
    texts.push_back(OriginalMemoryOf(view));
    questions.back().memory = static_cast<double>(texts.back().allocatable);
    questions.back().requested_memory = static_cast<double>(texts.back().requested);
  });
  const auto reading = source_->Read(questions, std::move(stop));
  if (!reading.ok()) return reading.status();
  if (reading->nodes.size() != questions.size()) {
    return absl::InternalError(fmt::format("{} has values for {} of {} nodes", source_->Name(),
                                           reading->nodes.size(), questions.size()));
  }
  std::vector<std::string> notes = reading->notes;
  const std::string odd = OddFactors(reading->nodes, options_.further);
  if (!odd.empty()) notes.push_back(odd);
  WarnOf(std::move(notes));
  std::vector<NodeValues> values;
  values.reserve(questions.size());
  for (size_t i = 0; i < questions.size(); ++i) {
    const usage::NodeReading& node = reading->nodes[i];
    const Measurement measured = MeasurementOf(*reading, node);
    values.push_back(options_.original_arithmetic
                         ? OriginalUsageValues(node, texts[i], options_.further)
                         : UsageValues(node, options_.further, measured));
    values.back().node = std::move(questions[i].name);
  }
  return values;
}

void UsageSource::WarnOf(std::vector<std::string> notes) {
  for (const std::string& note : notes) {
    const auto is_same = [&note](const std::string& other) {
      return WithoutDigits(other) == WithoutDigits(note);
    };
    if (warn_ && std::none_of(notes_.begin(), notes_.end(), is_same)) warn_(note);
  }
  notes_ = std::move(notes);
}

}  // namespace outrigger::annotate
