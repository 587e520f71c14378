#include "serve/server/agent_metrics.h"

#include <prometheus/check_names.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <cmath>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "serve/server/series.h"

namespace outrigger::server {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

/// The series of one metric of one agent, by the value of its label.
template <typename T>
class Labelled {
 public:
  Labelled(prometheus::Family<T>& family, const MetricSpec& spec, const std::string& agent)
      : family_(family), spec_(spec), agent_(agent) {
    if (spec_.label.empty()) Of("");
  }

  T& Of(std::string_view value) {
    if (spec_.label.empty()) value = "";
    return series_.Get(value, [this](std::string_view label_value) {
      prometheus::Labels labels{{"agent", agent_}};
      if (!spec_.label.empty()) labels.emplace(spec_.label, label_value);
      if constexpr (std::is_same_v<T, Histogram>) {
        return &family_.Add(labels, spec_.buckets);
      } else {
        return &family_.Add(labels);
      }
    });
  }

 private:
  prometheus::Family<T>& family_;
  const MetricSpec spec_;
  const std::string agent_;
  SeriesTable<T> series_{spec_.most_values};
};

/// The same of a gauge, whose series may go. They are few and set seldom: a lock is enough.
class Gauges {
 public:
  Gauges(prometheus::Family<Gauge>& family, const MetricSpec& spec, const std::string& agent)
      : family_(family), spec_(spec), agent_(agent) {
    if (spec_.label.empty()) Set("", 0);
  }

  void Set(std::string_view value, double to) {
    const MutexLock lock(mutex_);
    if (spec_.label.empty()) value = "";
    if (!series_.contains(value) && series_.size() >= spec_.most_values) value = "other";
    const auto [at, is_new] = series_.try_emplace(std::string(value), nullptr);
    if (is_new) {
      prometheus::Labels labels{{"agent", agent_}};
      if (!spec_.label.empty()) labels.emplace(spec_.label, value);
      at->second = &family_.Add(labels);
    }
    at->second->Set(to);
  }
  void Drop(std::string_view value) {
    const MutexLock lock(mutex_);
    const auto found = series_.find(value);
    if (spec_.label.empty() || found == series_.end()) return;
    family_.Remove(found->second);
    series_.erase(found);
  }

 private:
  prometheus::Family<Gauge>& family_;
  const MetricSpec spec_;
  const std::string agent_;
  Mutex mutex_;
  std::map<std::string, Gauge*, std::less<>> series_ ABSL_GUARDED_BY(mutex_);
};

template <typename T>
using ByName = std::map<std::string, Labelled<T>, std::less<>>;

template <typename T>
T* Find(ByName<T>& all, std::string_view metric, std::string_view value) {
  const auto found = all.find(metric);
  return found == all.end() ? nullptr : &found->second.Of(value);
}

// Strictly ascending; NaN is not.
bool Ascend(const std::vector<double>& buckets) {
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (std::isnan(buckets[i]) || (i > 0 && !(buckets[i - 1] < buckets[i]))) return false;
  }
  return true;
}

absl::Status Check(const MetricSpec& spec) {
  const auto refused = [&](std::string_view field, std::string_view value,
                           std::string_view wanted) {
    return absl::InvalidArgumentError(fmt::format(
        "metric {:?}: {} {:?} is not accepted; expected {}", spec.name, field, value, wanted));
  };
  if (!prometheus::CheckMetricName(spec.name)) {
    return refused("name", spec.name,
                   "letters, digits, '_' and ':', first no digit, no leading __");
  }
  const bool is_label = spec.label.empty() || prometheus::CheckLabelName(spec.label);
  if (!is_label || spec.label == "agent" || spec.label == "le") {
    return refused("label", spec.label,
                   "letters, digits and '_', first no digit, no leading __, not agent, not le");
  }
  if (spec.help.empty()) return refused("help", spec.help, "a sentence");
  const bool is_histogram = spec.kind == MetricSpec::Kind::kHistogram;
  const std::string buckets = fmt::format("{}", fmt::join(spec.buckets, ", "));
  if (!is_histogram && !spec.buckets.empty()) {
    return refused("buckets", buckets, "none, as it is no histogram");
  }
  if (is_histogram && (spec.buckets.empty() || !Ascend(spec.buckets))) {
    return refused("buckets", buckets, "at least one upper bound, in strictly ascending order");
  }
  return absl::OkStatus();
}

class Counted final : public AgentMetrics {
 public:
  /// To be called before all others, once for each metric.
  absl::Status Declare(prometheus::Registry& registry, const MetricSpec& spec,
                       const std::string& agent) {
    absl::Status sound = Check(spec);
    if (!sound.ok()) return sound;
    if (counters_.contains(spec.name) || gauges_.contains(spec.name) ||
        histograms_.contains(spec.name)) {
      return absl::InvalidArgumentError(
          fmt::format("metric {:?} is declared twice; each name once", spec.name));
    }
    // The registry throws where the name is one of another type already.
    try {
      switch (spec.kind) {
        case MetricSpec::Kind::kCounter:
          Put(prometheus::BuildCounter(), registry, spec, agent, &counters_);
          break;
        case MetricSpec::Kind::kGauge:
          Put(prometheus::BuildGauge(), registry, spec, agent, &gauges_);
          break;
        case MetricSpec::Kind::kHistogram:
          Put(prometheus::BuildHistogram(), registry, spec, agent, &histograms_);
          break;
      }
    } catch (const std::exception&) {
      return absl::InvalidArgumentError(
          fmt::format("metric {:?}: the program or another agent has a metric with that name and "
                      "another type; use another name",
                      spec.name));
    }
    return absl::OkStatus();
  }

  void Add(std::string_view metric, std::string_view label_value, double amount) override {
    if (Counter* const counter = Find(counters_, metric, label_value)) counter->Increment(amount);
  }
  void Set(std::string_view metric, std::string_view label_value, double value) override {
    if (const auto at = gauges_.find(metric); at != gauges_.end())
      at->second.Set(label_value, value);
  }
  void Drop(std::string_view metric, std::string_view label_value) override {
    if (const auto at = gauges_.find(metric); at != gauges_.end()) at->second.Drop(label_value);
  }
  void Observe(std::string_view metric, std::string_view label_value, double value) override {
    if (Histogram* const histogram = Find(histograms_, metric, label_value)) {
      histogram->Observe(value);
    }
  }

 private:
  template <typename Builder, typename All>
  static void Put(Builder builder, prometheus::Registry& registry, const MetricSpec& spec,
                  const std::string& agent, All* all) {
    auto& family = builder.Name(spec.name).Help(spec.help).Register(registry);
    all->try_emplace(spec.name, family, spec, agent);
  }

  // Not changed after construction.
  ByName<Counter> counters_;
  std::map<std::string, Gauges, std::less<>> gauges_;
  ByName<Histogram> histograms_;
};

}  // namespace

AgentFamilies::AgentFamilies(prometheus::Registry& registry) : registry_(registry) {}
AgentFamilies::~AgentFamilies() = default;

absl::StatusOr<AgentMetrics*> AgentFamilies::Of(const AgentInfo& agent) {
  const MutexLock lock(mutex_);
  const auto found = agents_.find(agent.name);
  if (found != agents_.end()) return found->second.get();
  auto counted = std::make_unique<Counted>();
  for (const MetricSpec& spec : agent.factory.metrics) {
    absl::Status declared = counted->Declare(registry_, spec, agent.name);
    if (!declared.ok()) return declared;
  }
  return agents_.emplace(agent.name, std::move(counted)).first->second.get();
}

}  // namespace outrigger::server
