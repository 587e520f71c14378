#include "penalty/commands/restore.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "console/args/flags.h"
#include "console/process/lease_term.h"
#include "console/reading/live_cluster.h"
#include "fmt/format.h"
#include "outrigger/agent/lease_claim.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"
#include "penalty/commands/live_penalty.h"
#include "penalty/commands/restorer.h"

namespace outrigger::cli {
namespace {

constexpr int64_t kMostWait = 3600;

struct RestoreFlags : JournalPlace {
  std::string class_name;  // empty: all
  std::string lease = "outrigger-penalty";
  std::chrono::seconds wait{60};  // for the Lease, at most
};

// What several threads print.
class Printer {
 public:
  explicit Printer(const World* world) : world_(*world) {}
  void Say(const std::string& line) {
    const MutexLock lock(mutex_);
    world_.out << line << "\n" << std::flush;
  }
  // A line that comes again and again is printed once.
  void Note(const std::string& note) {
    const MutexLock lock(mutex_);
    if (note == last_) return;
    last_ = note;
    world_.err << "note: " << note << "\n" << std::flush;
  }

 private:
  Mutex mutex_;
  const World& world_;
  std::string last_ ABSL_GUARDED_BY(mutex_);
};

// A holder's duration is kept to: a shorter one would take the Lease from an agent that is alive.
LeaseClaim ClaimOf(const RestoreFlags& flags, std::optional<std::chrono::seconds> duration) {
  constexpr std::chrono::seconds kLeast{3};
  constexpr std::chrono::seconds kMost{600};
  const auto lasts = std::clamp(duration.value_or(LeaseClaim{}.lease_duration), kLeast, kMost);
  LeaseClaim claim = LeaseClaimOf(flags.name_space, flags.lease, lasts.count());
  std::random_device random;
  claim.identity = fmt::format("outrigger-penalty-restore_{:08x}{:08x}", random(), random());
  return claim;
}

// What the cluster has refused or what is in it is no wrong command line.
absl::Status AsFailure(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InternalError(status.message());
}

absl::Status RestorePenalty(const RestoreFlags& flags, const World& world) {
  auto client = OpenLiveClient({flags.kubeconfig, flags.context}, world.environment);
  if (!client.ok()) return client.status();
  Printer printer(&world);
  const auto note = [&printer](const std::string& text) { printer.Note(Printable(text)); };
  auto cluster = OpenLiveCluster({flags.kubeconfig, flags.context}, world.environment);
  if (!cluster.ok()) return cluster.status();
  LivePenalty live(*std::move(client), *std::move(cluster), note);
  Restorer restorer(live.Cluster(), {flags.class_name, flags.name_space},
                    {[&printer](const std::string& line) { printer.Say(line); }, note}, {});
  absl::Status known = AsFailure(restorer.Check());
  if (!known.ok()) return known;
  const auto duration = live.LeaseDuration(flags.name_space, flags.lease, {});
  if (!duration.ok()) return duration.status();
  LeaseTask task{
      .claim = ClaimOf(flags, *duration), .wait = flags.wait, .work = {}, .on_other_holder = {}};
  task.work = [&restorer](const std::stop_token& term) { return AsFailure(restorer.Run(term)); };
  task.on_other_holder = [&](const std::string& holder) {
    note(
        fmt::format("{} holds Lease {}/{}; waiting for it", holder, flags.name_space, flags.lease));
  };
  return HoldingLease(live.Cluster().elections, std::move(task), {});
}

absl::Status ReadWait(const Given& given, std::chrono::seconds* wait) {
  const std::string text = given.Value("--wait", std::to_string(wait->count()));
  int64_t count = 0;
  if (!absl::SimpleAtoi(text, &count) || count < 1 || count > kMostWait) {
    return NotAccepted("--wait", text, fmt::format("seconds, 1 to {}", kMostWait));
  }
  *wait = std::chrono::seconds(count);
  return absl::OkStatus();
}

absl::StatusOr<RestoreFlags> ReadRestoreFlags(const Given& given) {
  RestoreFlags flags;
  flags.class_name = given.Value("class");
  if (given.Has("--all") && given.Has("class")) {
    return absl::InvalidArgumentError("give either --all or the name of a class");
  }
  if (!given.Has("--all") && flags.class_name.empty()) {
    return given.Wrong("penalty restore needs the name of a PriorityClass or --all");
  }
  flags.lease = given.Value("--lease", flags.lease);
  absl::Status status = ReadJournalPlace(given, &flags);
  if (status.ok()) status = ReadWait(given, &flags.wait);
  if (status.ok()) status = CheckNotEmpty(given, "--lease", "the name of a Lease");
  if (!status.ok()) return status;
  return flags;
}

Command RestoreCommand() {
  Command command{.name = "penalty restore",
                  .summary = "Restore priority classes to their base values",
                  .opens_connections = true,
                  .run = RunOf(ReadRestoreFlags, RestorePenalty)};
  command.flags = Together(
      {{{.name = "class", .help = "PriorityClass to restore; or use --all"},
        {.name = "--all", .help = "All classes with a penalty; the journal is removed"}},
       JournalFlags(),
       {{.name = "--lease",
         .value = "NAME",
         .help = "Lease of the agent, as in its setting (default outrigger-penalty)"},
        {.name = "--wait",
         .value = "SECONDS",
         .help = fmt::format("how long to wait for the Lease, 1 to {} (default 60)", kMostWait)}}});
  command.notes =
      "Stop the agent first: this command takes its Lease, so that nothing else writes. A class "
      "that the\nagent deleted before it died is created again. The command can be repeated. "
      "Without a journal it\nreads the base value from the class's annotation "
      "outrigger.dev/base-value.";
  return command;
}

}  // namespace

std::vector<Command> PenaltyCommands() {
  return {{.name = "penalty",
           .summary = "Undo changes of agent penalty to priority classes",
           .has_subcommands = true},
          RestoreCommand()};
}

}  // namespace outrigger::cli
