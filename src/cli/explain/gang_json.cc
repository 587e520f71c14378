#include "cli/explain/gang_text.h"
#include "cli/format/yaml.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

Json CountsJson(const plan::GroupState& group) {
  return {{"existing", group.existing},
          {"bound", group.bound},
          {"queued", group.queued},
          {"gated", group.gated},
          {"otherScheduler", group.other_scheduler},
          {"terminating", group.terminating},
          {"finished", group.finished}};
}

Json GangJson(const ExplainedGang& gang) {
  const plan::GroupState& group = gang.group;
  Json json = {{"namespace", group.key.namespace_},
               {"name", group.key.name},
               {"dialect", DialectText(group.key.dialect)}};
  if (!group.key.uid.empty()) json["uid"] = group.key.uid;
  json["minimum"] = group.minimum;
  json["members"] = CountsJson(group);
  json["state"] = TextOf(gang.state);
  if (!gang.cause.empty()) json["cause"] = gang.cause;
  if (!gang.text.empty()) json["text"] = gang.text;
  if (gang.place != 0) {
    json["queue"] = {{"place", gang.place}, {"placedBefore", gang.placed_before}};
  }
  if (!gang.gate.empty()) json["gate"] = gang.gate;
  for (const auto& [resources, pods] : gang.not_asking) {
    json["notAsking"].push_back({{"resources", resources}, {"pods", pods}});
  }
  if (gang.told) {
    json["told"] = {
        {"reason", gang.told->reason}, {"note", gang.told->note}, {"time", gang.told->time}};
  }
  json["pods"] = Json::array();
  for (const ExplainedMember& member : gang.members) {
    Json pod = {{"name", member.name}, {"state", member.state}};
    if (!member.node.empty()) pod["node"] = member.node;
    if (!member.role.empty()) pod["role"] = member.role;
    json["pods"].push_back(std::move(pod));
  }
  return json;
}

// Names in objects need not be UTF-8.
std::string AllJson(const ExplainedGangs& explained, int indent) {
  Json json = {{"queueLength", explained.waiting}, {"gangs", Json::array()}};
  for (const ExplainedGang& gang : explained.gangs) json["gangs"].push_back(GangJson(gang));
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string GangJson(const ExplainedGangs& explained) {
  return AllJson(explained, 2) + "\n";
}

std::string GangYaml(const ExplainedGangs& explained) {
  return YamlFromJson(Json::parse(AllJson(explained, -1)));
}

}  // namespace outrigger::cli
