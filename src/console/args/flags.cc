#include "console/args/flags.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "absl/strings/numbers.h"
#include "console/format/text.h"
#include "fmt/format.h"

namespace outrigger::cli {

std::string Given::Value(std::string_view flag, std::string_view fallback) const {
  const auto found = values_.find(flag);
  if (found == values_.end() || found->second.empty()) return std::string(fallback);
  return found->second.back();
}

std::vector<std::string> Given::Values(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

absl::Status Given::Wrong(std::string_view what) const {
  return absl::InvalidArgumentError(
      fmt::format("{}; see `{} {} --help`", what, program_, command_));
}

Flag OutputFlag(const std::vector<std::string>& forms, const std::string& help) {
  std::string list = help;
  for (size_t i = 0; help.empty() && i < forms.size(); ++i) {
    if (i > 0) list += i + 1 == forms.size() ? " or " : ", ";
    list += forms[i];
  }
  return {.name = "-o,--output",
          .value = "FORMAT",
          .help = fmt::format("{} (default {})", list, forms.front()),
          .words = forms};
}

Flag ColorFlag() {
  return {.name = "--color",
          .value = "WHEN",
          .help = "auto, always or never (default auto: on a terminal, if NO_COLOR is not set)",
          .words = {"auto", "always", "never"}};
}

Flag ConfigFlag(const std::string& group) {
  return {.name = "--config",
          .value = "FILE",
          .help =
              "settings file in YAML, with server settings and a section per agent; also "
              "OUTRIGGER_CONFIG",
          .is_file = true,
          .group = group};
}

std::vector<FlagSettings> ServeSettings(const std::vector<AgentInfo>& registry,
                                        const std::vector<std::string>& of_server) {
  std::vector<FlagSettings> parts;
  for (SettingGroup& group : MakeSettingGroups(registry)) {
    FlagSettings part{.title = "Settings of " + group.Title(),
                      .settings = std::move(group.settings),
                      .retired = std::move(group.retired)};
    if (group.agent == nullptr) {
      part.title = of_server.empty() ? "Settings of the server" : "Settings of the agents";
      for (const AgentInfo& agent : registry) part.agents.push_back(agent.name);
      if (!of_server.empty()) {
        std::erase_if(part.settings, [&](const BoundSetting& setting) {
          return std::find(of_server.begin(), of_server.end(), setting.flag) == of_server.end();
        });
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Flag> KubeconfigFlags(const std::string& what) {
  return {{.name = "--kubeconfig",
           .value = "FILE",
           .help = fmt::format("kubeconfig of {}", what),
           .is_file = true},
          {.name = "--context",
           .value = "NAME",
           .help = "context of the kubeconfig (default: the current one)"}};
}

Flag LimitFlag(const std::string& rows) {
  return {.name = "--limit",
          .value = "N",
          .help = fmt::format("maximum {0}, 1 to {1} (default {1})", rows, kMostRows)};
}

absl::Status ReadLimit(const Given& given, size_t* limit) {
  const std::string text = given.Value("--limit", std::to_string(*limit));
  if (absl::SimpleAtoi(text, limit) && *limit >= 1 && *limit <= kMostRows) {
    return absl::OkStatus();
  }
  return NotAccepted("--limit", text, fmt::format("1 to {}", kMostRows));
}

std::vector<Flag> Together(std::vector<std::vector<Flag>> parts) {
  std::vector<Flag> all;
  for (std::vector<Flag>& part : parts) {
    for (Flag& flag : part) all.push_back(std::move(flag));
  }
  return all;
}

absl::Status NotAccepted(std::string_view flag, std::string_view value, std::string_view accepted) {
  return absl::InvalidArgumentError(
      fmt::format("{}: \"{}\" is not accepted; expected {}", flag, value, accepted));
}

absl::Status CheckNotEmpty(const Given& given, std::string_view flag, std::string_view accepted) {
  if (!given.Has(flag) || !given.Value(flag).empty()) return absl::OkStatus();
  return NotAccepted(flag, "", accepted);
}

int Finish(const absl::Status& result, const World& world) {
  if (result.ok()) return kDone;
  world.err << world.program << ": " << std::string(result.message()) << "\n";
  return absl::IsInvalidArgument(result) ? kUsage : kFailed;
}

int Finish(const absl::StatusOr<std::string>& result, const World& world) {
  if (!result.ok()) return Finish(result.status(), world);
  world.out << *result << std::flush;
  if (world.out.good()) return kDone;
  return Finish(absl::UnavailableError("cannot write to standard output"), world);
}

int Finish(const absl::StatusOr<ExplainText>& result, const World& world) {
  if (!result.ok()) return Finish(result.status(), world);
  for (const std::string& note : result->notes) world.err << "note: " << note << "\n";
  return Finish(absl::StatusOr<std::string>(result->text), world);
}

}  // namespace outrigger::cli
