#include "nlohmann/json.hpp"
#include "cli/explain/text.h"
#include "console/format/yaml.h"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Verdict::Kind;

Json VerdictJson(std::optional<Kind> kind) {
  if (!kind) return nullptr;
  switch (*kind) {
    case Kind::kFits:
      return "fits";
    case Kind::kRejected:
      return "rejected";
    case Kind::kUnresolvable:
      return "unresolvable";
    case Kind::kLeftOut:
      return "left out";
  }
  return nullptr;
}

// Adds the score's fields to `json`: the same ones, whether there is a score or not.
void AddScore(const std::optional<engine::ExplainedScore>& score, Json* json) {
  (*json)["score"] = score ? Json(score->points) : Json(nullptr);
  (*json)["value"] = score ? Json(score->value) : Json(nullptr);
  if (score && !score->why.empty()) (*json)["why"] = score->why;
}

Json AnswerJson(const engine::ExplainedAgent& agent, const engine::ExplainedAnswer& answer) {
  Json json = {{"agent", agent.name}, {"verdict", VerdictJson(answer.verdict)}};
  if (!answer.reason.empty()) json["reason"] = answer.reason;
  AddScore(answer.score, &json);
  for (size_t i = 0; i < answer.scorers.size(); ++i) {
    Json scorer = {{"name", agent.scorers[i]}};
    AddScore(answer.scorers[i], &scorer);
    json["scorers"].push_back(std::move(scorer));
  }
  return json;
}

Json NodeJson(const engine::Explanation& explanation, const engine::ExplainedNode& node) {
  Json json = {{"name", node.name},
               {"fits", node.verdict == Kind::kFits && !explanation.filter_failed},
               {"verdict", VerdictJson(node.verdict)}};
  if (!node.reason.empty()) json["reason"] = node.reason;
  json["score"] = node.points ? Json(*node.points) : Json(nullptr);
  json["value"] = node.points ? Json(node.value) : Json(nullptr);
  json["agents"] = Json::array();
  for (size_t i = 0; i < node.answers.size(); ++i) {
    json["agents"].push_back(AnswerJson(explanation.agents[i], node.answers[i]));
  }
  return json;
}

Json AgentJson(const engine::ExplainedAgent& agent) {
  Json json = {{"name", agent.name},
               {"weight", agent.weight},
               {"filters", agent.filters},
               {"scores", agent.scores}};
  if (!agent.faults.empty()) json["faults"] = Json::array();
  for (const engine::ExplainedFault& fault : agent.faults) {
    json["faults"].push_back({{"path", fault.path}, {"error", fault.text}});
  }
  return json;
}

Json PodJson(const Pod& pod) {
  Json json = {{"namespace", pod.namespace_}, {"name", pod.name}};
  if (!pod.node_name.empty()) json["node"] = pod.node_name;
  json["requests"] = Json::object();
  for (const auto& [name, quantity] : PodRequests(pod)) {
    json["requests"][name] = quantity.ToString();
  }
  return json;
}

Json AllJson(const ExplainedPod& explained) {
  const engine::Explanation& explanation = explained.explanation;
  Json summary = {{"nodes", explained.nodes}, {"fitting", explanation.fitting}};
  if (!explained.event.empty()) summary["event"] = explained.event;
  summary["reasons"] = Json::array();
  for (const engine::CountedReason& counted : explanation.reasons) {
    summary["reasons"].push_back({{"reason", counted.reason}, {"nodes", counted.nodes}});
  }
  Json json = {{"pod", PodJson(explained.pod)}, {"summary", std::move(summary)}};
  json["agents"] = Json::array();
  for (const engine::ExplainedAgent& agent : explanation.agents) {
    json["agents"].push_back(AgentJson(agent));
  }
  json["nodes"] = Json::array();
  for (const engine::ExplainedNode& node : explanation.nodes) {
    json["nodes"].push_back(NodeJson(explanation, node));
  }
  if (explained.claims != nullptr) json["claims"] = ClaimsJson(*explained.claims);
  if (explained.dra != nullptr) json["resourceClaims"] = DraJson(*explained.dra);
  return json;
}

}  // namespace

std::string ExplainJson(const ExplainedPod& explained) {
  // What an agent says need not be UTF-8.
  return AllJson(explained).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ExplainYaml(const ExplainedPod& explained) {
  const std::string clean = AllJson(explained).dump(-1, ' ', false, Json::error_handler_t::replace);
  return YamlFromJson(Json::parse(clean));
}

}  // namespace outrigger::cli
