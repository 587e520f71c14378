#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fake_cluster.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "keeper.h"
#include "penalty/classes/edges.h"
#include "settings.h"

// For tests of the keeper: a cluster in memory, and time by hand.

namespace outrigger::penalty {

inline constexpr Millis kStart = 1'795'000'000'000;

inline PriorityClass ClassOf(const std::string& name, int32_t value) {
  PriorityClass made;
  made.name = name;
  made.value = value;
  made.preemption_policy = "PreemptLowerPriority";
  made.description = "for " + name;
  made.labels = {{"fairness", "on"}};
  return made;
}

inline Settings Fair() {
  Settings settings;
  settings.class_selector = "fairness=on";
  settings.start = "flat 100";
  settings.completion = "flat 50";
  settings.half_life = 10;
  settings.grace = 5;
  settings.coalesce = 0;
  return settings;
}

class CountingMetrics final : public AgentMetrics {
 public:
  void Add(std::string_view /*metric*/, std::string_view /*label*/, double /*amount*/) override {}
  void Set(std::string_view metric, std::string_view label, double value) override {
    ++sets;
    gauges[fmt::format("{} {}", metric, label)] = value;
  }
  void Drop(std::string_view metric, std::string_view label) override {
    gauges.erase(fmt::format("{} {}", metric, label));
  }
  void Observe(std::string_view /*metric*/, std::string_view /*label*/, double /*v*/) override {}
  int sets = 0;
  std::map<std::string, double> gauges;
};

class PenaltyKeeper : public ::testing::Test {
 protected:
  PenaltyKeeper() {
    cluster_.keep().Put(ClassOf("gold", 1000));
    Restart(Fair());
  }

  // A new process, with an empty memory.
  void Restart(const Settings& settings) {
    AgentDeps deps;
    deps.name = "penalty";
    deps.cluster = &cluster_;
    deps.metrics = &metrics_;
    deps.log = [this](std::string_view line) { log_.emplace_back(line); };
    deps.warn = deps.log;
    deps.clock.wall = [this] {
      return std::chrono::system_clock::time_point(std::chrono::milliseconds(now_));
    };
    keeper_.reset();
    keeper_ = std::make_unique<Keeper>(deps, *OptionsFrom(settings));
    const absl::Status begun = keeper_->Begin(term_.get_token());
    EXPECT_TRUE(begun.ok()) << begun;
    Look();
  }

  void Look() { next_ = keeper_->Round(term_.get_token()); }
  void Pass(Millis time) {
    now_ += time;
    Look();
  }

  void Show(const std::string& name, const std::string& phase, const std::string& in = "gold") {
    PodGroup& group = groups_[name];
    group.dialect = Dialect::kVolcano;
    group.namespace_ = "default";
    group.name = name;
    group.uid = "uid-" + name;
    if (group.created == 0) group.created = now_ / 1000 + 1;
    group.priority_class_name = in;
    group.queue = "batch";
    group.phase = phase;
    const auto view = cluster_.Take();
    for (const PodGroup& there : view->objects->pod_groups) {
      if (there.uid == group.uid) group.annotations = there.annotations;
    }
    cluster_.Put(group);
  }
  // The group shows the phase, and the agent looks.
  void Become(const std::string& name, const std::string& phase) {
    Show(name, phase);
    Look();
  }

  int32_t Value(const std::string& name = "gold") const {
    const auto found = cluster_.keep().Find(name);
    return found ? found->value : -1;
  }
  std::string Mark(const std::string& name) {
    const auto view = cluster_.Take();
    for (const PodGroup& group : view->objects->pod_groups) {
      if (group.name == name) return std::string(group.annotations.Get(kCountedAnnotation));
    }
    return "";
  }
  std::vector<std::string> EventReasons() const {
    std::vector<std::string> reasons;
    for (const ClusterEvent& event : cluster_.events()) {
      reasons.push_back(event.kind + " " + event.name + " " + event.reason);
    }
    return reasons;
  }

  mutable testing::FakeCluster cluster_;
  CountingMetrics metrics_;
  Millis now_ = kStart;
  std::stop_source term_;
  std::map<std::string, PodGroup> groups_;
  std::vector<std::string> log_;
  std::optional<Millis> next_;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace outrigger::penalty
