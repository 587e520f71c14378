#include <algorithm>

#include "console/format/text.h"
#include "console/format/text_table.h"
#include "console/format/yaml.h"
#include "fmt/format.h"
#include "gang/commands/gang_text.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using Rows = std::vector<std::vector<Cell>>;
using Json = nlohmann::ordered_json;

Style StyleOf(GangState state) {
  switch (state) {
    case GangState::kWhole:
    case GangState::kFits:
      return Style::kGood;
    case GangState::kWaits:
      return Style::kBad;
    case GangState::kPart:
      return Style::kUnsure;
    case GangState::kOneByOne:
    case GangState::kNoMembers:
      return Style::kPlain;
  }
  return Style::kPlain;
}

Style StyleOf(std::string_view state) {
  if (state == "bound" || state == "placed") return Style::kGood;
  return state == "waits" ? Style::kBad : Style::kFaint;
}

// "fits", "waits: cpu".
std::string StateText(const ExplainedGang& gang) {
  std::string text(TextOf(gang.state));
  return gang.cause.empty() ? text : text + ": " + gang.cause;
}

std::string Ordinal(size_t number) {
  const bool teen = number / 10 % 10 == 1;
  const size_t last = teen ? 0 : number % 10;
  return fmt::format("{}{}", number, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

std::string MinimumText(const plan::GroupState& group) {
  return group.minimum == 0 ? "-" : std::to_string(group.minimum);
}

std::string NotCountedText(const plan::GroupState& group) {
  std::string text;
  const auto add = [&text](int64_t number, std::string_view what) {
    if (number != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, what);
  };
  add(group.gated, fmt::format("gated by {}", fmt::join(group.other_gates, ", ")));
  add(group.other_scheduler, "of another scheduler");
  add(group.terminating, "terminating");
  add(group.finished, "finished");
  return text;
}

std::string MembersText(const plan::GroupState& group) {
  std::string text = fmt::format("{} exist, {} bound", group.existing, group.bound);
  if (group.queued != 0) text += fmt::format(", {} queued", group.queued);
  const std::string not_counted = NotCountedText(group);
  return not_counted.empty() ? text : fmt::format("{}; not counted: {}", text, not_counted);
}

std::string QueueText(const ExplainedGang& gang, size_t waiting) {
  if (gang.place == 0) return "not in it";
  std::string text = fmt::format("{} of {} that wait", Ordinal(gang.place), waiting);
  if (gang.place == 1) return text;
  return fmt::format("{}; placed before it: {}", text, gang.placed_before);
}

std::string NotAskingText(std::string_view resources, const std::vector<std::string>& pods) {
  constexpr size_t kMost = 5;
  const size_t shown = std::min(kMost, pods.size());
  return fmt::format(
      "{} {} not request {}, so kube-scheduler places {} as a single pod: {}{}", pods.size(),
      pods.size() == 1 ? "member does" : "members do", resources, pods.size() == 1 ? "it" : "each",
      fmt::join(pods.begin(), pods.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < pods.size() ? ", ..." : "");
}

std::string HeadText(const ExplainedGang& gang, size_t waiting, bool color) {
  std::string text;
  const auto line = [&](std::string_view title, const std::string& value,
                        Style style = Style::kPlain) {
    text += fmt::format("{:<10} {}\n", title, Styled(Printable(value), style, color));
  };
  const plan::GroupState& group = gang.group;
  line("Gang:", plan::TextOf(group.key));
  line("Dialect:", std::string(DialectText(group.key.dialect)));
  line("Minimum:", MinimumText(group));
  line("Members:", MembersText(group));
  line("Queue:", QueueText(gang, waiting));
  line("State:", StateText(gang), StyleOf(gang.state));
  if (!gang.text.empty()) line("Why:", gang.text);
  if (!gang.gate.empty()) line("Gate:", gang.gate);
  for (const auto& [resources, pods] : gang.not_asking) {
    line("Not asked:", NotAskingText(resources, pods), Style::kBad);
  }
  if (gang.told) {
    line("Told:", fmt::format("{} ({}, {})", gang.told->note, gang.told->reason, gang.told->time));
  }
  return text;
}

void AddTitles(const std::vector<std::string>& titles, Rows* rows) {
  std::vector<Cell>& row = rows->emplace_back();
  for (const std::string& title : titles) row.push_back({title, Style::kStrong});
}

std::string MemberRows(const ExplainedGang& gang, bool color, size_t columns) {
  const bool roles =
      std::any_of(gang.members.begin(), gang.members.end(),
                  [](const ExplainedMember& member) { return !member.role.empty(); });
  Rows rows;
  AddTitles({"MEMBER", "STATE", "NODE"}, &rows);
  if (roles) rows.back().push_back({"ROLE", Style::kStrong});
  for (const ExplainedMember& member : gang.members) {
    rows.push_back({{member.name, Style::kStrong},
                    {std::string(member.state), StyleOf(member.state)},
                    {member.node.empty() ? "-" : member.node}});
    if (roles) rows.back().push_back({member.role.empty() ? "-" : member.role});
  }
  return TextTable(rows, color, columns);
}

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

std::string GangTable(const ExplainedGangs& explained, bool color, size_t columns) {
  std::string text;
  for (const ExplainedGang& gang : explained.gangs) {
    if (!text.empty()) text += "\n";
    text += HeadText(gang, explained.waiting, color);
    if (!gang.members.empty()) text += "\n" + MemberRows(gang, color, columns);
  }
  return text;
}

std::string GangList(const ExplainedGangs& explained, bool color, size_t columns) {
  Rows rows;
  AddTitles({"NAMESPACE", "GANG", "DIALECT", "MINIMUM", "MEMBERS", "BOUND", "STATE"}, &rows);
  for (size_t i = 3; i < 6; ++i) rows.back()[i].to_the_right = true;
  for (const ExplainedGang& gang : explained.gangs) {
    const plan::GroupState& group = gang.group;
    rows.push_back({{group.key.namespace_},
                    {group.key.name, Style::kStrong},
                    {std::string(DialectText(group.key.dialect))},
                    {MinimumText(group), Style::kPlain, true},
                    {std::to_string(group.existing), Style::kPlain, true},
                    {std::to_string(group.bound), Style::kPlain, true},
                    {StateText(gang), StyleOf(gang.state)}});
  }
  return TextTable(rows, color, columns);
}

std::string GangJson(const ExplainedGangs& explained) {
  return AllJson(explained, 2) + "\n";
}

std::string GangYaml(const ExplainedGangs& explained) {
  return YamlFromJson(Json::parse(AllJson(explained, -1)));
}

}  // namespace outrigger::cli
