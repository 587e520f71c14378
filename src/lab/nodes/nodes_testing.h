#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/fake_objects_testing.h"
#include "kube/scripted_paths_testing.h"
#include "lab/framework/workers.h"
#include "lab/manual_timers_testing.h"
#include "lab/nodes/shape.h"
#include "lab/nodes/write_queue.h"

namespace outrigger::lab {

/// An API server of objects without rules, whose streams a test writes by hand. A patch of a status
/// is one of its object. Thread-safe.
class FakeClusterApi final : public kube::Api {
 public:
  absl::StatusOr<kube::ApiResponse> Call(const kube::ApiRequest& request) override {
    kube::ApiRequest plain = request;
    constexpr std::string_view kStatus = "/status";
    if (plain.path.ends_with(kStatus)) plain.path.resize(plain.path.size() - kStatus.size());
    auto answer = objects.Call(plain);
    if (!answer.ok() || !taint_new_nodes || request.method != "POST" ||
        request.path != "/api/v1/nodes") {
      return answer;
    }
    auto node = kube::FakeObjects::Json::parse(answer->body);
    node["spec"]["taints"] = {{{"key", "node.kubernetes.io/not-ready"}, {"effect", "NoSchedule"}}};
    objects.Put("/api/v1/nodes/" + node["metadata"]["name"].get<std::string>(), node);
    return kube::ApiResponse{201, node.dump()};
  }
  absl::Status Stream(const kube::ApiRequest& request, kube::ByteSink sink) override {
    return streams.Stream(request, sink);
  }

  /// The value at a place of an object; null if there is none.
  kube::FakeObjects::Json At(const std::string& path, const std::string& pointer) {
    const auto object = objects.At(path);
    const kube::FakeObjects::Json::json_pointer at(pointer);
    return object.contains(at) ? object.at(at) : nullptr;
  }
  size_t Count(std::string_view call) {
    size_t count = 0;
    for (const std::string& made : objects.calls()) {
      if (made == call) ++count;
    }
    return count;
  }

  bool taint_new_nodes = false;  // as the API server does
  kube::FakeObjects objects;
  kube::ScriptedPaths streams;
};

/// What nodes and pods are kept with, on time that a test moves.
struct NodeScene {
  Clock clock() {
    Clock clock;
    clock.now = [this] { return timers.Now(); };
    clock.wall = [this] {
      return std::chrono::system_clock::time_point(
          std::chrono::duration_cast<std::chrono::system_clock::duration>(
              timers.Now().time_since_epoch()));
    };
    return clock;
  }
  std::function<void(const std::string&)> warn() {
    return [this](const std::string& line) { warnings.push_back(line); };
  }

  FakeClusterApi api;
  ManualTimers timers;
  ScopedTimers scoped{&timers};
  InlineExecutor executor;
  WriteQueue queue{&executor, &scoped};
  std::vector<std::string> warnings;
};

inline NodeShape ShapeOf(std::string_view text) {
  const auto shape = ParseNodeShape(text);
  EXPECT_TRUE(shape.ok()) << shape.status();
  return shape.ok() ? *shape : NodeShape();
}

inline std::vector<SimulatedNode> MustNodes(std::string_view text) {
  const auto nodes = NodesOf({ShapeOf(text)});
  EXPECT_TRUE(nodes.ok()) << nodes.status();
  return nodes.ok() ? *nodes : std::vector<SimulatedNode>();
}

}  // namespace outrigger::lab
