#include <algorithm>
#include <utility>

#include "cli/agents/rbac.h"
#include "cli/manifests/manifests.h"
#include "cli/manifests/objects.h"
#include "cli/manifests/policies.h"
#include "console/format/text.h"
#include "console/format/yaml.h"
#include "console/settings/server_settings.h"
#include "fmt/format.h"

namespace outrigger::cli::manifests {
namespace {

// What a container takes to stop: --drain-timeout, and some seconds to begin and to end.
constexpr int kDrainSeconds = 25;

std::string ImageOf(const ManifestsFlags& flags, const std::string& agents) {
  constexpr std::string_view kPlace = "{agents}";
  std::string image = flags.image;
  const size_t at = image.find(kPlace);
  return at == std::string::npos ? image : image.replace(at, kPlace.size(), agents);
}

/// The documents of a rendering, each below a comment that says why it is there.
class Documents {
 public:
  void Add(const Object& object, std::string_view why = "") {
    if (!text_.empty()) text_ += "---\n";
    if (!why.empty()) text_ += fmt::format("# {}\n", why);
    text_ += YamlFromJson(object);
  }
  void Add(const std::vector<Object>& objects, std::string_view why = "") {
    for (const Object& object : objects) {
      Add(object, why);
      why = "";
    }
  }
  void AddText(const std::string& yaml) { text_ += "---\n" + yaml; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The file --config of agents that run as one pod.
std::string SettingsOf(const AgentRights& rights, const ManifestsRequest& request,
                       const std::vector<const AgentInfo*>& agents) {
  Object settings = {{"logFormat", "json"}};
  for (const AgentInfo* agent : agents) {
    Object own = Object::object();
    if (request.flags.alone && agent->factory.settings.Find("mode") != nullptr) {
      own["mode"] = "alone";
      if (request.flags.scheduler_name_given) own["schedulerNames"] = request.scheduler_name;
    }
    for (const AgentRights::State& state : rights.states) {
      if (state.agent == agent->name) own[CamelCase(state.setting)] = state.value;
    }
    if (!own.empty()) settings[CamelCase(agent->name)] = std::move(own);
  }
  return YamlFromJson(settings);
}

// Calls come from the same pod only. Probes and Prometheus come from outside, and agents' pages are
// served on 127.0.0.1, to which kubectl port-forward connects.
void AddListening(bool takes_calls, std::vector<std::string>* args) {
  if (takes_calls) args->emplace_back("--bind=127.0.0.1");
  args->emplace_back("--admin-bind=$(POD_IP),127.0.0.1");
  args->emplace_back("--metrics-from-anywhere");
}

ProgramContainer ContainerOfProcess(const AgentProcess& process, const ManifestsRequest& request,
                                    const Owner& owner) {
  const bool alone = request.flags.alone;
  ProgramContainer container{
      .name = process.Name(),
      .image = ImageOf(request.flags, process.Name()),
      .args = {"serve", "--agents=" + fmt::format("{}", fmt::join(process.Names(), ",")),
               "--config=/etc/outrigger/outrigger.yaml"},
      .admin_port = process.AdminPort(),
      .settings = owner.name + "-agents",
      .memory = process.plans ? "1Gi" : "512Mi",
      .is_sidecar = !alone};
  if (process.plans && !alone) {
    container.args.emplace_back("--scheduler-config=/etc/kubernetes/scheduler.yaml");
    container.scheduler = owner.name + "-scheduler";
  }
  AddListening(!alone || !process.plans, &container.args);
  return container;
}

void AddRights(const Owner& owner, const std::vector<AccessRule>& access, Documents* documents) {
  documents->Add(RbacObjects({owner.WideName() + "-agents", owner.name, owner.name_space}, access),
                 "What the agents do, and no more.");
}

// What kube-scheduler itself may do differs between versions of Kubernetes, so it is bound by name.
void AddSchedulerRights(const Owner& owner, const std::string& lease, Documents* documents) {
  documents->Add(BindingToOf(owner, "-kube-scheduler", "ClusterRole", "system:kube-scheduler"),
                 "What kube-scheduler does.");
  documents->Add(BindingToOf(owner, "-volume-scheduler", "ClusterRole", "system:volume-scheduler"));
  documents->Add(BindingToOf(owner, "-authentication-reader", "Role",
                             "extension-apiserver-authentication-reader"));
  if (lease != "none") {
    documents->Add(LeaseRightsOf(owner, lease),
                   "Its Lease: system:kube-scheduler allows only kube-system/kube-scheduler.");
  }
}

// Whatever stands in kube-system has the API server's own rule for Leases.
void AddCommon(const Owner& owner, const std::vector<uint16_t>& ports, Documents* documents) {
  if (owner.name_space != "kube-system") {
    documents->Add(FlowSchemaOf(owner), "Calls for Leases do not wait behind others.");
  }
  documents->Add(DisruptionBudgetOf(owner));
  documents->Add(NetworkPolicyOf(owner, ports),
                 "Probes and Prometheus; calls and pages are on loopback.");
}

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv): equal files, equal pods.
std::string HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

void AddController(const Owner& owner, const ProgramContainer& container,
                   const std::string& settings, std::string_view about,
                   const ManifestsRequest& request, Documents* documents) {
  documents->Add(ConfigMapOf(owner, "-agents", "outrigger.yaml", settings), about);
  documents->Add(DeploymentOf(owner, request.flags.replicas, /*one_at_a_time=*/false,
                              {.containers = Object::array({ContainerOf(container)}),
                               .config_maps = {owner.name + "-agents"},
                               .config_hash = HashOf(settings),
                               .grace = kDrainSeconds}));
  AddCommon(owner, {container.admin_port}, documents);
}

std::vector<const AgentInfo*> AgentsOf(const std::vector<AgentProcess>& processes) {
  std::vector<const AgentInfo*> agents;
  for (const AgentProcess& process : processes) {
    agents.insert(agents.end(), process.agents.begin(), process.agents.end());
  }
  return agents;
}

bool Has(const std::vector<const AgentInfo*>& agents, std::string_view name) {
  return std::any_of(agents.begin(), agents.end(),
                     [name](const AgentInfo* agent) { return agent->name == name; });
}

absl::Status RenderScheduler(const ManifestsRequest& request, Documents* documents) {
  const Owner owner{request.scheduler_name, request.flags.name_space};
  const auto agents = AgentsOf(request.processes);
  const auto rights = RightsOf(agents, {.name_space = owner.name_space});
  if (!rights.ok()) return rights.status();
  documents->Add(ServiceAccountOf(owner));
  AddRights(owner, rights->access, documents);
  AddSchedulerRights(owner, request.scheduler_lease, documents);
  const std::string settings = SettingsOf(*rights, request, agents);
  documents->Add(ConfigMapOf(owner, "-agents", "outrigger.yaml", settings),
                 "The agents' settings: docs/settings.md lists them all.");
  documents->Add(ConfigMapOf(owner, "-scheduler", "scheduler.yaml", request.scheduler_yaml));
  Object sidecars = Object::array();
  std::vector<uint16_t> ports;
  for (const AgentProcess& process : request.processes) {
    sidecars.push_back(ContainerOf(ContainerOfProcess(process, request, owner)));
    ports.push_back(process.AdminPort());
  }
  ports.push_back(kSchedulerPort);
  const PodParts parts{.sidecars = std::move(sidecars),
                       .containers = Object::array({SchedulerContainerOf(
                           request.kube_scheduler_image, owner.name + "-scheduler")}),
                       .config_maps = {owner.name + "-agents", owner.name + "-scheduler"},
                       .config_hash = HashOf(settings + request.scheduler_yaml),
                       .grace = kDrainSeconds * static_cast<int>(request.processes.size() + 1)};
  // Without leader election a second one would place the same pods.
  documents->Add(
      DeploymentOf(owner, request.flags.replicas, request.scheduler_lease == "none", parts));
  AddCommon(owner, ports, documents);
  if (Has(agents, "devices")) documents->AddText(DeviceClaimsPolicy(owner.name));
  return absl::OkStatus();
}

absl::Status RenderController(const AgentProcess& process, const ManifestsRequest& request,
                              Documents* documents) {
  const Owner owner{"outrigger-" + process.Name(), request.flags.name_space};
  const bool has_mode = process.agents[0]->factory.settings.Find("mode") != nullptr;
  const auto rights =
      RightsOf(process.agents, {.mode = has_mode ? "alone" : "", .name_space = owner.name_space});
  if (!rights.ok()) return rights.status();
  documents->Add(ServiceAccountOf(owner));
  AddRights(owner, rights->access, documents);
  AddController(owner, ContainerOfProcess(process, request, owner),
                SettingsOf(*rights, request, process.agents),
                "The agents' settings: docs/settings.md lists them all.", request, documents);
  return absl::OkStatus();
}

std::vector<AccessRule> AccessOfAnnotator(const Annotator& annotator, const std::string& lease) {
  std::vector<AccessRule> access = {{"", "nodes", {"list", "patch", "watch"}}};
  if (annotator.reads_pods) access.push_back({"", "pods", {"list", "watch"}});
  if (annotator.reads_metrics) access.push_back({"metrics.k8s.io", "nodes", {"list"}});
  AccessRule create{"coordination.k8s.io", "leases", {"create"}};
  AccessRule renew{"coordination.k8s.io", "leases", {"get", "update"}, {lease}};
  create.in_own_namespace = renew.in_own_namespace = true;
  access.push_back(create);
  access.push_back(renew);
  return access;
}

void RenderAnnotator(const Annotator& annotator, const ManifestsRequest& request,
                     Documents* documents) {
  const Owner owner{"outrigger-" + std::string(annotator.name), request.flags.name_space};
  documents->Add(ServiceAccountOf(owner));
  AddRights(owner, AccessOfAnnotator(annotator, owner.name), documents);
  Object settings = {{"logFormat", "json"}};
  if (annotator.reads_metrics) settings["source"] = "metrics";
  if (owner.name_space != "kube-system") settings["leaseNamespace"] = owner.name_space;
  ProgramContainer container{.name = "annotate",
                             .image = ImageOf(request.flags, std::string(annotator.image)),
                             .args = {"annotate", std::string(annotator.command),
                                      "--config=/etc/outrigger/outrigger.yaml"},
                             .admin_port = annotator.admin_port,
                             .settings = owner.name + "-agents",
                             .memory = "640Mi"};
  AddListening(false, &container.args);
  AddController(owner, container, YamlFromJson(settings),
                annotator.reads_metrics
                    ? "With Prometheus and node_exporter: source: prometheus, and prometheusUrl."
                    : "docs/settings.md lists all settings.",
                request, documents);
  if (annotator.reads_metrics) {
    documents->AddText(UsageAnnotatorPolicy(owner.name_space, owner.name, owner.WideName()));
  }
}

// The account of the original extenders' manifests, with what their agents need here.
absl::Status RenderServiceAccount(const ManifestsRequest& request,
                                  const std::vector<AgentInfo>& registry, Documents* documents) {
  const Owner owner{"extender-serviceaccount", request.flags.name_space};
  std::vector<const AgentInfo*> agents;
  agents.reserve(registry.size());
  for (const AgentInfo& agent : registry) {
    if (!agent.factory.aliases.empty()) agents.push_back(&agent);  // one of theirs
  }
  const auto rights = RightsOf(agents, {.name_space = owner.name_space});
  if (!rights.ok()) return rights.status();
  documents->Add(ServiceAccountOf(owner));
  // The names of their objects, so that `kubectl apply` replaces these.
  std::vector<Object> objects =
      RbacObjects({"extender-clusterrole", owner.name, owner.name_space}, rights->access);
  for (Object& object : objects) {
    if (object["kind"] == "ClusterRoleBinding") {
      object["metadata"]["name"] = "extender-rolebinding";
    }
  }
  documents->Add(objects, "What their agents do here.");
  AddSchedulerRights(owner, owner.name_space + "/my-scheduler", documents);
  return absl::OkStatus();
}

// What an agent needs besides these objects, and before they are deleted.
std::string HintsOf(const ManifestsRequest& request) {
  const auto agents = AgentsOf(request.processes);
  const std::string& name_space = request.flags.name_space;
  std::string hints;
  if (Has(agents, "devices")) {
    hints +=
        "# devices: apply its kinds first, deploy/devices/. One such scheduler in a cluster: its\n"
        "# policy refuses pods with claims that choose another one.\n";
  }
  if (Has(agents, "safe") || Has(agents, "congestion")) {
    hints += "# safe and congestion read what controller.annotate-usage.yaml writes.\n";
  }
  if (Has(agents, "penalty")) {
    hints += fmt::format(
        "# penalty, once in a cluster: label the classes, kubectl label priorityclass NAME\n"
        "# outrigger.dev/penalise=true. Before you delete this, scale the Deployment to 0 and run\n"
        "# `outrigger penalty restore --all --namespace {}`.\n",
        name_space);
  }
  if (Has(agents, "gang") || Has(agents, "qos")) {
    const std::string account =
        request.flags.alone ? "outrigger-" + request.processes[0].Name() : request.scheduler_name;
    hints += fmt::format(
        "# Scheduling gate outrigger.dev/queue: member-policy.yaml gives it to members,\n"
        "# guard-policy.yaml protects it: write system:serviceaccount:{}:{}\n"
        "# into that. Before you delete this, take the gate out of templates, and run\n"
        "# `outrigger gang release --all`.\n",
        name_space, account);
  }
  return hints;
}

std::string HeadOf(const ManifestsRequest& request) {
  const std::string& name_space = request.flags.name_space;
  std::string head = fmt::format("# Written by `{}`.\n#\n", request.command);
  if (request.service_account) {
    return head + "# The account of the original extenders' manifests (docs/switching.md).\n";
  }
  if (!request.processes.empty() && !request.flags.alone) {
    const std::string& name = request.scheduler_name;
    head += fmt::format(
        "# A second, unmodified kube-scheduler with these agents in its pod. Pods choose it by "
        "`schedulerName: {0}`;\n# all others stay with the cluster's own scheduler, which also "
        "places this scheduler's own pods.\n# If another program's Deployment {0} is there, "
        "delete it first:\n#\n#     kubectl -n {1} delete deployment {0}\n#\n{2}"
        "# {3} must not be newer than the cluster.\n"
        "# Before you delete this, take `schedulerName: {0}` out of all workloads "
        "(docs/install.md).\n",
        name, name_space, HintsOf(request), request.kube_scheduler_image);
  } else {
    head += "# Of the replicas the one that holds the Lease acts.\n" + HintsOf(request);
  }
  return head;
}

}  // namespace

absl::StatusOr<std::string> RenderManifests(const ManifestsRequest& request,
                                            const std::vector<AgentInfo>& registry) {
  Documents documents;
  absl::Status status;
  if (!request.processes.empty() && !request.flags.alone) {
    status = RenderScheduler(request, &documents);
  }
  for (const AgentProcess& process : request.processes) {
    if (status.ok() && request.flags.alone) status = RenderController(process, request, &documents);
  }
  if (!status.ok()) return status;
  for (const Annotator* annotator : request.annotators) {
    RenderAnnotator(*annotator, request, &documents);
  }
  if (request.service_account) status = RenderServiceAccount(request, registry, &documents);
  if (!status.ok()) return status;
  return HeadOf(request) + documents.text();
}

}  // namespace outrigger::cli::manifests
