#include <algorithm>
#include <charconv>

#include "cli/agents/agents.h"
#include "cli/scheduler_config/extender_tls.h"
#include "cli/scheduler_config/per_agent.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "console/format/text.h"
#include "console/settings/units.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Agents = std::vector<const AgentInfo*>;

absl::Status Refuse(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<std::string> ParseUrl(const std::string& text) {
  const size_t scheme = text.starts_with("http://") ? 7 : text.starts_with("https://") ? 8 : 0;
  const bool host = scheme > 0 && text.size() > scheme && text[scheme] != '/';
  const bool clean = text.find_first_of(" \t\r\n\"'?#") == std::string::npos;
  if (!host || !clean) {
    return Refuse("a URL such as http://127.0.0.1:9870 or https://10.0.0.7:9870");
  }
  return text.substr(0, text.find_last_not_of('/') + 1);
}

absl::StatusOr<int64_t> ParseWeight(const std::string& text) {
  int64_t weight = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, weight);
  if (result.ec != std::errc() || result.ptr != end || weight < 1 || weight > 1000) {
    return Refuse("an integer from 1 to 1000");
  }
  return weight;
}

absl::StatusOr<std::chrono::milliseconds> ParseTimeout(const std::string& text) {
  auto timeout = ParseDuration(text);
  // The scheduler takes 0 as "the default of 5s", which is not what 0 says.
  if (!timeout.ok() || timeout->count() == 0) {
    return Refuse("a duration from 1ms to 1h, such as 500ms, 1s or 5m");
  }
  return timeout;
}

// The flags, read: what each agent's entries are made of.
struct Values {
  PerAgent<std::string> urls{""};
  PerAgent<int64_t> weights{1};
  PerAgent<std::chrono::milliseconds> timeouts{std::chrono::seconds(1)};
  std::chrono::milliseconds bind_timeout{0};
  ExtenderTlsFlags tls;
};

absl::StatusOr<Values> ReadValues(const SchedulerConfigFlags& flags, const Agents& agents) {
  Values values;
  absl::Status status = values.urls.Read("--url", flags.urls, agents, ParseUrl);
  const bool for_all =
      std::any_of(flags.weights.begin(), flags.weights.end(),
                  [](const auto& text) { return text.find('=') == std::string::npos; });
  for (const AgentInfo* agent : agents) {
    if (!for_all) values.weights.Set(agent->name, agent->factory.wishes.weight);
  }
  if (status.ok()) status = values.weights.Read("--weight", flags.weights, agents, ParseWeight);
  if (status.ok()) {
    status = values.timeouts.Read("--http-timeout", flags.http_timeouts, agents, ParseTimeout);
  }
  if (!status.ok()) return status;
  const auto bind_timeout = ParseTimeout(flags.bind_timeout);
  if (!bind_timeout.ok()) {
    return Refuse(fmt::format("--bind-timeout: \"{}\" is not accepted; expected {}",
                              flags.bind_timeout, std::string(bind_timeout.status().message())));
  }
  values.bind_timeout = *bind_timeout;
  auto tls = ExtenderTlsFlags::Read(flags, agents);
  if (!tls.ok()) return tls.status();
  values.tls = *std::move(tls);
  return values;
}

bool TakesThem(const AgentInfo* agent) {
  return agent->factory.TakesBindCalls();
}

bool PlansForAll(const AgentInfo* agent) {
  return agent->factory.wishes.last;
}

// Agents whose entries are the same ones: one, or several at their merged paths.
struct Party {
  Agents agents;
  bool plans = false;

  bool Any(bool AgentFactory::*can) const {
    return std::any_of(agents.begin(), agents.end(),
                       [can](const AgentInfo* agent) { return agent->factory.*can; });
  }
  bool TakesBindCalls() const { return std::any_of(agents.begin(), agents.end(), TakesThem); }
  // The one that binds, else the first that plans, else the first.
  const AgentInfo& Binder() const {
    for (const auto& is_it : {+[](const AgentInfo* agent) { return agent->factory.binds; },
                              +[](const AgentInfo* agent) { return agent->factory.wishes.last; }}) {
      const auto found = std::find_if(agents.begin(), agents.end(), is_it);
      if (found != agents.end()) return **found;
    }
    return *agents[0];
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const AgentInfo* agent : agents) names.push_back(agent->name);
    return names;
  }
};

