#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "builders.h"
#include "cluster/cluster.h"

namespace outrigger::cluster {

/// A clock that stands until it is told.
struct Clock {
  std::chrono::steady_clock::time_point now{};
  ClusterOptions Options() {
    return {.indexes = {LabelIndex("group")}, .now = [this] { return now; }};
  }
};

inline Pod PodOn(std::string_view name, std::string_view node, std::string_view cpu = "1") {
  Pod pod = testing::MakePod(name).Requests({{"cpu", cpu}});
  pod.node_name = node;
  pod.phase = node.empty() ? "Pending" : "Running";
  return pod;
}

inline std::vector<std::string> PodsOn(const Snapshot& snapshot, std::string_view node) {
  std::vector<std::string> names;
  const NodeState* state = snapshot.FindNode(node);
  if (state == nullptr) return {"no such node"};
  for (const PodPtr& pod : state->pods) names.emplace_back(pod->name());
  return names;
}

/// What is asked for of a node, e.g. "cpu 3, pods 2"; zeros are left out.
inline std::string RequestedOf(const Snapshot& snapshot, std::string_view node) {
  const NodeState* state = snapshot.FindNode(node);
  if (state == nullptr) return "no such node";
  std::string text;
  for (const auto& [name, quantity] : state->requested) {
    if (quantity.IsZero()) continue;
    text += (text.empty() ? "" : ", ") + name + " " + (quantity + Quantity()).ToString();
  }
  return text;
}

inline std::vector<std::string> Pending(const Snapshot& snapshot) {
  std::vector<std::string> names;
  snapshot.ForEachPendingPod([&](const PodPtr& pod) { names.emplace_back(pod->name()); });
  return names;
}

inline std::vector<std::string> PodsOf(const Snapshot& snapshot, std::string_view value) {
  std::vector<std::string> names;
  snapshot.ForEachPodOf(0, value, [&](const PodPtr& pod) { names.emplace_back(pod->name()); });
  return names;
}

}  // namespace outrigger::cluster
