#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "console/args/command.h"

// Flags that several commands have, and how all commands print.

namespace outrigger::cli {

/// The rows of a table that --limit may ask for.
inline constexpr size_t kMostRows = 10'000;

/// -o,--output with these forms, of which the first is the default. `help`: in place of their list.
Flag OutputFlag(const std::vector<std::string>& forms, const std::string& help = "");
/// --color: "auto", "always" or "never".
Flag ColorFlag();
/// --config, with the variable that stands for it; `group` is its heading in the help.
Flag ConfigFlag(const std::string& group);
/// The settings of `serve`, those of the server first. `of_server`: of these no more than the
/// flags named here, under the heading of the agents.
std::vector<FlagSettings> ServeSettings(const std::vector<AgentInfo>& registry,
                                        const std::vector<std::string>& of_server = {});
/// --kubeconfig and --context; `what` is "the cluster" or "the live cluster".
std::vector<Flag> KubeconfigFlags(const std::string& what);
/// --limit of rows.
Flag LimitFlag(const std::string& rows);
/// Reads it.
absl::Status ReadLimit(const Given& given, size_t* limit);

/// Returns all flags in one list.
std::vector<Flag> Together(std::vector<std::vector<Flag>> parts);

/// InvalidArgument: `FLAG: "VALUE" is not accepted; expected ACCEPTED`.
absl::Status NotAccepted(std::string_view flag, std::string_view value, std::string_view accepted);

/// Refuses an empty value of a flag that was given.
absl::Status CheckNotEmpty(const Given& given, std::string_view flag, std::string_view accepted);

/// Prints what came of a command (notes on standard error), and returns its exit code.
int Finish(const absl::Status& result, const World& world);
int Finish(const absl::StatusOr<std::string>& result, const World& world);
int Finish(const absl::StatusOr<ExplainText>& result, const World& world);

/// A Command::run that reads flags, does what they say, and finishes with what comes of it.
template <typename Flags, typename Result>
auto RunOf(absl::StatusOr<Flags> (*read)(const Given&), Result (*run)(const Flags&, const World&)) {
  return [read, run](const Given& given, const World& world) {
    const absl::StatusOr<Flags> flags = read(given);
    return flags.ok() ? Finish(run(*flags, world), world) : Finish(flags.status(), world);
  };
}

}  // namespace outrigger::cli
