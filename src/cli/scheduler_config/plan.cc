#include <algorithm>
#include <charconv>
#include "cli/agents/agents.h"
#include "cli/format/text.h"
#include "cli/scheduler_config/extender_tls.h"
#include "cli/scheduler_config/per_agent.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "cli/settings/units.h"
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
  if (status.ok()) status = values.weights.Read("--weight", flags.weights, agents, ParseWeight);
  if (status.ok()) {
    status = values.timeouts.Read("--http-timeout", flags.http_timeouts, agents, ParseTimeout);
  }
  if (!status.ok()) return status;
  const auto bind_timeout = ParseTimeout(flags.bind_timeout);
  if (!bind_timeout.ok()) {
    return Refuse(fmt::format("--bind-timeout: \"{}\" is not accepted: {}", flags.bind_timeout,
                              std::string(bind_timeout.status().message())));
  }
  values.bind_timeout = *bind_timeout;
  auto tls = ExtenderTlsFlags::Read(flags, agents);
  if (!tls.ok()) return tls.status();
  values.tls = *std::move(tls);
  return values;
}

// What an agent's entries have in common.
absl::StatusOr<ExtenderEntry> MakeEntry(const AgentInfo& agent, const Values& values) {
  std::string base = values.urls.Of(agent.name);
  if (base.empty()) {
    base = fmt::format("{}://127.0.0.1:{}", values.tls.WantedFor(agent.name) ? "https" : "http",
                       agent.port);
  }
  const auto tls = values.tls.For(agent.name, base);
  if (!tls.ok()) return tls.status();
  ExtenderEntry entry;
  entry.agent = agent.name;
  entry.url_prefix = base + "/" + agent.name;
  entry.tls = *tls;
  return entry;
}

absl::Status AddEntries(const AgentInfo& agent, const Values& values,
                        const SchedulerConfigFlags& flags, std::vector<ExtenderEntry>* extenders) {
  auto common = MakeEntry(agent, values);
  if (!common.ok()) return common.status();
  common->names_only = !flags.full_nodes;
  const AgentFactory& factory = agent.factory;
  common->last = factory.wishes.last;
  if (factory.filters || factory.scores || factory.preempts) {
    ExtenderEntry entry = *common;
    entry.weight = values.weights.Of(agent.name);
    entry.http_timeout = values.timeouts.Of(agent.name);
    // A scheduler that goes on without it would start gangs in part.
    entry.ignorable = flags.ignorable && !factory.wishes.last;
    if (factory.filters) entry.filter_verb = "filter";
    if (factory.scores) entry.prioritize_verb = "prioritize";
    if (factory.preempts) entry.preempt_verb = "preempt";
    extenders->push_back(entry);
  }
  if (factory.binds) {
    ExtenderEntry binder = *common;
    binder.bind_verb = "bind";
    binder.http_timeout = values.bind_timeout;
    extenders->push_back(binder);
  }
  return absl::OkStatus();
}

// Several agents served by one process share a port, which is not the one written.
void NoteProcesses(const Agents& agents, const Values& values, SchedulerConfigPlan* plan) {
  std::vector<std::string> apart;
  bool tls = false;
  for (const AgentInfo* agent : agents) {
    if (!values.urls.Of(agent->name).empty()) continue;
    apart.push_back(agent->name);
    tls |= values.tls.WantedFor(agent->name);
  }
  if (apart.size() < 2) return;
  plan->notes.push_back(
      fmt::format("{} are each expected as a process of its own, at its own port; for one process "
                  "that serves them all: --url {}://127.0.0.1:{}",
                  Listed(apart), tls ? "https" : "http", kSharedPort));
}

void NoteIgnorable(const Agents& agents, const SchedulerConfigFlags& flags,
                   SchedulerConfigPlan* plan) {
  for (const AgentInfo* agent : agents) {
    if (!flags.ignorable || !agent->factory.wishes.last) continue;
    plan->notes.push_back(fmt::format(
        "--ignorable is not for agent {}: a scheduler that goes on without it starts gangs in part",
        agent->name));
  }
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
  plan.kubeconfig = flags.kubeconfig;
  plan.compiled_in = MakeSettingGroups(registry);
  plan.left_out = left_out;
  for (const AgentInfo* agent : *agents) {
    absl::Status status = AddEntries(*agent, *values, flags, &plan.extenders);
    if (!status.ok()) return status;
    plan.wishes.last |= agent->factory.wishes.last;
    plan.wishes.every_node |= agent->factory.wishes.every_node;
    plan.wishes.quick_retries |= agent->factory.wishes.quick_retries;
  }
  NoteProcesses(*agents, *values, &plan);
  NoteIgnorable(*agents, flags, &plan);
  if (flags.full_nodes) {
    plan.notes.emplace_back(
        "--full-nodes: whole nodes are sent with each call, at 5000 nodes a second a filter call "
        "instead of 5 ms; since 1.33 kube-scheduler then scores nodes as if nothing ran on them "
        "(kubernetes#141781)");
  }
  std::stable_sort(
      plan.extenders.begin(), plan.extenders.end(),
      [](const ExtenderEntry& a, const ExtenderEntry& b) { return !a.last && b.last; });
  return plan;
}

}  // namespace outrigger::cli
