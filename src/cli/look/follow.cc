#include "cli/look/follow.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "console/args/flags.h"
#include "fmt/format.h"
#include "kube/config/process.h"
#include "outrigger/base/text.h"

namespace outrigger::cli::look {
namespace {

// How long nothing may lead: a Lease of 15 s, and the start of a pod.
constexpr std::chrono::seconds kLeaderPatience{60};

kube::CallOptions ShortCall(const std::stop_token& stop) {
  return {.timeout = std::chrono::seconds{10}, .stop = stop};
}

std::vector<std::string> ClusterFlagsOf(const LiveClusterFlags& cluster) {
  std::vector<std::string> flags;
  if (!cluster.kubeconfig.empty()) flags.push_back("--kubeconfig=" + cluster.kubeconfig);
  if (!cluster.context.empty()) flags.push_back("--context=" + cluster.context);
  return flags;
}

}  // namespace

std::vector<Flag> FollowFlagsOf(const std::vector<AgentInfo>& registry) {
  std::vector<std::string> names;
  names.reserve(registry.size());
  for (const AgentInfo& agent : registry) names.push_back(agent.name);
  return Together(
      {{{.name = "--agents",
         .value = "LIST",
         .help =
             "show the container that runs these agents, such as gang,qos (default: the one with "
             "gang or qos, else the only one)",
         .offered = names,
         .is_list = true},
        {.name = "-n,--namespace",
         .value = "NS",
         .help = "namespace of the agents (default kube-system)"},
        {.name = "--deployment",
         .value = "NAME",
         .help = "their Deployment, where several in the namespace have these agents"}},
       KubeconfigFlags("the cluster"),
       {{.name = "--port",
         .value = "N",
         .help = "port on this machine (default: the agent's admin port, or another one if that is "
                 "taken)"}}});
}

absl::StatusOr<FollowFlags> ReadFollowFlags(const Given& given) {
  FollowFlags flags;
  for (const char* const flag : {"--agents", "--namespace", "--deployment"}) {
    const absl::Status status = CheckNotEmpty(given, flag, "a name");
    if (!status.ok()) return status;
  }
  if (given.Has("--agents")) {
    flags.sought.agents = SplitList(given.Value("--agents"));
    for (const std::string& agent : flags.sought.agents) {
      if (agent.empty()) return NotAccepted("--agents", given.Value("--agents"), "NAME,NAME");
    }
  }
  flags.sought.name_space = given.Value("--namespace", flags.sought.name_space);
  flags.sought.deployment = given.Value("--deployment");
  flags.cluster = {given.Value("--kubeconfig"), given.Value("--context")};
  if (!given.Has("--port")) return flags;
  uint32_t port = 0;
  if (!absl::SimpleAtoi(given.Value("--port"), &port) || port < 1 || port > UINT16_MAX) {
    return NotAccepted("--port", given.Value("--port"), "1 to 65535");
  }
  flags.local_port = static_cast<uint16_t>(port);
  return flags;
}

absl::StatusOr<std::unique_ptr<Follow>> Follow::Open(const FollowFlags& flags, const World& world) {
  auto live = OpenLiveClient(flags.cluster, world.environment);
  if (!live.ok()) return live.status();
  const std::string* const path = Find(world.environment, "PATH");
  auto follow =
      std::make_unique<Follow>(flags, live->client.get(),
                               kube::FindProgram("kubectl", path == nullptr ? "" : *path), Clock());
  follow->client_ = std::move(live->client);
  return follow;
}

Follow::Follow(FollowFlags flags, kube::Api* api, std::string kubectl, Clock clock)
    : flags_(std::move(flags)), api_(api), kubectl_(std::move(kubectl)), clock_(std::move(clock)) {}

absl::Status Follow::Begin(const std::stop_token& stop) {
  const auto pod = FindLeadingPod(*api_, flags_.sought, ShortCall(stop));
  if (!pod.ok()) return pod.status();
  if (flags_.local_port == 0) flags_.local_port = FreePort(pod->admin_port);
  return ForwardTo(*pod, stop);
}

absl::Status Follow::ForwardTo(const LeadingPod& pod, const std::stop_token& stop) {
  forward_.reset();  // the port is free then
  const ForwardRequest request{.kubectl = kubectl_,
                               .flags = ClusterFlagsOf(flags_.cluster),
                               .name_space = pod.name_space,
                               .pod = pod.pod,
                               .local_port = flags_.local_port,
                               .admin_port = pod.admin_port};
  if (kubectl_.empty()) {
    return absl::NotFoundError(fmt::format(
        "kubectl is not in PATH. Install it, or run where it is: {}; the pages are then "
        "at {}/ there, also for `outrigger top --agent {}`",
        ForwardCommand(request), Url(), Url()));
  }
  auto forward = PortForward::Start(request, stop);
  if (!forward.ok()) return forward.status();
  forward_ = *std::move(forward);
  pod_ = pod;
  lost_at_.reset();
  return absl::OkStatus();
}

absl::StatusOr<std::string> Follow::Lost(const absl::Status& why) {
  const auto now = clock_.now();
  if (!lost_at_) {
    lost_at_ = now;
    return Printable(fmt::format("{} is not reached any more ({}); looking for the pod that leads",
                                 pod_.Text(), std::string(why.message())));
  }
  if (now - *lost_at_ < kLeaderPatience) return "";
  return why;
}

absl::StatusOr<std::string> Follow::Check(const std::stop_token& stop) {
  const bool runs = forward_ != nullptr && forward_->Runs();
  const auto pod = FindLeadingPod(*api_, flags_.sought, ShortCall(stop));
  if (stop.stop_requested()) return "";
  // Between two leaders the former one is still looked at.
  if (!pod.ok() && runs) return "";
  if (!pod.ok()) return Lost(pod.status());
  const bool is_same = pod->pod == pod_.pod && pod->admin_port == pod_.admin_port;
  if (runs && is_same) return "";
  const std::string ended =
      forward_ == nullptr || runs ? "" : fmt::format("kubectl ended ({}); ", forward_->LastLine());
  const absl::Status status = ForwardTo(*pod, stop);
  if (stop.stop_requested()) return "";
  if (!status.ok()) return Lost(status);
  return fmt::format("{}{}: {}/", ended, LeadText(), Url());
}

std::string Follow::LeadText() const {
  return Printable(pod_.lease.empty()
                       ? fmt::format("{} (no Lease names it: it is the only pod)", pod_.Text())
                       : fmt::format("{} (it holds Lease {})", pod_.Text(), pod_.lease));
}

std::string Follow::Url() const {
  return fmt::format("http://127.0.0.1:{}", flags_.local_port);
}

}  // namespace outrigger::cli::look
