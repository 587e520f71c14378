#include <functional>
#include <string>
#include <utility>

#include "cli/look/follow.h"
#include "cli/look/frame.h"
#include "cli/look/look.h"
#include "cli/look/readings.h"
#include "cli/look/top_screen.h"
#include "console/args/flags.h"
#include "console/pages/page_text.h"
#include "console/process/stop_on_signals.h"
#include "console/reading/input.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;
using look::Readings;

struct TopFlags {
  std::string agent;         // URL; empty: the pod that leads is looked for
  look::FollowFlags follow;  // how
  std::string output = "table";
  std::string color = "auto";
};

std::string ReadingsJson(Readings* readings) {
  Json json = {{"url", readings->url},
               {"agent", readings->who.empty() ? Json() : Json(readings->who)},
               {"ready", readings->not_ready.empty()},
               {"notReady", readings->not_ready}};
  Json errors = Json::object();
  for (const Readings::Named& named : readings->Pages()) {
    json[named.name] = nullptr;
    if (!named.page->status.ok()) {
      errors[named.name] = std::string(named.page->status.message());
    } else if (named.page->table) {
      json[named.name] = Json::parse(PageJson(*named.page->table));
    }
  }
  json["errors"] = std::move(errors);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Of what was asked for once: an error, if there is nothing to be shown.
absl::Status StatusOf(Readings* readings) {
  if (!readings->answers.ok()) return readings->answers;
  absl::Status first;
  for (const Readings::Named& named : readings->Pages()) {
    if (named.page->table) return absl::OkStatus();
    if (first.ok() || absl::IsNotFound(first)) first = named.page->status;
  }
  if (!absl::IsNotFound(first)) return first;
  return absl::NotFoundError(fmt::format(
      "{}: none of the pages queue, gangs and nodes is served there; agents gang and qos have "
      "them: give the URL of one of these",
      readings->url));
}

absl::StatusOr<std::string> ShowOnce(const TopFlags& flags, const World& world,
                                     Readings* readings) {
  const absl::Status status = StatusOf(readings);
  if (!status.ok()) return status;
  if (flags.output == "json") return ReadingsJson(readings);
  const look::Drawn drawn =
      Frame(*readings, {.width = world.terminal.is_one ? world.terminal.columns : 0,
                        .color = IsColored(flags.color, world),
                        .now = Clock().wall()});
  std::string text;
  for (const std::string& line : drawn.lines) text += line + "\n";
  return text;
}

bool IsShownOnce(const TopFlags& flags, const World& world) {
  return flags.output == "json" || !world.terminal.is_one;
}

int ShowAgent(const TopFlags& flags, const World& world) {
  Readings readings{.url = flags.agent};
  const Clock clock;
  ReadAgain(clock, {}, &readings);
  if (absl::IsInvalidArgument(readings.answers)) {
    return Finish(absl::InvalidArgumentError(
                      fmt::format("--agent: {}", std::string(readings.answers.message()))),
                  world);
  }
  if (IsShownOnce(flags, world)) return Finish(ShowOnce(flags, world, &readings), world);
  look::ShowTop({.readings = std::move(readings),
                 .read = [&clock](const std::stop_token& stop,
                                  Readings* again) { ReadAgain(clock, stop, again); },
                 .color = IsColored(flags.color, world),
                 .out = &world.out},
                clock);
  return kDone;
}

// Reads on, from whatever pod leads.
void ReadLeader(const Clock& clock, look::Follow* follow, const std::stop_token& stop,
                Readings* readings) {
  const auto change = follow->Check(stop);
  readings->who = follow->pod().Text();
  ReadAgain(clock, stop, readings);
  if (!readings->answers.ok() && !change.ok()) readings->answers = change.status();
}

absl::Status WithoutCluster(const absl::Status& status) {
  return absl::Status(
      status.code(),
      fmt::format("{}; without a cluster, --agent http://127.0.0.1:PORT shows a running agent",
                  std::string(status.message())));
}

absl::Status ShowLeader(const TopFlags& flags, const World& world) {
  const auto follow = look::Follow::Open(flags.follow, world);
  if (!follow.ok()) return WithoutCluster(follow.status());
  const Clock clock;
  Readings readings;
  {
    const StopOnSignals stops;
    absl::Status status = (*follow)->Begin(stops.token());
    if (stops.token().stop_requested()) return absl::OkStatus();
    if (absl::IsUnavailable(status)) return WithoutCluster(status);
    if (!status.ok()) return status;
    readings.url = (*follow)->Url();
    readings.who = (*follow)->pod().Text();
    ReadAgain(clock, stops.token(), &readings);
  }
  if (IsShownOnce(flags, world)) {
    const auto text = ShowOnce(flags, world, &readings);
    if (text.ok()) world.out << *text << std::flush;
    return text.status();
  }
  look::ShowTop({.readings = std::move(readings),
                 .read = [&](const std::stop_token& stop,
                             Readings* again) { ReadLeader(clock, follow->get(), stop, again); },
                 .color = IsColored(flags.color, world),
                 .out = &world.out},
                clock);
  return absl::OkStatus();
}

absl::StatusOr<TopFlags> ReadTopFlags(const Given& given) {
  auto follow = look::ReadFollowFlags(given);
  if (!follow.ok()) return follow.status();
  TopFlags flags{.agent = given.Value("--agent"),
                 .follow = *std::move(follow),
                 .output = given.Value("--output", "table"),
                 .color = given.Value("--color", "auto")};
  const absl::Status status = CheckNotEmpty(given, "--agent", "http://127.0.0.1:PORT");
  if (!status.ok()) return status;
  for (const Flag& flag : look::FollowFlagsOf({})) {
    if (flags.agent.empty() || !given.Has(flag.Key())) continue;
    return absl::InvalidArgumentError(fmt::format(
        "{} is for agents that are looked for in the cluster; --agent says where the agent is: "
        "leave one out",
        flag.Key()));
  }
  return flags;
}

int RunTop(const Given& given, const World& world) {
  const auto flags = ReadTopFlags(given);
  if (!flags.ok()) return Finish(flags.status(), world);
  return flags->agent.empty() ? Finish(ShowLeader(*flags, world), world) : ShowAgent(*flags, world);
}

}  // namespace

Command TopCommand(const std::vector<AgentInfo>& registry) {
  Command command{.name = "top",
                  .summary = "Show queue, nodes and what is missing in the terminal",
                  .opens_connections = true,
                  .run = RunTop};
  command.flags = Together(
      {{{.name = "--agent",
         .value = "URL",
         .help =
             "the running agent at http://127.0.0.1:PORT, its admin port; default: the one that "
             "leads in the cluster, as `ui` finds it"}},
       look::FollowFlagsOf(registry),
       {OutputFlag({"table", "json"}), ColorFlag()}});
  command.notes =
      "On a terminal it is drawn anew every two seconds: q quits, n changes between queue and "
      "nodes, arrows\nand page keys scroll. Otherwise, and with -o json, it is printed once. The "
      "pages queue, gangs and nodes\nare those of agents gang and qos.";
  return command;
}

}  // namespace outrigger::cli
