#include "gang/commands/commands.h"

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "console/args/flags.h"
#include "console/reading/live_client.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "gang/commands/gate_release.h"
#include "gang/plan/groups.h"
#include "outrigger/agent/access.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

struct GangReleaseFlags {
  std::string kubeconfig;
  std::string context;
  bool dry_run = false;
};

constexpr size_t kMostShown = 10;
// Seen: an API server hears within a second that a binding is gone; there may be several.
constexpr std::chrono::seconds kSettle{3};

std::vector<AccessRule> Rights(bool dry_run) {
  const std::string group = "admissionregistration.k8s.io";
  const std::vector<std::string> pods =
      dry_run ? std::vector<std::string>{"list"} : std::vector<std::string>{"list", "patch"};
  const std::vector<std::string> bindings =
      dry_run ? std::vector<std::string>{"list"} : std::vector<std::string>{"list", "delete"};
  return {{.api_group = "", .resource = "pods", .verbs = pods},
          {.api_group = group, .resource = "mutatingadmissionpolicies", .verbs = {"list"}},
          {.api_group = group, .resource = "mutatingadmissionpolicybindings", .verbs = bindings},
          {.api_group = group, .resource = "validatingadmissionpolicies", .verbs = {"list"}},
          {.api_group = group, .resource = "validatingadmissionpolicybindings", .verbs = bindings}};
}

// Shows on a terminal how far it is, in a line that is written again and again.
class ReleaseProgress {
 public:
  explicit ReleaseProgress(const World* world) : world_(*world) {}
  ~ReleaseProgress() {
    if (is_shown_) world_.err << "\r\033[K" << std::flush;
  }
  ReleaseProgress(const ReleaseProgress&) = delete;
  ReleaseProgress& operator=(const ReleaseProgress&) = delete;

  void Show(size_t done, size_t all) {
    constexpr std::chrono::milliseconds kOften{100};
    const auto now = std::chrono::steady_clock::now();
    if (!world_.err_is_terminal || (is_shown_ && now - last_ < kOften)) return;
    last_ = now;
    is_shown_ = true;
    world_.err << fmt::format("\r\033[K{} of {} pods released", done, all) << std::flush;
  }

 private:
  const World& world_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

// `outrigger gang release`, once.
class Releasing {
 public:
  Releasing(LiveClient client, const GangReleaseFlags* flags, const World* world)
      : client_(std::move(client)), api_(*client_.client), flags_(*flags), world_(*world) {}

  absl::Status Run() {
    absl::Status status = CheckRights();
    bool is_any_deleted = false;
    if (status.ok()) status = DeleteBindings(&is_any_deleted);
    if (!status.ok()) return status;
    return flags_.dry_run ? CountPods() : ReleasePods(is_any_deleted);
  }

 private:
  // What the cluster refuses is no wrong command line.
  absl::Status From(const absl::Status& status) const {
    const auto code = absl::IsInvalidArgument(status) ? absl::StatusCode::kInternal : status.code();
    return {code, Printable(fmt::format("{}: {}", client_.server, std::string(status.message())))};
  }

  absl::Status CheckRights() {
    const auto missing = MissingRights(api_, Rights(flags_.dry_run), Calls());
    if (!missing.ok()) return From(missing.status());
    if (missing->empty()) return absl::OkStatus();
    return From(absl::PermissionDeniedError(
        fmt::format("this account lacks rights; nothing was done: {}", fmt::join(*missing, ", "))));
  }

  absl::Status DeleteBindings(bool* is_any_deleted) {
    const auto bindings = FindGateBindings(api_, plan::kQueueGate, Calls());
    if (!bindings.ok()) return From(bindings.status());
    for (const GateBinding& binding : *bindings) {
      if (!binding.is_ours) {
        Note(fmt::format("{} stays: its policy {} names the gate but is not part of Outrigger",
                         TextOf(binding), binding.policy));
        continue;
      }
      if (!flags_.dry_run) {
        const absl::Status deleted = DeleteGateBinding(api_, binding, Calls());
        if (!deleted.ok()) return From(deleted);
        *is_any_deleted = true;
      }
      Say(fmt::format("{} {}", flags_.dry_run ? "would delete" : "deleted", TextOf(binding)));
    }
    return absl::OkStatus();
  }

  absl::Status CountPods() {
    const auto pods = ListGatedPods(api_, plan::kQueueGate);
    if (!pods.ok()) return From(pods.status());
    Say(pods->empty() ? NoPod() : fmt::format("would release {}", PodsText(pods->size())));
    return absl::OkStatus();
  }

