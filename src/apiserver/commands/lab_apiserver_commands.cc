#include "absl/strings/numbers.h"
#include "apiserver/commands/lab_apiserver.h"
#include "console/args/flags.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr int kLargestPort = 65'535;

absl::StatusOr<LabFileFlags> ReadLoadFlags(const Given& given) {
  return LabFileFlags{given.Values("file"), given.Value("--kubeconfig"), given.Value("--context")};
}

Command ServeCommand() {
  Command command{.name = "lab apiserver",
                  .summary = "Serve the Kubernetes API from memory, for kubectl and kube-scheduler",
                  .opens_connections = true,
                  .run = RunOf(ReadApiServerFlags, RunApiServer)};
  command.flags = {
      {.name = "--port",
       .value = "N",
       .help = fmt::format("port of 127.0.0.1, 0 for any free one (default {})",
                           ApiServerFlags::kPort)},
      {.name = "-f,--file",
       .value = "FILE",
       .help = "objects to begin with, YAML or JSON, - for standard input",
       .is_file = true,
       .is_repeatable = true},
      {.name = "--write-kubeconfig",
       .value = "FILE",
       .help = "write a kubeconfig for this server",
       .is_file = true},
      {.name = "--nodes",
       .value = "SHAPE|FILE",
       .help =
           "simulated nodes, as `outrigger lab nodes` has them: 500,cpu=32,memory=128Gi,racks=20",
       .is_repeatable = true},
      {.name = "--scheduler",
       .value = "PATH",
       .help = "run this kube-scheduler, too",
       .is_file = true},
      {.name = "--agents",
       .value = "A[,A]",
       .help = "run these agents beside it, and have it call them",
       .is_list = true},
      {.name = "--gangs",
       .help = "members of gangs get the gate and the resources that deploy/member-policy.yaml "
               "gives them"}};
  command.notes =
      "docs/lab.md says what is served and what is refused. Nothing is kept when it ends: see "
      "`outrigger lab save`.\nAnybody at this machine may do anything; tokens are not looked at.\n"
      "SIGTERM and SIGINT stop it.";
  return command;
}

Command LoadCommand() {
  Command command{.name = "lab load",
                  .summary = "Create the objects of files, as kubectl get -o yaml prints them",
                  .opens_connections = true,
                  .run = RunOf(ReadLoadFlags, RunLabLoad)};
  command.flags = Together({{{.name = "file",
                              .value = "FILE",
                              .help = "YAML or JSON, - for standard input",
                              .is_file = true,
                              .is_repeatable = true}},
                            KubeconfigFlags("the cluster")});
  command.notes =
      "Definitions, namespaces, classes and nodes come before others, owners before what they "
      "own;\nstatuses are written, too. What the server has no kind for is left out, and named.";
  return command;
}

Command SaveCommand() {
  Command command{.name = "lab save",
                  .summary = "Print all objects of a cluster as YAML, for lab load",
                  .opens_connections = true,
                  .run = RunOf(ReadLoadFlags, RunLabSave)};
  command.flags = KubeconfigFlags("the cluster");
  command.notes = "Events and Leases are left out, and what each server has by itself.";
  return command;
}

}  // namespace

absl::StatusOr<ApiServerFlags> ReadApiServerFlags(const Given& given) {
  ApiServerFlags flags;
  if (given.Has("--port")) {
    const std::string text = given.Value("--port");
    int port = 0;
    if (!absl::SimpleAtoi(text, &port) || port < 0 || port > kLargestPort) {
      return NotAccepted("--port", text, fmt::format("0 to {}", kLargestPort));
    }
    flags.port = static_cast<uint16_t>(port);
  }
  flags.files = given.Values("--file");
  flags.kubeconfig = given.Value("--write-kubeconfig");
  flags.gangs = given.Has("--gangs");
  flags.nodes = given.Values("--nodes");
  flags.scheduler = given.Value("--scheduler");
  flags.agents = given.Value("--agents");
  if (!flags.agents.empty() && flags.scheduler.empty()) {
    return NotAccepted("--agents", flags.agents,
                       "agents beside a kube-scheduler: give --scheduler PATH, too");
  }
  return flags;
}

std::string LabKubeconfig(uint16_t port) {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "  - name: outrigger-lab\n"
      "    cluster: {{server: \"http://127.0.0.1:{}\"}}\n"
      "contexts:\n"
      "  - name: outrigger-lab\n"
      "    context: {{cluster: outrigger-lab, user: outrigger-lab}}\n"
      "current-context: outrigger-lab\n"
      "users:\n"
      "  - name: outrigger-lab\n"
      "    user: {{}}\n",
      port);
}

std::vector<Command> ApiServerCommands() {
  return {ServeCommand(), LoadCommand(), SaveCommand()};
}

}  // namespace outrigger::cli
