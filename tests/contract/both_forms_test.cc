// Calls with whole nodes and calls with names only get the same answers: the same cluster, in both
// forms, through the engine.

#include <algorithm>
#include <memory>
#include <utility>

#include "acting.h"
#include "builders.h"
#include "cluster/cluster.h"
#include "codec/json/node_list.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "outrigger/agent/registry.h"
#include "questions.h"
#include "serve/engine/engine.h"
#include "serve/engine/snapshot_nodes.h"

namespace outrigger::contract {
namespace {

using Json = nlohmann::json;
using ::testing::IsEmpty;
using ::testing::Not;

class NoObserver final : public engine::Observer {
 public:
  void OnCall(const engine::CallRecord& /*call*/) override {}
  void OnRejected(std::string_view /*agent*/, std::string_view /*reason*/,
                  size_t /*count*/) override {}
  void OnMalformed(std::string_view /*agent*/, std::string_view /*field*/) override {}
  void OnUnknownNodes(std::string_view /*agent*/, size_t /*count*/) override {}
};

Json MapJson(const StringMap& map) {
  Json object = Json::object();
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

Json AmountsJson(const ResourceList& amounts) {
  Json object = Json::object();
  for (const auto& entry : amounts) object[entry.name] = entry.quantity.ToString();
  return object;
}

Json NodeJson(const Node& node) {
  return {{"metadata",
           {{"name", node.name},
            {"labels", MapJson(node.labels)},
            {"annotations", MapJson(node.annotations)}}},
          {"status", {{"allocatable", AmountsJson(node.allocatable)}}}};
}

Json PodJson(const Pod& pod) {
  Json containers = Json::array();
  for (const Container& container : pod.containers) {
    containers.push_back(
        {{"name", container.name}, {"resources", {{"requests", AmountsJson(container.requests)}}}});
  }
  return {{"metadata", {{"name", pod.name}, {"namespace", "default"}, {"uid", "u-" + pod.name}}},
          {"spec", {{"containers", containers}}}};
}

bool IsUtf8(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace).find("\xEF\xBF\xBD") ==
         std::string::npos;
}

constexpr size_t kMostNodes = 400 / CONTRACT_STRIDE;

bool IsUtf8(const StringMap& map) {
  return std::all_of(map.begin(), map.end(),
                     [](const auto& entry) { return IsUtf8(entry.second); });
}

// Names that JSON can carry, each once: the others cannot come by either form.
std::vector<Node> Nodes(const std::vector<std::string>& keys) {
  std::vector<Node> nodes = OrdinaryNodes(keys);
  std::vector<Node> hostile = HostileNodes(keys);
  size_t number = 0;
  for (size_t i = 0; i < hostile.size() && number < kMostNodes; i += CONTRACT_STRIDE) {
    Node& node = hostile[i];
    if (!IsUtf8(node.annotations) || !IsUtf8(node.labels)) continue;
    node.name = fmt::format("hostile-{}", ++number);
    nodes.push_back(std::move(node));
  }
  std::erase_if(nodes, [](const Node& node) { return !node.known; });
  return nodes;
}

Json Ask(const engine::Engine& engine, size_t endpoint, const Json& question) {
  std::string body = question.dump();
  const size_t size = body.size();
  body.append(json::kPadding, ' ');
  engine::Reply reply;
  engine.Call(endpoint, {body.data(), size}, {}, &reply);
  for (auto echo = reply.echoes.rbegin(); echo != reply.echoes.rend(); ++echo) {
    reply.body.insert(echo->at, echo->bytes);
  }
  EXPECT_EQ(reply.http_status, 200) << reply.body;
  return Json::parse(reply.body);
}

// The answer without what the two forms may differ in: how survivors are told.
Json Decided(Json answer) {
  if (!answer.is_object()) return answer;
  Json names = Json::array();
  if (answer["NodeNames"].is_array()) {
    names = answer["NodeNames"];
  } else {
    for (const Json& node : answer["Nodes"]["items"]) names.push_back(node["metadata"]["name"]);
  }
  answer["Nodes"] = names;
  answer.erase("NodeNames");
  return answer;
}

class BothForms : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const AgentInfo& info : Registry()) {
      if (info.name == GetParam()) info_ = &info;
    }
    const SettingsValues settings = info_->factory.settings.Defaults();
    auto agent = info_->factory.make({.name = info_->name}, settings);
    ASSERT_TRUE(agent.ok());
    nodes_ = Nodes(KeysOf(*info_, **agent));
    auto made = engine::Engine::Create({{.info = info_, .settings = settings}}, &observer_,
                                       &source_, {.cluster = &acted_on_});
    ASSERT_TRUE(made.ok());
    engine_ = *std::move(made);
    PutInCharge(&acted_on_);
    ASSERT_TRUE(engine_->Start().ok());
    Follow();
    AwaitAnswers();
  }
  void TearDown() override {
    if (engine_ != nullptr) engine_->Stop();
  }

  // An agent that acts answers with errors until it knows what it has to.
  void AwaitAnswers() {
    const Json question = {{"Pod", PodJson(testing::MakePod("probe"))},
                           {"Nodes", nullptr},
                           {"NodeNames", {nodes_[0].name}}};
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (size_t i = 0; i < engine_->endpoints().size(); ++i) {
      if (engine_->endpoints()[i].verb != engine::Verb::kFilter) continue;
      while (!Ask(*engine_, i, question)["Error"].get<std::string>().empty()) {
        ASSERT_LT(std::chrono::steady_clock::now(), until) << "it never answers";
      }
    }
  }

  // What a reflector would store: the same JSON, read as far as the agents need it.
  void Follow() {
    Json items = Json::array();
    for (const Node& node : nodes_) items.push_back(NodeJson(node));
    std::string list = Json{{"kind", "NodeList"}, {"items", std::move(items)}}.dump();
    const size_t size = list.size();
    list.append(json::kPadding, ' ');
    std::vector<Node> read;
    std::vector<json::MalformedValue> malformed;
    ASSERT_TRUE(
        json::DecodeNodeList({list.data(), size}, engine_->needs(), &read, &malformed).ok());
    for (Node& node : read) cluster_.UpsertNode(std::move(node));
  }

  const AgentInfo* info_ = nullptr;
  NoObserver observer_;
  testing::FakeCluster acted_on_;
  cluster::Cluster cluster_{{}};
  engine::SnapshotNodes source_{&cluster_, [] { return absl::OkStatus(); }};
  std::vector<Node> nodes_;
  std::unique_ptr<engine::Engine> engine_;
};

