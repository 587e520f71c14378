// `outrigger gang release` against an API server in memory.

#include "gang/commands/gate_release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "kube/api.h"
#include "kube/errors.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Answered = absl::StatusOr<kube::ApiResponse>;

constexpr std::string_view kGate = "outrigger.dev/queue";

absl::Status Refused(int code, const std::string& message) {
  return kube::ErrorOfAnswer(
      code, fmt::format(R"({{"kind":"Status","code":{},"message":"{}"}})", code, message), "");
}

// Pods and policies by path; what else is asked for is not there.
class FakeServer final : public kube::Api {
 public:
  Answered Call(const kube::ApiRequest& request) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(std::string(request.method) + " " + request.path);
    if (request.method == "PATCH") return Patch(request);
    if (request.method == "DELETE") return Delete(request.path);
    if (request.method == "POST") return Review(request);
    if (request.path == "/api/v1/pods") return List(pods_);
    const auto items = lists_.find(request.path);
    if (items != lists_.end()) return List(items->second);
    const auto pod = pods_.find(request.path);
    if (pod == pods_.end()) return Refused(404, "not found");
    return kube::ApiResponse{200, pod->second};
  }
  absl::Status Stream(const kube::ApiRequest& /*request*/, kube::ByteSink /*sink*/) override {
    return absl::UnimplementedError("no streams");
  }

  void Put(const std::string& name, const std::vector<std::string>& gates,
           const std::string& uid = "") {
    nlohmann::json pod = {{"metadata", {{"namespace", "default"}, {"name", name}}},
                          {"spec", {{"schedulingGates", nlohmann::json::array()}}}};
    pod["metadata"]["uid"] = uid.empty() ? "uid of " + name : uid;
    for (const std::string& gate : gates)
      pod["spec"]["schedulingGates"].push_back({{"name", gate}});
    pods_[PathOf(name)] = pod.dump();
  }
  void PutInto(const std::string& list, const std::string& name, const std::string& object) {
    lists_[list][name] = object;
  }
  static std::string PathOf(const std::string& name) {
    return "/api/v1/namespaces/default/pods/" + name;
  }
  std::vector<std::string> GatesOf(const std::string& name) const {
    std::vector<std::string> gates;
    const auto pod = nlohmann::json::parse(pods_.at(PathOf(name)));
    for (const auto& gate : pod["spec"]["schedulingGates"]) gates.push_back(gate["name"]);
    return gates;
  }
  size_t Count(const std::string& method) const {
    size_t count = 0;
    for (const std::string& call : calls_) count += call.starts_with(method) ? 1 : 0;
    return count;
  }

  /// Is asked about each patch of a pod before it is made; not OK: it is not.
  std::function<absl::Status(const std::string& path)> on_patch = nullptr;
  std::vector<std::string> denied;  // rights, "patch pods"
  std::vector<std::string> deleted;
  std::map<std::string, std::string> pods_;

 private:
  static Answered List(const std::map<std::string, std::string>& items) {
    std::string text;
    for (const auto& [name, item] : items) text += (text.empty() ? "" : ",") + item;
    return kube::ApiResponse{
        200, fmt::format(R"({{"kind":"List","metadata":{{"resourceVersion":"7"}},"items":[{}]}})",
                         text)};
  }
  // As a strategic merge patch that deletes from schedulingGates by name.
  Answered Patch(const kube::ApiRequest& request) {
    EXPECT_EQ(request.content_type, "application/strategic-merge-patch+json");
    EXPECT_FALSE(request.rate_limited);
    absl::Status may = on_patch ? on_patch(request.path) : absl::OkStatus();
    if (!may.ok()) return may;
    if (pods_.count(request.path) == 0) return Refused(404, "not found");
    auto pod = nlohmann::json::parse(pods_[request.path]);
    const auto patch = nlohmann::json::parse(request.body);
    if (patch["metadata"]["uid"] != pod["metadata"]["uid"])
      return Refused(422, "field is immutable");
    auto& gates = pod["spec"]["schedulingGates"];
    for (const auto& change : patch["spec"]["schedulingGates"]) {
      EXPECT_EQ(change["$patch"], "delete");
      for (auto gate = gates.begin(); gate != gates.end();) {
        gate = (*gate)["name"] == change["name"] ? gates.erase(gate) : gate + 1;
      }
    }
    pods_[request.path] = pod.dump();
    return kube::ApiResponse{200, pods_[request.path]};
  }
  Answered Delete(const std::string& path) {
    if (path.ends_with("/gone")) return Refused(404, "not found");
    deleted.push_back(path.substr(path.rfind('/') + 1));
    return kube::ApiResponse{200, "{}"};
  }
  Answered Review(const kube::ApiRequest& request) const {
    const auto asked = nlohmann::json::parse(request.body)["spec"]["resourceAttributes"];
    const std::string right =
        asked["verb"].get<std::string>() + " " + asked["resource"].get<std::string>();
    bool allowed = true;
    for (const std::string& one : denied) allowed = allowed && one != right;
    return kube::ApiResponse{201, fmt::format(R"({{"status":{{"allowed":{}}}}})", allowed)};
  }

  std::mutex mutex_;
  std::vector<std::string> calls_;
  std::map<std::string, std::map<std::string, std::string>> lists_;
};

