#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// Values of a repeatable flag, for every agent ("VALUE") or for one ("AGENT=VALUE"). Not
/// thread-safe.
template <typename T>
class PerAgent {
 public:
  explicit PerAgent(T all) : all_(std::move(all)) {}

  /// Reads `texts` as `parse` does (absl::StatusOr<T> of a std::string). InvalidArgument names the
  /// flag, and the agents if it is for another one.
  template <typename Parse>
  absl::Status Read(const std::string& flag, const std::vector<std::string>& texts,
                    const std::vector<const AgentInfo*>& agents, Parse parse) {
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
        return absl::InvalidArgumentError(fmt::format("{}: \"{}\" is not accepted; expected {}",
                                                      flag, text,
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

  void Set(const std::string& agent, T value) { one_[agent] = std::move(value); }

  /// What counts for an agent: its own value, else the one for all.
  const T& Of(const std::string& agent) const {
    const auto it = one_.find(agent);
    return it == one_.end() ? all_ : it->second;
  }

 private:
  static absl::Status CheckAgent(const std::string& flag, const std::string& agent,
                                 const std::vector<const AgentInfo*>& agents) {
    std::vector<std::string> names;
    for (const AgentInfo* info : agents) {
      if (info->name == agent) return absl::OkStatus();
      names.push_back(info->name);
    }
    return absl::InvalidArgumentError(
        fmt::format("{}: agent \"{}\" is not among those written{} ({})", flag, agent,
                    DidYouMean(agent, names), Listed(names)));
  }

  T all_;
  std::map<std::string, T> one_;
};

}  // namespace outrigger::cli