// Those that plan do it together, in one process: two would plan the same places. So do those that
// take bind calls: a scheduler sends each to one extender. Where one does both, they are one party.
std::vector<Party> PartiesOf(const Agents& agents) {
  const bool shared = std::count_if(agents.begin(), agents.end(), TakesThem) > 1;
  const bool joined = shared && std::any_of(agents.begin(), agents.end(), [](const auto* agent) {
                        return TakesThem(agent) && PlansForAll(agent);
                      });
  std::vector<Party> parties;
  Party binders;
  Party planners{{}, true};
  for (const AgentInfo* agent : agents) {
    const bool binds = shared && TakesThem(agent);
    if (PlansForAll(agent) || (binds && joined)) {
      planners.agents.push_back(agent);
    } else if (binds) {
      binders.agents.push_back(agent);
    } else {
      parties.push_back({{agent}});
    }
  }
  for (Party* party : {&binders, &planners}) {
    if (!party->agents.empty()) parties.push_back(std::move(*party));
  }
  return parties;
}

// The value that counts for the whole party.
template <typename T>
absl::StatusOr<T> ValueOf(const Party& party, const PerAgent<T>& values, const char* flag) {
  const T& value = values.Of(party.agents[0]->name);
  for (const AgentInfo* agent : party.agents) {
    if (values.Of(agent->name) == value) continue;
    return Refuse(
        fmt::format("{}: {} are called together, in one process: give one value for all of them",
                    flag, Listed(party.Names())));
  }
  return value;
}

// What a party's entries have in common.
absl::StatusOr<ExtenderEntry> MakeEntry(const Party& party, const Values& values) {
  const auto url = ValueOf(party, values.urls, "--url");
  if (!url.ok()) return url.status();
  const AgentInfo& first = *party.agents[0];
  const bool together = party.agents.size() > 1;
  std::string base = *url;
  if (base.empty()) {
    base = fmt::format("{}://127.0.0.1:{}", values.tls.WantedFor(first.name) ? "https" : "http",
                       together ? kSharedPort : first.port);
  }
  PerAgent<std::optional<ExtenderTls>> each{std::nullopt};
  for (const AgentInfo* agent : party.agents) {
    auto tls = values.tls.For(agent->name, base);
    if (!tls.ok()) return tls.status();
    each.Set(agent->name, *std::move(tls));
  }
  const auto tls = ValueOf(party, each, "--tls-*");
  if (!tls.ok()) return tls.status();
  ExtenderEntry entry;
  entry.agents = party.Names();
  entry.settings_of = party.Binder().name;
  entry.url_prefix = together ? base : base + "/" + first.name;
  entry.tls = *tls;
  entry.last = party.plans;
  return entry;
}

absl::Status AddEntries(const Party& party, const Values& values, const SchedulerConfigFlags& flags,
                        std::vector<ExtenderEntry>* extenders) {
  auto common = MakeEntry(party, values);
  if (!common.ok()) return common.status();
  common->names_only = !flags.full_nodes;
  const auto weight = ValueOf(party, values.weights, "--weight");
  if (!weight.ok()) return weight.status();
  const auto timeout = ValueOf(party, values.timeouts, "--http-timeout");
  if (!timeout.ok()) return timeout.status();
  ExtenderEntry entry = *common;
  entry.weight = *weight;
  entry.http_timeout = *timeout;
  // A scheduler that goes on without it would start gangs in part.
  entry.ignorable = flags.ignorable && !party.plans;
  if (flags.members_only) entry.only_for = party.Binder().factory.wishes.cycle_resource;
  if (party.Any(&AgentFactory::filters)) entry.filter_verb = "filter";
  if (party.Any(&AgentFactory::scores)) entry.prioritize_verb = "prioritize";
  if (party.Any(&AgentFactory::preempts)) entry.preempt_verb = "preempt";
  if (!(entry.filter_verb + entry.prioritize_verb + entry.preempt_verb).empty()) {
    extenders->push_back(entry);
  }
  if (party.TakesBindCalls()) {
    ExtenderEntry binder = *common;
    binder.bind_verb = "bind";
    if (flags.members_only) binder.only_for = party.Binder().factory.wishes.bind_resource;
    binder.http_timeout = values.bind_timeout;
    extenders->push_back(binder);
  }
  return absl::OkStatus();
}

