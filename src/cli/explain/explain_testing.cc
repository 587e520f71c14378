#include "console/explain_testing.h"

#include <sstream>

#include "cli/run.h"

namespace outrigger::cli {
namespace {

struct SafeSettings {
  double max_risk = 0.3;
  static constexpr auto kFields = std::tuple{Setting{
      "max-risk", &SafeSettings::max_risk, Range{0, 1}, "risk above which a node is refused"}
                                                 .LegacyEnv("SAFERISK")};
};

/// Takes annotation `risk` for the risk; `risk: gone` is unresolvable.
class Safe final : public Agent, public Filterer, public Scorer {
 public:
  explicit Safe(const SafeSettings& settings) : settings_(settings) {}
  Needs Reads() const override { return Needs().NodeAnnotations({"risk"}); }
  std::vector<NamedScorer> NamedScorers() const override { return {{"worst", &worst_}}; }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const Node& node = request.nodes[i];
      if (node.annotations.Get("risk") == "gone") {
        verdicts[i] = Verdict::Unresolvable("gone", "nobody knows");
      } else if (const double risk = Risk(request, node); risk > settings_.max_risk) {
        verdicts[i] =
            Verdict::Rejected("risk", "risk {:.2f} > {:.2f}, 100 % sure", risk, settings_.max_risk);
      }
    }
    return absl::OkStatus();
  }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const double risk = Risk(request, request.nodes[i]);
      scores[i] = {1 - risk, request.Why("risk {:.2f}", risk)};
    }
    return absl::OkStatus();
  }

 private:
  class Worst final : public Scorer {
    absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
      for (NodeScore& score : scores) score = {0, request.Why("always")};
      return absl::OkStatus();
    }
  };
  static double Risk(const Request& request, const Node& node) {
    if (node.annotations.Get("risk") == "gone") return 0;
    return request.AnnotationDouble(node, "risk").value_or(0);
  }
  const SafeSettings settings_;
  const Worst worst_;
};

/// Scores by the length of the node's name; cannot answer about a node labelled `storm`.
class Wind final : public Agent, public Scorer, public Filterer {
 public:
  explicit Wind(const NoSettings& /*settings*/) {}
  Needs Reads() const override { return Needs().NodeLabels(); }
  absl::Status Filter(const Request& request, std::span<Verdict> /*v*/) const override {
    for (const Node& node : request.nodes) {
      if (!node.labels.Get("storm").empty()) return absl::UnavailableError("the mast is down");
    }
    return absl::OkStatus();
  }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      scores[i].value = static_cast<double>(request.nodes[i].name.size()) / 10;
    }
    return absl::OkStatus();
  }
};

const std::vector<AgentInfo>& Agents() {
  static const std::vector<AgentInfo> agents = {
      {"safe", "Refuses risk", 1, internal::MakeAgentFactory<Safe, SafeSettings>()},
      {"wind", "Likes long names", 2, internal::MakeAgentFactory<Wind, NoSettings>()}};
  return agents;
}

}  // namespace

testing::Ran RunIt(const std::vector<std::string>& arguments, const Around& around) {
  std::istringstream in(around.input);
  std::ostringstream out;
  std::ostringstream err;
  const World world{Agents(), {},  around.environment, in,
                    out,      err, around.terminal,    around.program};
  testing::Ran ran;
  ran.code = Run(arguments, world);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

const char* const kDump = R"(apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    annotations:
      mean-free-cpu: "6000"
      risk: "0.1"
    name: calm
  status:
    allocatable: {cpu: "8", memory: 32560Mi, pods: "110"}
- apiVersion: v1
  kind: Node
  metadata:
    annotations: {risk: "0.85"}
    name: rough
  status:
    allocatable: {cpu: "8", memory: 32560Mi, pods: "110"}
- apiVersion: v1
  kind: Node
  metadata:
    annotations: {risk: gone}
    name: lost
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-7c9d
    namespace: shop
    uid: 4b2d
  spec:
    containers:
    - name: main
      resources: {requests: {cpu: 500m, memory: 1Gi}}
- apiVersion: v1
  kind: Pod
  metadata: {name: job, namespace: a}
- apiVersion: v1
  kind: Pod
  metadata: {name: job, namespace: b}
  spec: {nodeName: calm}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
kind: List
metadata:
  resourceVersion: ""
)";

const char* const kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: new}\n"
    "spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}\n";

}  // namespace outrigger::cli
