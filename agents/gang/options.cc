#include "options.h"

#include <unistd.h>

#include <chrono>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::gang {

using std::chrono::seconds;

std::vector<std::string> Names(const std::string& list) {
  std::vector<std::string> names = SplitList(list);
  std::erase(names, "");
  return names;
}

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

Patience PatienceOf(const Settings& settings) {
  return {.usual = seconds(settings.timeout), .with_claims = seconds(settings.claim_timeout)};
}

absl::StatusOr<plan::SchedulerChecks> ReadUnchecked(const Settings& settings) {
  auto checks = plan::SchedulerChecks::Parse(settings.unchecked);
  if (checks.ok()) return checks;
  return absl::InvalidArgumentError(
      fmt::format("setting unchecked: {}", std::string(checks.status().message())));
}

LoopOptions LoopOptionsOf(const Settings& settings) {
  LoopOptions options;
  options.groups.scheduler_names = Names(settings.scheduler_names);
  options.groups.leave_upstream = settings.leave_upstream;
  options.groups.plan_queued = false;  // whoever releases them plans them
  options.memory.patience = PatienceOf(settings);
  options.partial_timeout = seconds(settings.partial_timeout);
  options.memory.nomination_grace = seconds(settings.nomination_grace);
  options.memory.nominate_all = settings.nominate == "all";
  if (auto checks = ReadUnchecked(settings); checks.ok()) options.checks = *std::move(checks);
  if (settings.reserve_after > 0) options.reserve_after = seconds(settings.reserve_after);
  return options;
}

}  // namespace outrigger::gang