  absl::Status ReleasePods(bool is_any_deleted) {
    absl::StatusOr<GateReleased> released = GateReleased();
    {
      ReleaseProgress shown(&world_);
      GateReleaseOptions options{.gate = std::string(plan::kQueueGate)};
      if (is_any_deleted) options.settle = kSettle;
      options.progress = [&shown](size_t done, size_t all) { shown.Show(done, all); };
      released = GateRelease(&api_, std::move(options), {}).Run();
    }
    if (!released.ok()) return From(released.status());
    SayReleased(*released);
    for (size_t i = 0; i < std::min(released->left.size(), kMostShown); ++i) {
      const auto& [pod, why] = released->left[i];
      Note(fmt::format("{}: {}", pod, std::string(why.message())));
    }
    if (released->keep_coming) {
      return From(
          absl::AbortedError(fmt::format("new pods still have the gate {}: remove it from their "
                                         "template, and run this command again",
                                         plan::kQueueGate)));
    }
    if (released->left.empty()) return absl::OkStatus();
    return From(absl::AbortedError(fmt::format("{} still have the gate {}: run this command again",
                                               PodsText(released->left.size()), plan::kQueueGate)));
  }

  void SayReleased(const GateReleased& released) {
    if (released.released + released.gone + released.left.size() == 0) return Say(NoPod());
    const double seconds = std::chrono::duration<double>(released.took).count();
    const std::string rate =
        seconds > 0
            ? fmt::format(", {:.0f} a second", static_cast<double>(released.released) / seconds)
            : "";
    const std::string gone =
        released.gone == 0 ? "" : fmt::format("; {} already deleted", PodsText(released.gone));
    Say(fmt::format("{} released in {:.1f} s{}{}", PodsText(released.released), seconds, rate,
                    gone));
    if (released.nominated == 0) return;
    Note(
        fmt::format("kube-scheduler reserves nodes for {} of them (status.nominatedNodeName) until "
                    "they are bound or deleted",
                    released.nominated));
  }

  static kube::CallOptions Calls() { return {.rate_limited = false}; }
  static std::string NoPod() { return fmt::format("no pod has the gate {}", plan::kQueueGate); }
  static std::string PodsText(size_t pods) {
    return fmt::format("{} pod{}", pods, pods == 1 ? "" : "s");
  }
  void Say(const std::string& line) { world_.out << Printable(line) << "\n" << std::flush; }
  void Note(const std::string& note) {
    world_.err << "note: " << Printable(note) << "\n" << std::flush;
  }

  const LiveClient client_;
  kube::Api& api_;
  const GangReleaseFlags& flags_;
  const World& world_;
};

absl::Status ReleaseGates(const GangReleaseFlags& flags, const World& world) {
  auto client = OpenLiveClient({flags.kubeconfig, flags.context}, world.environment);
  if (!client.ok()) return client.status();
  return Releasing(*std::move(client), &flags, &world).Run();
}

absl::StatusOr<GangReleaseFlags> ReadReleaseFlags(const Given& given) {
  if (!given.Has("--all")) {
    return given.Wrong("gang release needs --all: it releases the pods of all namespaces");
  }
  return GangReleaseFlags{given.Value("--kubeconfig"), given.Value("--context"),
                          given.Has("--dry-run")};
}

Command ReleaseCommand() {
  return {.name = "gang release",
          .summary = "Remove the scheduling gate outrigger.dev/queue from pods",
          .flags =
              Together({{{.name = "--all", .help = "In all namespaces; required"},
                         {.name = "--dry-run", .help = "Print what would be done; change nothing"}},
                        KubeconfigFlags("the cluster")}),
          .notes =
              "Works without the agent and can be repeated. First it deletes the bindings of the "
              "policies that add or\nprotect the gate (deploy/member-policy.yaml, "
              "deploy/guard-policy.yaml), then it removes the gate from\nall pods. If a pod "
              "template contains the gate, change the template first. Rights: pods (list, "
              "patch),\nmutatingadmissionpolicies and validatingadmissionpolicies (list), and "
              "their bindings (list, delete).",
          .opens_connections = true,
          .run = RunOf(ReadReleaseFlags, ReleaseGates)};
}

}  // namespace

std::vector<Command> GangCommands() {
  return {
      {.name = "gang", .summary = "Release pods that agent gang holds", .has_subcommands = true},
      ReleaseCommand()};
}

}  // namespace outrigger::cli