class GateReleaseTest : public ::testing::Test {
 protected:
  absl::StatusOr<GateReleased> Run(milliseconds settle = milliseconds(0)) {
    GateReleaseOptions options{.gate = std::string(kGate)};
    options.settle = settle;
    options.progress = [this](size_t done, size_t all) {
      EXPECT_LE(done, all);
      shown_.emplace_back(done, all);
    };
    Clock clock;
    clock.now = [this] { return now_; };
    clock.sleep = [this](Clock::Duration time, const std::stop_token&) {
      now_ += time;
      ++sleeps_;
      if (on_sleep_) on_sleep_();
      return true;
    };
    return GateRelease(&server_, std::move(options), clock).Run();
  }

  FakeServer server_;
  Clock::TimePoint now_{seconds(1000)};
  size_t sleeps_ = 0;
  std::function<void()> on_sleep_;
  std::vector<std::pair<size_t, size_t>> shown_;
};

TEST_F(GateReleaseTest, TakesTheGateOffAllPodsAndLeavesOthers) {
  for (int i = 0; i < 100; ++i) server_.Put(fmt::format("p{:03}", i), {std::string(kGate)});
  server_.Put("both", {"example.com/a", std::string(kGate), "example.com/b"});
  server_.Put("other", {"example.com/a"});
  server_.Put("none", {});
  const auto released = Run();
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_EQ(released->released, 101U);
  EXPECT_EQ(released->gone, 0U);
  EXPECT_TRUE(released->left.empty());
  EXPECT_THAT(server_.GatesOf("both"), ElementsAre("example.com/a", "example.com/b"));
  EXPECT_THAT(server_.GatesOf("other"), ElementsAre("example.com/a"));
  EXPECT_THAT(server_.GatesOf("p099"), ElementsAre());
  EXPECT_EQ(server_.Count("PATCH"), 101U) << "pods without the gate are not touched";
  EXPECT_EQ(sleeps_, 0U);
  EXPECT_EQ(shown_.size(), 101U);
  EXPECT_EQ(shown_.back(), (std::pair<size_t, size_t>{101, 101}));

  const auto again = Run();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->released, 0U);
  EXPECT_EQ(server_.Count("PATCH"), 101U);
}

