#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/request.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

// Builders of values for tests: valid by default, changed by chaining, converted by assignment.
//
//     const Node node = MakeNode("a").Label("zone", "x").Annotation("congestion-factor", "5");

namespace outrigger::testing {

/// A quantity that must parse; a wrong text ends the test program with its message.
Quantity Q(std::string_view text);

class MakeNode {
 public:
  /// A ready node with 4 cpu, 16Gi memory and 110 pods.
  explicit MakeNode(std::string_view name = "node-1");
  MakeNode& Label(std::string_view key, std::string_view value);
  MakeNode& Annotation(std::string_view key, std::string_view value);
  MakeNode& Allocatable(std::string_view resource, std::string_view quantity);
  MakeNode& NoAllocatable();
  MakeNode& AddTaint(std::string_view key, std::string_view value, TaintEffect effect);
  MakeNode& Unschedulable();
  MakeNode& Address(std::string_view address, std::string_view type = "InternalIP");
  MakeNode& Ready(ConditionStatus ready);
  MakeNode& Unknown();
  operator Node() const { return node_; }  // NOLINT(google-explicit-constructor)

 private:
  Node node_;
};

class MakePod {
 public:
  /// default/<name> with one container without requests.
  explicit MakePod(std::string_view name = "pod-1");
  MakePod& Namespace(std::string_view value);
  MakePod& Label(std::string_view key, std::string_view value);
  MakePod& Annotation(std::string_view key, std::string_view value);
  /// Requests of the first container.
  MakePod& Requests(std::initializer_list<std::pair<std::string_view, std::string_view>> amounts);
  MakePod& AddContainer(
      std::initializer_list<std::pair<std::string_view, std::string_view>> amounts);
  MakePod& AddInitContainer(
      std::initializer_list<std::pair<std::string_view, std::string_view>> amounts,
      bool restart_always = false);
  MakePod& Overhead(std::initializer_list<std::pair<std::string_view, std::string_view>> amounts);
  MakePod& PodLevelRequests(
      std::initializer_list<std::pair<std::string_view, std::string_view>> amounts);
  /// The first container takes a port of the node.
  MakePod& AddHostPort(int32_t port, std::string_view protocol = "TCP", std::string_view ip = "");
  /// Required terms over the pods that have a label, and a hard spread of them.
  MakePod& RequireNear(std::string_view topology_key, std::string_view label,
                       std::string_view value);
  MakePod& RequireApart(std::string_view topology_key, std::string_view label,
                        std::string_view value);
  MakePod& Spread(int32_t max_skew, std::string_view topology_key, std::string_view label,
                  std::string_view value);
  /// The pod is on that node, in the phase Running.
  MakePod& On(std::string_view node);
  MakePod& Phase(std::string_view phase);
  MakePod& State(ContainerState state);
  operator Pod() const { return pod_; }  // NOLINT(google-explicit-constructor)

 private:
  Pod pod_;
};

/// Remembers every report.
class RecordingDiagnostics final : public Diagnostics {
 public:
  struct Entry {
    std::string node, field, value, accepted;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  void Malformed(std::string_view node, std::string_view field, std::string_view value,
                 std::string_view accepted) override;
  std::vector<Entry> entries;  // not locked: for single-threaded tests
};

/// A request that owns its pod and nodes. Not copyable: the request points into it.
class OwnedRequest {
 public:
  OwnedRequest(Pod pod, std::vector<Node> nodes, bool explaining = true);
  OwnedRequest(const OwnedRequest&) = delete;
  OwnedRequest& operator=(const OwnedRequest&) = delete;

  const Request& operator*() const { return request_; }
  const Request* operator->() const { return &request_; }
  RecordingDiagnostics& diagnostics() { return diagnostics_; }

 private:
  Pod pod_;
  std::vector<Node> nodes_;
  std::vector<NodeRef> refs_;
  RecordingDiagnostics diagnostics_;
  Request request_;
};

}  // namespace outrigger::testing
