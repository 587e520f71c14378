#include "load/annotate/usage_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "load/annotate/node_values.h"

namespace outrigger::annotate {
namespace {

constexpr double kMostInteger = 9e18;
constexpr std::string_view kCongestionFactor = "congestion-factor";

// Whole amounts as integers: agents of the original program read nothing else.
std::string Text(double value) {
  if (value == std::floor(value)) return fmt::format("{}", static_cast<int64_t>(value));
  return fmt::format("{:.12g}", value);
}

/// The annotations of one node while they are put together.
class Builder {
 public:
  explicit Builder(NodeValues* values) : values_(*values) {}

  void AddAmount(const std::string& key, const usage::Value& value) {
    if (value.value && *value.value < 0) {
      values_.missing.push_back(MissingOf(
          key, usage::Value::Missing(usage::Gap::kUnit,
                                     fmt::format("the value is {}: negative", *value.value))));
      return;
    }
    // What is there at all is not rounded to nothing.
    Add(key, value,
        [](double amount) { return amount > 0 ? std::max(1.0, std::round(amount)) : 0.0; });
  }
  void AddAny(const std::string& key, const usage::Value& value) {
    Add(key, value, [](double amount) { return amount; });
  }

 private:
  template <typename Round>
  void Add(const std::string& key, const usage::Value& value, const Round& round) {
    if (!value.value) {
      values_.missing.push_back(MissingOf(key, value));
    } else if (!std::isfinite(*value.value) || std::abs(*value.value) > kMostInteger) {
      values_.missing.push_back(
          MissingOf(key, usage::Value::Missing(usage::Gap::kNotFinite,
                                               fmt::format("the value is {}", *value.value))));
    } else {
      values_.values[key] = Text(round(*value.value));
    }
  }

  NodeValues& values_;
};

void AddFree(const std::string& resource, const usage::Free& free, Builder* builder) {
  builder->AddAmount("mean-free-" + resource, free.mean);
  builder->AddAmount("std-free-" + resource, free.deviation);
  builder->AddAmount("forecasted-free-" + resource, free.forecast);
  builder->AddAmount("forcasted-free-" + resource, free.forecast);
}

Lack LackOf(usage::Gap gap) {
  switch (gap) {
    case usage::Gap::kNone:
      return Lack::kOff;
    case usage::Gap::kFailed:
      return Lack::kFailed;
    case usage::Gap::kTooYoung:
      return Lack::kNotYet;
    default:
      return Lack::kLost;
  }
}

// A forecast that is too young for good must not stay for good under values that are new.
void SettleYoung(NodeValues* values) {
  if (values->values.empty()) return;
  for (MissingValue& missing : values->missing) {
    if (missing.lack == Lack::kNotYet) missing.lack = Lack::kLost;
  }
}

}  // namespace

std::string OddFactors(std::span<const usage::NodeReading> nodes,
                       const std::vector<std::string>& further) {
  const auto at = std::find(further.begin(), further.end(), kCongestionFactor);
  if (at == further.end()) return "";
  const auto index = static_cast<size_t>(at - further.begin());
  double most = 0;
  bool is_broken = false;
  for (const usage::NodeReading& node : nodes) {
    if (index >= node.further.size()) continue;
    const double value = node.further[index].value.value_or(0);
    most = std::max(most, value);
    is_broken = is_broken || value != std::floor(value);
  }
  if (!is_broken || most > 1) return "";
  return fmt::format(
      "{}: no value is above {:.4g}, but agents read integers: multiply a ratio by 100",
      kCongestionFactor, most);
}

MissingValue MissingOf(std::string annotation, const usage::Value& value) {
  const Lack lack = LackOf(value.gap);
  return {.annotation = std::move(annotation),
          .cause = lack == Lack::kOff ? "off" : std::string(usage::ToString(value.gap)),
          .detail = value.detail,
          .lack = lack};
}

std::vector<std::string> UsageKeys(const std::vector<std::string>& further) {
  std::vector<std::string> keys = further;
  for (const std::string_view resource : {"cpu", "memory"}) {
    for (const std::string_view kind : {"mean", "std", "forecasted", "forcasted"}) {
      keys.push_back(fmt::format("{}-free-{}", kind, resource));
    }
  }
  keys.emplace_back(kMeasured);
  return keys;
}

NodeValues UsageValues(const usage::NodeReading& node, const std::vector<std::string>& further,
                       const Measurement& measured) {
  NodeValues values;
  values.series = node.matched_by;
  values.measured = measured;
  Builder builder(&values);
  AddFree("cpu", node.cpu, &builder);
  AddFree("memory", node.memory, &builder);
  AddFurther(node, further, &values);
  SettleYoung(&values);
  return values;
}

void AddFurther(const usage::NodeReading& node, const std::vector<std::string>& further,
                NodeValues* values) {
  Builder builder(values);
  const usage::Value none = usage::Value::Missing(usage::Gap::kNoSeries, "");
  for (size_t i = 0; i < further.size(); ++i) {
    const usage::Value& value = i < node.further.size() ? node.further[i] : none;
    if (further[i] == kCongestionFactor) {
      builder.AddAmount(further[i], value);
    } else {
      builder.AddAny(further[i], value);
    }
  }
}

}  // namespace outrigger::annotate