// Several agents served by one process share a port, which is not the one written.
void NoteProcesses(const std::vector<Party>& parties, const Values& values,
                   SchedulerConfigPlan* plan) {
  std::vector<std::string> apart;
  bool tls = false;
  for (const Party& party : parties) {
    if (party.agents.size() > 1) {
      plan->notes.push_back(
          fmt::format("{} {}, so they are one process: outrigger serve --agents {}; the entries "
                      "call its merged paths",
                      Listed(party.Names()),
                      std::all_of(party.agents.begin(), party.agents.end(), PlansForAll)
                          ? "plan together"
                          : "share the bind calls, each of which a scheduler sends to one extender",
                      fmt::join(party.Names(), ",")));
      continue;
    }
    const AgentInfo& agent = *party.agents[0];
    if (!values.urls.Of(agent.name).empty()) continue;
    apart.push_back(agent.name);
    tls |= values.tls.WantedFor(agent.name);
  }
  if (apart.size() < 2) return;
  plan->notes.push_back(
      fmt::format("{} are each expected in a process of their own, on their own port; for one "
                  "process that serves them all: --url {}://127.0.0.1:{}",
                  Listed(apart), tls ? "https" : "http", kSharedPort));
}

void NoteIgnorable(const Agents& agents, const SchedulerConfigFlags& flags,
                   SchedulerConfigPlan* plan) {
  for (const AgentInfo* agent : agents) {
    if (!flags.ignorable || !agent->factory.wishes.last) continue;
    plan->notes.push_back(
        fmt::format("--ignorable is not possible with agent {}: without its answers the scheduler "
                    "places pods against the plan",
                    agent->name));
  }
}

bool IsForGroups(const AgentInfo* agent) {
  return !agent->factory.wishes.cycle_resource.empty();
}

// Whom a scheduler calls about some pods only cannot share a process with others that it is to call
// about all.
absl::Status CheckMembersOnly(const std::vector<Party>& parties) {
  const auto has_one = [](const Party& party) {
    return std::any_of(party.agents.begin(), party.agents.end(), IsForGroups);
  };
  const auto party = std::find_if(parties.begin(), parties.end(), has_one);
  if (party == parties.end()) {
    return Refuse("--members-only: none of these agents can be limited to members of groups");
  }
  for (const AgentInfo* agent : party->agents) {
    if (IsForGroups(agent)) continue;
    return Refuse(
        fmt::format("--members-only: {} are called together, in one process, but agent {} needs "
                    "calls for all pods",
                    Listed(party->Names()), agent->name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SchedulerConfigPlan> PlanSchedulerConfig(const SchedulerConfigFlags& flags,
                                                        const std::vector<AgentInfo>& registry,
                                                        const LeftOutAgents& left_out) {
  const auto agents = ChooseAgents(flags.agents, registry, left_out);
  if (!agents.ok()) return agents.status();
  const auto values = ReadValues(flags, *agents);
  if (!values.ok()) return values.status();
  SchedulerConfigPlan plan;
  plan.scheduler_name = flags.scheduler_name;
  plan.lease_namespace = flags.name_space;
  plan.kubeconfig = flags.kubeconfig;
  plan.compiled_in = MakeSettingGroups(registry);
  plan.left_out = left_out;
  const std::vector<Party> parties = PartiesOf(*agents);
  if (flags.members_only) {
    absl::Status possible = CheckMembersOnly(parties);
    if (!possible.ok()) return possible;
  }
  for (const Party& party : parties) {
    absl::Status status = AddEntries(party, *values, flags, &plan.extenders);
    if (!status.ok()) return status;
  }
  for (const AgentInfo* agent : *agents) {
    plan.wishes.last |= agent->factory.wishes.last;
    plan.wishes.every_node |= agent->factory.wishes.every_node;
    plan.wishes.quick_retries |= agent->factory.wishes.quick_retries;
  }
  NoteProcesses(parties, *values, &plan);
  NoteIgnorable(*agents, flags, &plan);
  if (flags.full_nodes) {
    plan.notes.emplace_back(
        "--full-nodes: whole nodes are sent with each call; with 5000 nodes a filter call takes 1 "
        "s instead of 5 ms; since 1.33 kube-scheduler then scores nodes as if no pods ran on them "
        "(kubernetes#141781)");
  }
  return plan;
}

}  // namespace outrigger::cli
