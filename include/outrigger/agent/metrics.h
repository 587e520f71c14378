#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrigger {

/// An agent's own metric, in addition to those of every agent. A plain value. The program does not
/// start if a metric of a served agent breaks a rule in these comments.
struct MetricSpec {
  enum class Kind : uint8_t { kCounter, kGauge, kHistogram };
  Kind kind = Kind::kCounter;
  std::string name;             // "outrigger_gang_waiting": Prometheus' conventions, with the unit
  std::string help;             // a sentence
  std::string label;            // its one label beside `agent`, or empty; not "agent", not "le"
  std::vector<double> buckets;  // kHistogram alone: upper bounds, strictly ascending
  size_t most_values = 100;     // of its label; all further ones count as "other"
  friend bool operator==(const MetricSpec&, const MetricSpec&) = default;
};

/// Records an agent's metrics. A metric that the agent did not declare (its static Metrics()) is
/// ignored. Thread-safe.
class AgentMetrics {
 public:
  virtual ~AgentMetrics() = default;
  /// Of a counter.
  virtual void Add(std::string_view metric, std::string_view label_value, double amount) = 0;
  /// Of a gauge.
  virtual void Set(std::string_view metric, std::string_view label_value, double value) = 0;
  /// Removes the series of a gauge for a label value that no longer exists. No effect if there is
  /// none.
  virtual void Drop(std::string_view metric, std::string_view label_value) = 0;
  /// Of a histogram.
  virtual void Observe(std::string_view metric, std::string_view label_value, double value) = 0;
};

/// Counts nothing.
class NoMetrics final : public AgentMetrics {
 public:
  void Add(std::string_view /*metric*/, std::string_view /*value*/, double /*amount*/) override {}
  void Set(std::string_view /*metric*/, std::string_view /*value*/, double /*value*/) override {}
  void Drop(std::string_view /*metric*/, std::string_view /*value*/) override {}
  void Observe(std::string_view /*metric*/, std::string_view /*value*/, double /*value*/) override {
  }
  /// The shared instance.
  static AgentMetrics* Instance() {
    static NoMetrics none;
    return &none;
  }
};

}  // namespace outrigger
