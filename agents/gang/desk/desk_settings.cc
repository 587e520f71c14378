#include "gang/desk/desk_settings.h"

#include <unistd.h>

#include <chrono>
#include <vector>

#include "fmt/format.h"
#include "gang/desk/settings.h"
#include "outrigger/agent/lease_claim.h"
#include "outrigger/base/text.h"

namespace outrigger::desk {
namespace {

constexpr std::string_view kSchedulerNames = "default-scheduler";
constexpr std::string_view kSchedulerLease = "kube-system/kube-scheduler";
constexpr std::string_view kOwnLease = "kube-system/outrigger-gang";
constexpr int64_t kLeaseSeconds = 15;  // as client-go's
constexpr int64_t kReserveAfter = 120;

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
      "{0}: \"{1}\" is not accepted with mode=alone: no scheduler calls agent {2}, and that "
      "of its replicas acts which holds the Lease of --{2}.lease; leave --{2}.{0} out",
      setting, *value, terms.agent));
}

std::string_view NameOf(Mode mode) {
  return mode == Mode::kAlone ? "alone" : "extender";
}

std::optional<std::string> TextOf(const std::optional<int64_t>& number) {
  if (!number) return std::nullopt;
  return fmt::format("{}", *number);
}

}  // namespace

DeskTerms TermsOf(std::string_view agent, const AgentDeps& deps, const CommonSettings& settings) {
  const auto given = [&deps](std::string_view name, const auto& value) {
    return deps.given.contains(name) ? std::optional(value) : std::nullopt;
  };
  return {
      .agent = std::string(agent),
      .mode = settings.DeskMode(),
      .scheduler_names = given("scheduler-names", settings.scheduler_names),
      .scheduler_lease = given("scheduler-lease", settings.scheduler_lease),
      .host_name = given("host-name", settings.host_name),
      .reserve_after = given("reserve-after", settings.reserve_after),
      .lease = given("lease", settings.lease),
      .unchecked = settings.unchecked.empty() ? std::nullopt : std::optional(settings.unchecked)};
}

Needs NeedsOf(const CommonSettings& settings) {
  Needs needs;
  needs.NodeLabels()
      .NodeTaints()
      .NodeAllocatable()
      .PodMetadata()
      .PodResources()
      .PodScheduling()
      .PodStatus()
      .ClusterPods()
      .ClusterGroups()
      .ClusterClaims();
  // There a claim that is not in the view holds its pods.
  if (settings.DeskMode() == Mode::kAlone) needs.ClusterFreshClaims();
  return needs;
}

std::vector<AccessRule> AccessOf(const CommonSettings& settings) {
  constexpr std::string_view kLeases = "coordination.k8s.io";
  if (settings.DeskMode() == Mode::kExtender) {
    return {{"", "pods", {"patch"}},
            {"", "pods/status", {"patch"}},
            {std::string(kLeases), "leases", {"get"}}};
  }
  const std::string name = settings.lease.substr(settings.lease.find('/') + 1);
  return {{.api_group = "", .resource = "pods", .verbs = {"get", "patch"}},
          {.api_group = "", .resource = "pods/status", .verbs = {"patch"}},
          {.api_group = std::string(kLeases),
           .resource = "leases",
           .verbs = {"get", "update"},
           .names = {name},
           .in_own_namespace = true},
          // RBAC cannot limit it by name.
          {.api_group = std::string(kLeases),
           .resource = "leases",
           .verbs = {"create"},
           .names = {},
           .in_own_namespace = true}};
}

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
  for (const Row& row :
       {Row{terms.scheduler_names, "scheduler-names", &scheduler_names_},
        Row{terms.scheduler_lease, "scheduler-lease", &scheduler_lease_},
        Row{terms.host_name, "host-name", &host_name_},
        Row{reserve_after, "reserve-after", &reserve_after_}, Row{terms.lease, "lease", &lease_},
        Row{terms.unchecked, "unchecked", &unchecked_}}) {
    absl::Status taken = Take(row.value, row.setting, terms.agent, row.text);
    if (!taken.ok()) return taken;
  }
  members_only_ = members_only_ || (terms.members_only && terms.mode == Mode::kExtender);
  return Check();
}

