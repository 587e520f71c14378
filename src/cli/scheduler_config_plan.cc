#include <charconv>
#include <map>

#include "cli/agents.h"
#include "cli/names.h"
#include "cli/scheduler_config.h"
#include "cli/units.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Agents = std::vector<const AgentInfo*>;

absl::Status Refuse(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<std::string> ParseUrl(const std::string& text) {
  const bool http = text.starts_with("http://") && text.size() > 7;
  const bool clean = text.find_first_of(" \t\r\n\"'?#") == std::string::npos;
  if (!http || !clean) {
    return Refuse("a URL such as http://127.0.0.1:9870 (https wants TLS, which `serve` lacks)");
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

// Values of a flag that is given for all agents ("VALUE") or for one ("AGENT=VALUE").
template <typename T>
class PerAgent {
 public:
  explicit PerAgent(T all) : all_(std::move(all)) {}

  template <typename Parse>
  absl::Status Read(const std::string& flag, const std::vector<std::string>& texts,
                    const Agents& agents, Parse parse) {
    for (const std::string& text : texts) {
      std::string agent;
      std::string value = text;
      // "http://host/x=y" has an '=' of its own.
      const size_t equals = text.find('=');
      if (equals != std::string::npos && text.find_first_of(":/") > equals) {
        agent = text.substr(0, equals);
        value = text.substr(equals + 1);
        absl::Status known = CheckAgent(flag, agent, agents);
        if (!known.ok()) return known;
      }
      const auto parsed = parse(value);
      if (!parsed.ok()) {
        return Refuse(fmt::format("{}: \"{}\" is not accepted: {}", flag, text,
                                  std::string(parsed.status().message())));
      }
      if (agent.empty()) {
        all_ = *parsed;
      } else {
        one_[agent] = *parsed;
      }
    }
    return absl::OkStatus();
  }

  const T& Of(const std::string& agent) const {
    const auto it = one_.find(agent);
    return it == one_.end() ? all_ : it->second;
  }

 private:
  static absl::Status CheckAgent(const std::string& flag, const std::string& agent,
                                 const Agents& agents) {
    std::vector<std::string> names;
    for (const AgentInfo* info : agents) {
      if (info->name == agent) return absl::OkStatus();
      names.push_back(info->name);
    }
    return Refuse(fmt::format("{}: agent \"{}\" is not among those written{} ({})", flag, agent,
                              DidYouMean(agent, names), Listed(names)));
  }

  T all_;
  std::map<std::string, T> one_;
};

ExtenderEntry MakeEntry(const AgentInfo& agent, const std::string& url) {
  ExtenderEntry entry;
  entry.agent = agent.name;
  const std::string base = url.empty() ? fmt::format("http://127.0.0.1:{}", agent.port) : url;
  entry.url_prefix = base + "/" + agent.name;
  return entry;
}

}  // namespace

absl::StatusOr<SchedulerConfigPlan> PlanSchedulerConfig(const SchedulerConfigFlags& flags,
                                                        const std::vector<AgentInfo>& registry,
                                                        const LeftOutAgents& left_out) {
  const auto agents = ChooseAgents(flags.agents, registry, left_out);
  if (!agents.ok()) return agents.status();
  if (!flags.full_nodes) {
    return Refuse(
        "calls with names only (nodeCacheCapable: true) need a watch of the cluster, which this "
        "version does not have; say --full-nodes to have whole nodes sent with each call");
  }
  PerAgent<std::string> urls("");
  PerAgent<int64_t> weights(1);
  PerAgent<std::chrono::milliseconds> timeouts(std::chrono::seconds(1));
  absl::Status status = urls.Read("--url", flags.urls, *agents, ParseUrl);
  if (status.ok()) status = weights.Read("--weight", flags.weights, *agents, ParseWeight);
  if (status.ok()) {
    status = timeouts.Read("--http-timeout", flags.http_timeouts, *agents, ParseTimeout);
  }
  if (!status.ok()) return status;
  const auto bind_timeout = ParseTimeout(flags.bind_timeout);
  if (!bind_timeout.ok()) {
    return Refuse(fmt::format("--bind-timeout: \"{}\" is not accepted: {}", flags.bind_timeout,
                              std::string(bind_timeout.status().message())));
  }
  SchedulerConfigPlan plan;
  plan.scheduler_name = flags.scheduler_name;
  plan.kubeconfig = flags.kubeconfig;
  for (const AgentInfo* agent : *agents) {
    ExtenderEntry entry = MakeEntry(*agent, urls.Of(agent->name));
    entry.weight = weights.Of(agent->name);
    entry.http_timeout = timeouts.Of(agent->name);
    entry.ignorable = flags.ignorable;
    if (agent->factory.filters) entry.filter_verb = "filter";
    if (agent->factory.scores) entry.prioritize_verb = "prioritize";
    if (agent->factory.preempts) entry.preempt_verb = "preempt";
    const bool asks = agent->factory.filters || agent->factory.scores || agent->factory.preempts;
    if (asks) plan.extenders.push_back(entry);
    if (!agent->factory.binds) continue;
    ExtenderEntry binder = MakeEntry(*agent, urls.Of(agent->name));
    binder.bind_verb = "bind";
    binder.http_timeout = *bind_timeout;
    plan.extenders.push_back(binder);
  }
  return plan;
}

}  // namespace outrigger::cli
