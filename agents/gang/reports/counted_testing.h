#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/agent/metrics.h"

namespace outrigger::gang {

/// What was counted, by "metric label". Thread-safe but for looking at it.
class Counted final : public AgentMetrics {
 public:
  void Add(std::string_view metric, std::string_view label, double amount) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    values[Name(metric, label)] += amount;
  }
  void Set(std::string_view metric, std::string_view label, double value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    values[Name(metric, label)] = value;
  }
  void Drop(std::string_view metric, std::string_view label) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    values.erase(Name(metric, label));
  }
  void Observe(std::string_view metric, std::string_view label, double value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    observed.emplace_back(Name(metric, label), value);
  }
  std::map<std::string, double> values;
  std::vector<std::pair<std::string, double>> observed;

 private:
  static std::string Name(std::string_view metric, std::string_view label) {
    return fmt::format("{} {}", metric.substr(std::string_view("outrigger_gang_").size()), label);
  }

  std::mutex mutex_;
};

}  // namespace outrigger::gang