absl::Status DeskSettings::TakeMode(const DeskTerms& terms) {
  if (mode_ && *mode_ != terms.mode) {
    return absl::InvalidArgumentError(
        fmt::format("mode: \"{0}\" is not accepted: --{1}.mode is \"{2}\", and agents of one "
                    "process plan together; set --{3}.mode={2}, or --{1}.mode={0}",
                    NameOf(terms.mode), mode_of_, NameOf(*mode_), terms.agent));
  }
  if (!mode_) mode_of_ = terms.agent;
  mode_ = terms.mode;
  if (terms.mode != Mode::kAlone) return absl::OkStatus();
  absl::Status status = NotBesideNone(terms, "scheduler-lease", terms.scheduler_lease);
  if (status.ok()) status = NotBesideNone(terms, "host-name", terms.host_name);
  return status;
}

std::string DeskSettings::SchedulerNames() const {
  if (scheduler_names_.value) return *scheduler_names_.value;
  return scheduler_.names.value_or(std::string(kSchedulerNames));
}

std::string DeskSettings::LeaseOfScheduler() const {
  if (scheduler_lease_.value) return *scheduler_lease_.value;
  return scheduler_.lease.value_or(std::string(kSchedulerLease));
}

// A file that says nothing says that all is compared.
std::string DeskSettings::Unchecked() const {
  return scheduler_.file.empty() && unchecked_.value ? *unchecked_.value : scheduler_.unchecked;
}

absl::Status DeskSettings::Check() const {
  if (auto checks = plan::SchedulerChecks::Parse(Unchecked()); !checks.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("unchecked: {}", std::string(checks.status().message())));
  }
  if (auto lease = ReadSchedulerLease(LeaseOfScheduler()); !lease.ok()) return lease.status();
  if (auto lease =
          ReadLeaseName("lease", lease_.value.value_or(std::string(kOwnLease)), "NAMESPACE/NAME");
      !lease.ok()) {
    return lease.status();
  }
  if (Names(SchedulerNames()).empty()) {
    return absl::InvalidArgumentError(
        "scheduler-names: \"\" is not accepted: the names of the scheduler's profiles, "
        "separated by commas");
  }
  return absl::OkStatus();
}

void DeskSettings::Apply(PlanningOptions* options) const {
  options->groups.scheduler_names = Names(SchedulerNames());
  if (auto checks = plan::SchedulerChecks::Parse(Unchecked()); checks.ok()) {
    options->checks = *std::move(checks);
  }
  options->checks.AddToProfiles(scheduler_.added_affinity);
  if (members_only_) options->asks_about_all = false;
  if (scheduler_.members_only) options->asks_about_all = !*scheduler_.members_only;
  options->nominations.samples_nodes = scheduler_.samples_nodes.value_or(true);
  options->nominations.spreading = scheduler_.spreading;
  options->groups.most_waiting = mode() == Mode::kAlone ? 0 : scheduler_.waiting_binds.value_or(0);
  const int64_t reserve_after =
      reserve_after_.value ? std::stoll(*reserve_after_.value) : kReserveAfter;
  options->reserve_after.reset();
  if (reserve_after > 0) options->reserve_after = std::chrono::seconds(reserve_after);
}

SchedulerLease::Options DeskSettings::Lease() const {
  SchedulerLease::Options options;
  if (auto lease = ReadSchedulerLease(LeaseOfScheduler()); lease.ok()) {
    options.lease = *std::move(lease);
  }
  options.host_name = host_name_.value.value_or("").empty() ? HostName() : *host_name_.value;
  return options;
}

LeaseClaim DeskSettings::OwnLease() const {
  LeaseName lease;
  const std::string text = lease_.value.value_or(std::string(kOwnLease));
  if (auto read = ReadLeaseName("lease", text, ""); read.ok()) lease = *std::move(read);
  return LeaseClaimOf(std::move(lease.namespace_), std::move(lease.name), kLeaseSeconds);
}

}  // namespace outrigger::desk