TEST_F(GateReleaseTest, GoesOnWherePodsAreGoneOrOthersHaveTheirNames) {
  for (const char* name : {"gone", "new", "stays"}) server_.Put(name, {std::string(kGate)});
  server_.on_patch = [this](const std::string& path) {
    if (path.ends_with("/gone")) server_.pods_.erase(path);
    static bool once = true;
    if (path.ends_with("/new") && std::exchange(once, false)) {
      server_.Put("new", {std::string(kGate)}, "another");
    }
    return absl::OkStatus();
  };
  const auto released = Run();
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_EQ(released->released, 2U) << "stays, and the one that took the name new";
  EXPECT_EQ(released->gone, 2U);
  EXPECT_THAT(server_.GatesOf("new"), ElementsAre());
}

TEST_F(GateReleaseTest, TriesAgainWhatAnotherWriterWasFasterWith) {
  server_.Put("p", {std::string(kGate)});
  int conflicts = 2;
  server_.on_patch = [&](const std::string&) {
    return conflicts-- > 0 ? Refused(409, "the object has been modified") : absl::OkStatus();
  };
  const auto released = Run();
  ASSERT_TRUE(released.ok());
  EXPECT_EQ(released->released, 1U);
  EXPECT_EQ(released->gone, 0U);
  EXPECT_TRUE(released->left.empty());
}

// The API server hears late that the bindings are gone: the guard refuses, and a pod gets the gate.
TEST_F(GateReleaseTest, WaitsUntilThePoliciesAreOff) {
  for (int i = 0; i < 50; ++i) server_.Put(fmt::format("p{}", i), {std::string(kGate)});
  const auto off = now_ + milliseconds(1200);
  server_.on_patch = [&](const std::string&) {
    return now_ < off ? Refused(403, "ValidatingAdmissionPolicy 'outrigger-gate-removal' denied")
                      : absl::OkStatus();
  };
  on_sleep_ = [this] {
    if (sleeps_ == 5) server_.Put("late", {std::string(kGate)});
  };
  const auto released = Run(seconds(3));
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_EQ(released->released, 51U);
  EXPECT_THAT(server_.GatesOf("late"), ElementsAre());
  EXPECT_GE(now_, Clock::TimePoint(seconds(1003)));
  EXPECT_EQ(server_.Count("PATCH"), 51U + 3U) << "one pod is tried while the guard refuses";
}

TEST_F(GateReleaseTest, GivesUpOnPodsThatAreRefused) {
  server_.Put("good", {std::string(kGate)});
  server_.Put("refused", {std::string(kGate)});
  server_.on_patch = [](const std::string& path) {
    return path.ends_with("/refused")
               ? Refused(403, "admission webhook \\\"w\\\" denied the request")
               : absl::OkStatus();
  };
  const auto released = Run();
  ASSERT_TRUE(released.ok());
  EXPECT_EQ(released->released, 1U);
  ASSERT_EQ(released->left.size(), 1U);
  EXPECT_EQ(released->left[0].first, "default/refused");
  EXPECT_THAT(std::string(released->left[0].second.message()), HasSubstr("admission webhook"));
  EXPECT_EQ(server_.Count("PATCH"), 5U) << "with the other, and three times in vain";
}

TEST_F(GateReleaseTest, EndsWhereARightIsMissing) {
  for (int i = 0; i < 1000; ++i) server_.Put(fmt::format("p{}", i), {std::string(kGate)});
  server_.on_patch = [](const std::string&) {
    return Refused(403, "User \\\"u\\\" cannot patch resource \\\"pods\\\" in API group");
  };
  const auto released = Run();
  EXPECT_TRUE(absl::IsPermissionDenied(released.status()));
  EXPECT_THAT(std::string(released.status().message()),
              HasSubstr("cannot patch resource \"pods\""));
  EXPECT_LE(server_.Count("PATCH"), 2 * GateRelease::kAtOnce);
}

