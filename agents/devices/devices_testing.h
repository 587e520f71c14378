#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent_under_test.h"
#include "builders.h"
#include "devices/objects/admin_access.h"
#include "devices/objects/objects.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "outrigger/agent/agent.h"

namespace outrigger::devices {

AgentFactory MakeFactory();

namespace agent {

/// The agent as the program runs it, on a cluster in memory.
class DevicesTest : public ::testing::Test {
 protected:
  using Json = nlohmann::json;
  using Texts = testing::AgentUnderTest::Texts;

  ~DevicesTest() override {
    if (agent_ != nullptr) controller().Stop();
  }

  static Json Object(const CustomKind& kind, std::string_view name, Json spec) {
    Json object = {{"apiVersion", "devmgmtproto.k8s.io/v1alpha1"},
                   {"kind", kind.kind},
                   {"metadata", {{"name", name}}},
                   {"spec", std::move(spec)}};
    if (kind.namespaced) object["metadata"]["namespace"] = "default";
    return object;
  }
  Json Put(const CustomKind& kind, std::string_view name, Json spec) {
    return cluster_.custom().Put(kind, Object(kind, name, std::move(spec)));
  }
  /// A class "monitor" that gets the foozers that others use.
  void PutMonitorClass() {
    Put(kClassKind, "monitor",
        {{"driver", "foozer.example.com"}, {"deviceType", "gpu"}, {"adminAccess", true}});
  }
  /// The namespace of all claims; empty: without the label.
  void LabelNamespace(std::string_view admin_access) {
    Json object = {{"metadata", {{"name", "default"}}}};
    if (!admin_access.empty()) object["metadata"]["labels"][kAdminAccessLabel] = admin_access;
    cluster_.custom().Put(kNamespaceKind, std::move(object));
  }
  /// A class "foozer" and nodes "n1"... of a pool "n1-0" each, with so many foozers.
  void PutNodes(int count, int64_t devices) {
    Put(kClassKind, "foozer", {{"deviceType", "gpu"}, {"driver", "foozer.example.com"}});
    for (int i = 1; i <= count; ++i) {
      const std::string node = fmt::format("n{}", i);
      AddNode(node);
      PutPool(node + "-0", node, devices);
    }
  }
  void AddNode(const std::string& name) {
    nodes_.push_back(testing::MakeNode(name));
    cluster_.Put(nodes_.back());
  }
  void PutPool(const std::string& name, const std::string& node, int64_t devices) {
    Put(kPoolKind, name,
        {{"nodeName", node}, {"driver", "foozer.example.com"}, {"count", devices}});
  }
  /// As by a driver that deletes it and makes it again: without the entries of claims.
  void MakePoolAgain(const std::string& name) {
    const Json spec = Get(kPoolKind, name)["spec"];
    cluster_.custom().Delete(kPoolKind, "", name);
    Put(kPoolKind, name, spec);
  }
  void PutClaim(const std::string& name, int64_t devices, const std::string& of = "foozer") {
    Put(kClaimKind, name, {{"deviceClass", of}, {"minDeviceCount", devices}});
  }
  /// A pod of the cluster with this annotation.
  Pod PutPod(const std::string& name, std::string_view claims) {
    cluster_.Put(Pod(testing::MakePod(name).Annotation(kClaimsAnnotation, claims)));
    return cluster_.Get(name);
  }
  /// The same with one claim.
  Pod PutPodOf(const std::string& name, const std::string& claim) {
    return PutPod(name, fmt::format(R"([{{"name":"a","claimName":"{}"}}])", claim));
  }

  void Start(Texts settings = {}) {
    agent_ = std::make_unique<testing::AgentUnderTest>(MakeFactory(), settings, &cluster_, clock_);
    ASSERT_TRUE(controller().Start().ok());
  }
  Controller& controller() { return dynamic_cast<Controller&>(agent_->agent()); }

  std::vector<Verdict> Filter(const Pod& pod) {
    return agent_->Filter(testing::OwnedRequest(pod, nodes_));
  }
  std::vector<std::string> Fitting(const Pod& pod) {
    const std::vector<Verdict> verdicts = Filter(pod);
    std::vector<std::string> names;
    for (size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i].fits()) names.push_back(nodes_[i].name);
    }
    return names;
  }
  /// The reason of the first node.
  std::string Reason(const Pod& pod) { return Filter(pod).at(0).reason(); }

  Json Get(const CustomKind& kind, const std::string& name) {
    const auto object = cluster_.custom().Get(kind, kind.namespaced ? "default" : "", name);
    return object.value_or(Json());
  }
  Json StatusOf(const CustomKind& kind, const std::string& name) {
    return Get(kind, name).value("status", Json::object());
  }

  template <typename Condition>
  void Await(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "it does not come true";
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  testing::FakeCluster cluster_;
  Clock clock_;
  std::vector<Node> nodes_;
  std::unique_ptr<testing::AgentUnderTest> agent_;
};

}  // namespace agent
}  // namespace outrigger::devices
