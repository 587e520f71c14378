#include "server/agent_metrics.h"

#include <prometheus/check_names.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <algorithm>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "server/series_table.h"

namespace outrigger::server {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

constexpr size_t kMaxValues = 100;

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
  SeriesTable<T> series_{kMaxValues};
};

template <typename T>
using ByName = std::map<std::string, Labelled<T>, std::less<>>;

template <typename T>
T* Find(ByName<T>& all, std::string_view metric, std::string_view value) {
  const auto found = all.find(metric);
  return found == all.end() ? nullptr : &found->second.Of(value);
}

bool IsSound(const MetricSpec& spec) {
  return prometheus::CheckMetricName(spec.name) && spec.label != "agent" &&
         (spec.label.empty() || prometheus::CheckLabelName(spec.label)) &&
         std::is_sorted(spec.buckets.begin(), spec.buckets.end());
}

class Counted final : public AgentMetrics {
 public:
  Counted(prometheus::Registry& registry, const AgentInfo& agent) {
    for (const MetricSpec& spec : agent.factory.metrics) {
      if (IsSound(spec)) Declare(registry, spec, agent.name);
    }
  }

  void Add(std::string_view metric, std::string_view label_value, double amount) override {
    if (Counter* const counter = Find(counters_, metric, label_value)) counter->Increment(amount);
  }
  void Set(std::string_view metric, std::string_view label_value, double value) override {
    if (Gauge* const gauge = Find(gauges_, metric, label_value)) gauge->Set(value);
  }
  void Observe(std::string_view metric, std::string_view label_value, double value) override {
    if (Histogram* const histogram = Find(histograms_, metric, label_value)) {
      histogram->Observe(value);
    }
  }

 private:
  // The registry throws where the name is one of another type already.
  void Declare(prometheus::Registry& registry, const MetricSpec& spec, const std::string& agent) {
    try {
      switch (spec.kind) {
        case MetricSpec::Kind::kCounter:
          return Put(prometheus::BuildCounter(), registry, spec, agent, &counters_);
        case MetricSpec::Kind::kGauge:
          return Put(prometheus::BuildGauge(), registry, spec, agent, &gauges_);
        case MetricSpec::Kind::kHistogram:
          return Put(prometheus::BuildHistogram(), registry, spec, agent, &histograms_);
      }
    } catch (const std::exception&) {
    }
  }

  template <typename Builder, typename T>
  static void Put(Builder builder, prometheus::Registry& registry, const MetricSpec& spec,
                  const std::string& agent, ByName<T>* all) {
    prometheus::Family<T>& family = builder.Name(spec.name).Help(spec.help).Register(registry);
    all->try_emplace(spec.name, family, spec, agent);
  }

  // Not changed after construction.
  ByName<Counter> counters_;
  ByName<Gauge> gauges_;
  ByName<Histogram> histograms_;
};

}  // namespace

AgentFamilies::AgentFamilies(prometheus::Registry& registry) : registry_(registry) {}
AgentFamilies::~AgentFamilies() = default;

AgentMetrics* AgentFamilies::Of(const AgentInfo& agent) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<AgentMetrics>& counted = agents_[agent.name];
  if (counted == nullptr) counted = std::make_unique<Counted>(registry_, agent);
  return counted.get();
}

}  // namespace outrigger::server
