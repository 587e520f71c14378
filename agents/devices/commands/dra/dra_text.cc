// What is known of ResourceClaims, as a table and as JSON.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "console/format/text.h"
#include "console/format/text_table.h"
#include "devices/commands/dra/dra_placement.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string DeviceName(std::string_view driver, std::string_view pool, std::string_view device) {
  return fmt::format("{}/{}/{}", driver, pool, device);
}

std::string ResultText(const dra::Result& result) {
  std::string text =
      fmt::format("{} {}", result.request, DeviceName(result.driver, result.pool, result.device));
  std::vector<std::string> notes;
  for (const auto& [name, amount] : result.consumed) {
    notes.push_back(fmt::format("{} {}", name, amount.ToString()));
  }
  if (result.admin_access) notes.emplace_back("admin access");
  if (!notes.empty()) text += fmt::format(" ({})", absl::StrJoin(notes, ", "));
  return text;
}

// "claim a: r gpu.example.com/n1/g0, ..."
std::string GetsText(const DraExplained& explained, const DraNode& node) {
  std::vector<std::string> claims;
  for (size_t i = 0; i < node.claims.size(); ++i) {
    std::vector<std::string> results;
    for (const dra::Result& result : node.claims[i].results) results.push_back(ResultText(result));
    claims.push_back(fmt::format("{}: {}", explained.asked.open[i].name,
                                 results.empty() ? "nothing" : absl::StrJoin(results, ", ")));
  }
  return absl::StrJoin(claims, "; ");
}

std::string_view WordOf(dra::Outcome outcome) {
  switch (outcome) {
    case dra::Outcome::kFits:
      return "fit";
    case dra::Outcome::kMisfit:
      return "no";
    case dra::Outcome::kError:
      return "error";
    case dra::Outcome::kUnsure:
      return "not sure";
  }
  return "";
}

std::string_view WordOf(dra::Refusal refusal) {
  static constexpr std::string_view kWords[] = {
      "free",    "pool",   "class selector", "selector", "expression fails",
      "tainted", "in use", "capacity",       "counters"};
  return kWords[static_cast<size_t>(refusal)];
}

Cell StateCell(const DraNode& node) {
  const bool is_good = node.outcome == dra::Outcome::kFits;
  const Style bad = node.outcome == dra::Outcome::kUnsure ? Style::kUnsure : Style::kBad;
  return {std::string(WordOf(node.outcome)), is_good ? Style::kGood : bad};
}

std::string WhyText(const DraExplained& explained, const DraNode& node) {
  if (node.outcome == dra::Outcome::kFits) return GetsText(explained, node);
  return node.reason.help.empty()
             ? node.reason.text
             : fmt::format("{}; would help: {}", node.reason.text, node.reason.help);
}

std::string DeviceWhy(const dra::DeviceView& view) {
  std::string text = view.text;
  if (view.refusal == dra::Refusal::kClassSelector || view.refusal == dra::Refusal::kSelector) {
    text = fmt::format("{}: {}", view.number, view.text);
  }
  if (!view.users.empty()) {
    text += fmt::format("{}by {}", text.empty() ? "" : "; ", absl::StrJoin(view.users, ", "));
  }
  return text;
}

void AddDevices(const dra::AskReport& ask, std::vector<std::vector<Cell>>* rows) {
  for (const dra::DeviceView& view : ask.devices) {
    std::vector<Cell>& row = rows->emplace_back(1);
    const bool is_free = view.refusal == dra::Refusal::kNone;
    row.push_back({std::string(WordOf(view.refusal)), is_free ? Style::kGood : Style::kFaint});
    const std::string at = fmt::format("{} {}", ask.claim, ask.label);
    row.push_back({fmt::format("{} {}{}", at, DeviceName(view.driver, view.pool, view.device),
                               is_free ? "" : fmt::format(": {}", DeviceWhy(view)))});
  }
}

std::string HeadText(const DraExplained& explained) {
  std::vector<std::string> names;
  names.reserve(explained.asked.open.size() + explained.asked.allocated.size());
  for (const dra::Claim& claim : explained.asked.open) names.push_back(claim.name);
  for (const dra::Claim& claim : explained.asked.allocated) names.push_back(claim.name);
  return fmt::format("{} of {} node{} {} devices for {}", explained.fitting, explained.count,
                     explained.count == 1 ? "" : "s", explained.fitting == 1 ? "has" : "have",
                     Printable(Listed(names)));
}