TEST_F(GateReleaseTest, EndsWherePodsKeepComing) {
  int made = 0;
  server_.Put("p", {std::string(kGate)});
  server_.on_patch = [&](const std::string&) {
    server_.Put(fmt::format("p{}", ++made), {std::string(kGate)});
    return absl::OkStatus();
  };
  const auto released = Run();
  ASSERT_TRUE(released.ok());
  EXPECT_TRUE(released->keep_coming);
  EXPECT_GE(released->released, GateRelease::kMostRounds);
}

std::string Policy(const std::string& name, const std::string& text, bool is_ours = true) {
  nlohmann::json policy = {{"metadata", {{"name", name}}}, {"spec", {{"expression", text}}}};
  if (is_ours) policy["metadata"]["labels"]["app.kubernetes.io/part-of"] = "outrigger";
  return policy.dump();
}

std::string Binding(const std::string& name, const std::string& policy) {
  return nlohmann::json{{"metadata", {{"name", name}}}, {"spec", {{"policyName", policy}}}}.dump();
}

TEST(GateBindings, AreThoseOfPoliciesThatNameTheGate) {
  FakeServer server;
  const std::string base = "/apis/admissionregistration.k8s.io/";
  const std::string mutating = base + "v1beta1/mutatingadmissionpolic";
  const std::string validating = base + "v1/validatingadmissionpolic";
  const std::string text = R"({name: "outrigger.dev/queue"})";
  server.PutInto(mutating + "ies", "a", Policy("adds", text));
  server.PutInto(mutating + "ies", "b", Policy("resources", R"("outrigger.dev/gang")"));
  server.PutInto(mutating + "ies", "c", Policy("longer", R"("outrigger.dev/queues")"));
  server.PutInto(mutating + "ies", "d", Policy("below", R"("x.outrigger.dev/queue")"));
  server.PutInto(mutating + "ybindings", "a", Binding("z", "adds"));
  server.PutInto(mutating + "ybindings", "b", Binding("y", "adds"));
  server.PutInto(mutating + "ybindings", "c", Binding("x", "resources"));
  server.PutInto(mutating + "ybindings", "d", Binding("w", "longer"));
  server.PutInto(mutating + "ybindings", "e", Binding("v", "below"));
  server.PutInto(validating + "ies", "a", Policy("guards", text, false));
  server.PutInto(validating + "ybindings", "a", Binding("guards", "guards"));

  const auto found = FindGateBindings(server, kGate);
  ASSERT_TRUE(found.ok()) << found.status();
  std::vector<std::string> texts;
  for (const GateBinding& one : *found) {
    texts.push_back(TextOf(one) + " " + one.policy + (one.is_ours ? "" : ", of others"));
  }
  EXPECT_THAT(texts, ElementsAre("MutatingAdmissionPolicyBinding y adds",
                                 "MutatingAdmissionPolicyBinding z adds",
                                 "ValidatingAdmissionPolicyBinding guards guards, of others"));
  EXPECT_TRUE(DeleteGateBinding(server, found->front()).ok());
  EXPECT_THAT(server.deleted, ElementsAre("y"));
  EXPECT_TRUE(DeleteGateBinding(server, {found->front().resource, "gone", "adds", true}).ok());
}

TEST(GateBindings, AreNoneWhereNoPolicyIsServed) {
  FakeServer server;
  const auto found = FindGateBindings(server, kGate);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->empty());
}

TEST(MissingRights, AreNamed) {
  FakeServer server;
  const std::vector<AccessRule> wanted = {
      {.api_group = "", .resource = "pods", .verbs = {"list", "patch"}},
      {.api_group = "g.io", .resource = "bindings", .verbs = {"list", "delete"}}};
  auto missing = MissingRights(server, wanted);
  ASSERT_TRUE(missing.ok());
  EXPECT_THAT(*missing, ElementsAre());
  server.denied = {"patch pods", "delete bindings"};
  missing = MissingRights(server, wanted);
  EXPECT_THAT(*missing, ElementsAre("patch pods", "delete bindings.g.io"));
}

}  // namespace
}  // namespace outrigger::cli
