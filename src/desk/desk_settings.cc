#include "desk/desk_settings.h"

#include <unistd.h>

#include <chrono>
#include <vector>

#include "fmt/format.h"
#include "outrigger/agent/lease_claim.h"
#include "outrigger/base/text.h"

namespace outrigger::desk {
namespace {

constexpr std::string_view kSchedulerNames = "default-scheduler";
constexpr std::string_view kSchedulerLease = "kube-system/kube-scheduler";
constexpr std::string_view kOwnLease = "outrigger/outrigger";
constexpr int64_t kLeaseSeconds = 15;  // as client-go's

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

// "none" for a scheduler that elects no leader.
absl::StatusOr<LeaseName> ReadSchedulerLease(const std::string& text) {
  if (text == "none") return LeaseName{};
  return ReadLeaseName("scheduler-lease", text,
                       "NAMESPACE/NAME, or \"none\" for a scheduler without leader election");
}

// What says which scheduler calls, given where none does.
absl::Status NotBesideNone(const DeskTerms& terms, std::string_view setting,
                           const std::optional<std::string>& value) {
  if (!value) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{0}: \"{1}\" is not accepted with without-extender: no scheduler calls agent {2}, and that "
      "of its replicas acts which holds the Lease of --{2}.lease; leave --{2}.{0} out",
      setting, *value, terms.agent));
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
  absl::Status mode = TakeMode(terms);
  if (!mode.ok()) return mode;
  const std::optional<std::string> reserve_after = TextOf(terms.reserve_after);
  const std::optional<std::string> window = TextOf(terms.window);
  const std::optional<std::string> lease_seconds = TextOf(terms.lease_seconds);
  for (const Row& row :
       {Row{terms.scheduler_names, "scheduler-names", &scheduler_names_},
        Row{terms.scheduler_lease, "scheduler-lease", &scheduler_lease_},
        Row{terms.host_name, "host-name", &host_name_},
        Row{terms.unchecked, "unchecked", &unchecked_},
        Row{reserve_after, "reserve-after", &reserve_after_}, Row{window, "window", &window_},
        Row{terms.lease, "lease", &lease_}, Row{lease_seconds, "lease-seconds", &lease_seconds_}}) {
    absl::Status taken = Take(row.value, row.setting, terms.agent, row.text);
    if (!taken.ok()) return taken;
  }
  return Check();
}

absl::Status DeskSettings::TakeMode(const DeskTerms& terms) {
  if (without_extender_ && *without_extender_ != terms.without_extender) {
    return absl::InvalidArgumentError(fmt::format(
        "without-extender: \"{}\" is not accepted: --{}.without-extender is \"{}\", and agents of "
        "one process plan together; set it for both, or for neither",
        terms.without_extender, mode_of_, *without_extender_));
  }
  if (!without_extender_) mode_of_ = terms.agent;
  without_extender_ = terms.without_extender;
  if (!terms.without_extender) return absl::OkStatus();
  if (terms.only_groups) {
    return absl::InvalidArgumentError(
        fmt::format("only-groups: \"true\" is not accepted with without-extender: no scheduler "
                    "calls agent {0}; "
                    "leave --{0}.only-groups out",
                    terms.agent));
  }
  absl::Status status = NotBesideNone(terms, "scheduler-lease", terms.scheduler_lease);
  if (status.ok()) status = NotBesideNone(terms, "host-name", terms.host_name);
  return status;
}

absl::Status DeskSettings::Check() const {
  if (auto checks = plan::SchedulerChecks::Parse(unchecked_.value.value_or("")); !checks.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("setting unchecked: {}", std::string(checks.status().message())));
  }
  if (auto lease =
          ReadSchedulerLease(scheduler_lease_.value.value_or(std::string(kSchedulerLease)));
      !lease.ok()) {
    return lease.status();
  }
  if (auto lease =
          ReadLeaseName("lease", lease_.value.value_or(std::string(kOwnLease)), "NAMESPACE/NAME");
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
  if (auto checks = plan::SchedulerChecks::Parse(unchecked_.value.value_or("")); checks.ok()) {
    options->checks = *std::move(checks);
  }
  const int64_t reserve_after = std::stoll(reserve_after_.value.value_or("0"));
  options->reserve_after.reset();
  if (reserve_after > 0) options->reserve_after = std::chrono::seconds(reserve_after);
  if (window_.value) options->release.window = std::stoul(*window_.value);
}

SchedulerLease::Options DeskSettings::Lease() const {
  const std::string text = scheduler_lease_.value.value_or(std::string(kSchedulerLease));
  SchedulerLease::Options options;
  if (auto lease = ReadSchedulerLease(text); lease.ok()) options.lease = *std::move(lease);
  options.host_name = host_name_.value.value_or("").empty() ? HostName() : *host_name_.value;
  return options;
}

LeaseClaim DeskSettings::OwnLease() const {
  LeaseName lease;
  const std::string text = lease_.value.value_or(std::string(kOwnLease));
  if (auto read = ReadLeaseName("lease", text, ""); read.ok()) lease = *std::move(read);
  const int64_t seconds = lease_seconds_.value ? std::stoll(*lease_seconds_.value) : kLeaseSeconds;
  return LeaseClaimOf(std::move(lease.namespace_), std::move(lease.name), seconds);
}

}  // namespace outrigger::desk