// The lines above the table.
std::string LinesOf(const DraExplained& explained, bool color) {
  std::string text = fmt::format(
      "{:<10} {}\n", "DRA:",
      Styled(HeadText(explained), explained.fitting > 0 ? Style::kGood : Style::kBad, color));
  for (const dra::Claim& claim : explained.asked.allocated) {
    std::vector<std::string> results;
    for (const dra::Result& result : claim.results) results.push_back(ResultText(result));
    text += Printable(fmt::format(
                "{:<10} {} has {}{}", "Allocated:", claim.name, absl::StrJoin(results, ", "),
                claim.users.empty() ? ", and no pod uses it"
                                    : fmt::format(", for {}", Listed(claim.users)))) +
            "\n";
  }
  if (explained.fitting == 0 && explained.nearest < explained.nodes.size()) {
    const DraNode& node = explained.nodes[explained.nearest];
    text += Printable(
                fmt::format("{:<10} {}; would help: {}", "Nearest:", node.name, node.reason.help)) +
            "\n";
  }
  return text;
}

Json ResultsJson(const dra::Allocation& allocation) {
  Json list = Json::array();
  for (const dra::Result& result : allocation.results) {
    Json json = {{"request", result.request},
                 {"driver", result.driver},
                 {"pool", result.pool},
                 {"device", result.device}};
    if (result.admin_access) json["adminAccess"] = true;
    for (const auto& [name, amount] : result.consumed) {
      json["consumedCapacity"][name] = amount.ToString();
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json AskJson(const dra::AskReport& ask) {
  Json json = {{"claim", ask.claim},
               {"request", ask.label},
               {"wanted", ask.wanted},
               {"free", ask.free},
               {"devices", Json::array()}};
  for (const dra::DeviceView& view : ask.devices) {
    Json device = {{"driver", view.driver}, {"pool", view.pool}};
    if (!view.device.empty()) device["device"] = view.device;
    device["state"] = WordOf(view.refusal);
    if (const std::string why = DeviceWhy(view); !why.empty()) device["why"] = why;
    json["devices"].push_back(std::move(device));
  }
  return json;
}

Json NodeJson(const DraExplained& explained, const DraNode& node) {
  Json json = {{"name", node.name},
               {"fits", node.outcome == dra::Outcome::kFits},
               {"answer", WordOf(node.outcome)}};
  for (size_t i = 0; i < node.claims.size(); ++i) {
    json["claims"].push_back(
        {{"name", explained.asked.open[i].name}, {"devices", ResultsJson(node.claims[i])}});
  }
  if (!node.reason.text.empty()) json["reason"] = node.reason.text;
  if (!node.reason.help.empty()) json["wouldHelp"] = node.reason.help;
  json["requests"] = Json::array();
  for (const dra::AskReport& ask : node.reason.asks) json["requests"].push_back(AskJson(ask));
  return json;
}

}  // namespace

std::string DraTable(const DraExplained& explained, const DraForm& form) {
  std::vector<std::vector<Cell>> rows(1);
  for (const char* title : {"NODE", "DEVICES", "WHY"}) rows[0].push_back({title, Style::kStrong});
  for (const DraNode& node : explained.nodes) {
    rows.push_back({{node.name, Style::kStrong}, StateCell(node), {WhyText(explained, node)}});
    if (!form.wide) continue;
    for (const dra::AskReport& ask : node.reason.asks) AddDevices(ask, &rows);
  }
  return fmt::format("{}\n{}", LinesOf(explained, form.color),
                     TextTable(rows, form.color, form.columns));
}

Json DraJson(const DraExplained& explained) {
  Json json = {{"nodes", explained.count}, {"fitting", explained.fitting}};
  for (const dra::Claim& claim : explained.asked.open) json["names"].push_back(claim.name);
  for (const dra::Claim& claim : explained.asked.allocated) {
    json["allocated"].push_back({{"name", claim.name}, {"pods", claim.users}});
  }
  if (explained.fitting == 0 && explained.nearest < explained.nodes.size()) {
    json["nearest"] = explained.nodes[explained.nearest].name;
  }
  json["byNode"] = Json::array();
  for (const DraNode& node : explained.nodes) json["byNode"].push_back(NodeJson(explained, node));
  return json;
}

std::vector<std::string> DraSummaries(const DraExplained& explained) {
  std::vector<std::string> lines;
  for (const DraNode& node : explained.nodes) {
    if (node.outcome == dra::Outcome::kFits) {
      lines.push_back(Printable(
          fmt::format("{}: satisfied all claims: {}", node.name, GetsText(explained, node))));
      continue;
    }
    lines.push_back(Printable(fmt::format(
        "{}: {}: {}", node.name,
        node.outcome == dra::Outcome::kUnsure ? "not sure" : "could not satisfy the claims",
        node.reason.text)));
    if (!node.reason.help.empty()) {
      lines.push_back(Printable(fmt::format("  would help: {}", node.reason.help)));
    }
  }
  return lines;
}

}  // namespace outrigger::cli