TEST_P(BothForms, GetTheSameAnswers) {
  Json whole = Json::array();
  Json names = Json::array();
  for (const Node& node : nodes_) {
    whole.push_back(NodeJson(node));
    names.push_back(node.name);
  }
  ASSERT_THAT(names, Not(IsEmpty()));
  for (size_t i = 0; i < engine_->endpoints().size(); ++i) {
    const engine::Verb verb = engine_->endpoints()[i].verb;
    if (verb != engine::Verb::kFilter && verb != engine::Verb::kPrioritize) continue;
    for (const Pod& pod : Pods()) {
      const Json full =
          Ask(*engine_, i,
              {{"Pod", PodJson(pod)}, {"Nodes", {{"items", whole}}}, {"NodeNames", nullptr}});
      const Json by_name =
          Ask(*engine_, i, {{"Pod", PodJson(pod)}, {"Nodes", nullptr}, {"NodeNames", names}});
      EXPECT_EQ(Decided(full), Decided(by_name)) << engine_->endpoints()[i].path << " " << pod.name;
    }
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const AgentInfo& info : Registry()) names.push_back(info.name);
  return names;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, BothForms, ::testing::ValuesIn(Names()), TestName);
// A program without agents is a valid program.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BothForms);

}  // namespace
}  // namespace outrigger::contract
