#include "desk/desk_settings.h"

#include <unistd.h>

#include <chrono>
#include <vector>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::desk {
namespace {

constexpr std::string_view kSchedulerNames = "default-scheduler";
constexpr std::string_view kSchedulerLease = "kube-system/kube-scheduler";

// This machine's, which the containers of a pod share; empty if it is not known.
std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

std::vector<std::string> Names(const std::string& list) {
  std::vector<std::string> names = SplitList(list);
  std::erase(names, "");
  return names;
}

std::optional<std::string> TextOf(const std::optional<int64_t>& number) {
  if (!number) return std::nullopt;
  return fmt::format("{}", *number);
}

}  // namespace

absl::Status DeskSettings::Take(const std::optional<std::string>& value, std::string_view setting,
                                const std::string& agent, Text* text) {
  if (!value) return absl::OkStatus();
  if (text->value && *text->value != *value) {
    return absl::InvalidArgumentError(
        fmt::format("{}: \"{}\" is not accepted: --{}.{} is \"{}\", and agents of one process plan "
                    "together; set it for one of them, or the same for both",
                    setting, *value, text->agent, setting, *text->value));
  }
  *text = {value, agent};
  return absl::OkStatus();
}

absl::Status DeskSettings::Add(const DeskTerms& terms) {
  struct Row {
    const std::optional<std::string>& value;
    std::string_view setting;
    Text* text;
  };
  const std::optional<std::string> reserve_after = TextOf(terms.reserve_after);
  for (const Row& row : {Row{terms.scheduler_names, "scheduler-names", &scheduler_names_},
                         Row{terms.scheduler_lease, "scheduler-lease", &scheduler_lease_},
                         Row{terms.host_name, "host-name", &host_name_},
                         Row{terms.unchecked, "unchecked", &unchecked_},
                         Row{reserve_after, "reserve-after", &reserve_after_}}) {
    absl::Status taken = Take(row.value, row.setting, terms.agent, row.text);
    if (!taken.ok()) return taken;
  }
  return Check(terms.agent);
}

absl::Status DeskSettings::Check(const std::string& /*agent*/) const {
  if (auto checks = plan::SchedulerChecks::Parse(unchecked_.value.value_or("")); !checks.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("setting unchecked: {}", std::string(checks.status().message())));
  }
  if (auto lease = ReadLeaseName(scheduler_lease_.value.value_or(std::string(kSchedulerLease)));
      !lease.ok()) {
    return lease.status();
  }
  if (scheduler_names_.value && Names(*scheduler_names_.value).empty()) {
    return absl::InvalidArgumentError(
        "scheduler-names: \"\" is not accepted: the names of the scheduler's profiles, "
        "separated by commas");
  }
  return absl::OkStatus();
}

void DeskSettings::Apply(PlanningOptions* options) const {
  options->groups.scheduler_names =
      Names(scheduler_names_.value.value_or(std::string(kSchedulerNames)));
  options->groups.plan_queued = false;  // what releases them plans them
  if (auto checks = plan::SchedulerChecks::Parse(unchecked_.value.value_or("")); checks.ok()) {
    options->checks = *std::move(checks);
  }
  const int64_t reserve_after = std::stoll(reserve_after_.value.value_or("0"));
  options->reserve_after.reset();
  if (reserve_after > 0) options->reserve_after = std::chrono::seconds(reserve_after);
}

Leadership::Options DeskSettings::Lease() const {
  auto lease = ReadLeaseName(scheduler_lease_.value.value_or(std::string(kSchedulerLease)));
  lease->host_name = host_name_.value.value_or("").empty() ? HostName() : *host_name_.value;
  return *lease;
}

}  // namespace outrigger::desk
