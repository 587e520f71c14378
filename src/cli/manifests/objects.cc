#include "cli/manifests/objects.h"

#include <utility>

#include "fmt/format.h"

namespace outrigger::cli::manifests {
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io/v1";
// A number without a name, so that runAsNonRoot can be checked without looking into the image.
constexpr int kUser = 65532;

Object ObjectOf(std::string_view version, std::string_view kind, Object metadata) {
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", std::move(metadata)}};
}

Object SelectorOf(const Owner& owner) {
  return {{"app.kubernetes.io/name", "outrigger"}, {"app.kubernetes.io/instance", owner.name}};
}

Object SubjectOf(const Owner& owner) {
  return {{"kind", "ServiceAccount"}, {"name", owner.name}, {"namespace", owner.name_space}};
}

Object Probe(const std::string& path, const Object& port, int period, int failures) {
  Object probe = {{"httpGet", {{"path", path}, {"port", port}}}, {"periodSeconds", period}};
  if (failures > 0) probe["failureThreshold"] = failures;
  return probe;
}

Object SecureProbe(int period, int failures) {
  Object probe = Probe("/healthz", kSchedulerPort, period, failures);
  probe["httpGet"]["scheme"] = "HTTPS";
  return probe;
}

Object Restricted() {
  return {{"allowPrivilegeEscalation", false},
          {"readOnlyRootFilesystem", true},
          {"capabilities", {{"drop", {"ALL"}}}}};
}

// "outrigger-agents" -> "agents": a volume's name is shorter than a ConfigMap's may be.
std::string VolumeOf(const std::string& config_map) {
  return config_map.substr(config_map.rfind('-') + 1);
}

Object MountOf(const std::string& config_map, std::string_view path) {
  return {{"name", VolumeOf(config_map)}, {"mountPath", path}, {"readOnly", true}};
}

Object PodOf(const Owner& owner, const PodParts& parts) {
  // By the cluster's own scheduler: this one cannot place itself.
  Object spec = {{"schedulerName", "default-scheduler"},
                 {"nodeSelector", {{"kubernetes.io/os", "linux"}}},
                 {"serviceAccountName", owner.name},
                 {"priorityClassName", "system-cluster-critical"},
                 {"terminationGracePeriodSeconds", parts.grace},
                 {"securityContext",
                  {{"runAsNonRoot", true},
                   {"runAsUser", kUser},
                   {"runAsGroup", kUser},
                   {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};
  spec["topologySpreadConstraints"] =
      Object::array({{{"maxSkew", 1},
                      {"topologyKey", "kubernetes.io/hostname"},
                      {"whenUnsatisfiable", "ScheduleAnyway"},
                      {"labelSelector", {{"matchLabels", SelectorOf(owner)}}}}});
  if (!parts.sidecars.empty()) spec["initContainers"] = parts.sidecars;
  spec["containers"] = parts.containers;
  spec["volumes"] = Object::array();
  for (const std::string& name : parts.config_maps) {
    spec["volumes"].push_back({{"name", VolumeOf(name)}, {"configMap", {{"name", name}}}});
  }
  return spec;
}

}  // namespace

Object LabelsOf(const Owner& owner) {
  Object labels = SelectorOf(owner);
  labels["app.kubernetes.io/part-of"] = "outrigger";
  return labels;
}

Object MetaOf(const Owner& owner, std::string_view suffix) {
  return {{"name", owner.name + std::string(suffix)},
          {"namespace", owner.name_space},
          {"labels", LabelsOf(owner)}};
}

Object ServiceAccountOf(const Owner& owner) {
  return ObjectOf("v1", "ServiceAccount", MetaOf(owner));
}

Object ConfigMapOf(const Owner& owner, std::string_view suffix, const std::string& key,
                   const std::string& text) {
  Object map = ObjectOf("v1", "ConfigMap", MetaOf(owner, suffix));
  map["data"] = {{key, text}};
  return map;
}

Object BindingToOf(const Owner& owner, std::string_view suffix, std::string_view role_kind,
                   std::string_view role) {
  Object meta = MetaOf(owner, suffix);
  meta["name"] = owner.WideName() + std::string(suffix);
  if (role_kind == "Role") {
    meta["namespace"] = "kube-system";
  } else {
    meta.erase("namespace");
  }
  Object binding =
      ObjectOf(kRbac, role_kind == "Role" ? "RoleBinding" : "ClusterRoleBinding", std::move(meta));
  binding["roleRef"] = {{"apiGroup", kRbacGroup}, {"kind", role_kind}, {"name", role}};
  binding["subjects"] = Object::array({SubjectOf(owner)});
  return binding;
}

std::vector<Object> LeaseRightsOf(const Owner& owner, const std::string& lease) {
  const size_t slash = lease.find('/');
  Object meta = MetaOf(owner, "-lease");
  meta["name"] = owner.WideName() + "-lease";
  meta["namespace"] = lease.substr(0, slash);
  Object role = ObjectOf(kRbac, "Role", meta);
  // RBAC cannot restrict `create` by name.
  role["rules"] = Object::array(
      {{{"apiGroups", {"coordination.k8s.io"}}, {"resources", {"leases"}}, {"verbs", {"create"}}},
       {{"apiGroups", {"coordination.k8s.io"}},
        {"resources", {"leases"}},
        {"resourceNames", {lease.substr(slash + 1)}},
        {"verbs", {"get", "update"}}}});
  Object binding = ObjectOf(kRbac, "RoleBinding", std::move(meta));
  binding["roleRef"] = {
      {"apiGroup", kRbacGroup}, {"kind", "Role"}, {"name", role["metadata"]["name"]}};
  binding["subjects"] = Object::array({SubjectOf(owner)});
  return {role, binding};
}

Object FlowSchemaOf(const Owner& owner) {
  Object meta = MetaOf(owner, "-leases");
  meta["name"] = owner.WideName() + "-leases";
  meta.erase("namespace");
  Object schema = ObjectOf("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", std::move(meta));
  const Object account = {{"name", owner.name}, {"namespace", owner.name_space}};
  const Object subject = {{"kind", "ServiceAccount"}, {"serviceAccount", account}};
  const Object leases = {{"apiGroups", {"coordination.k8s.io"}},
                         {"resources", {"leases"}},
                         {"verbs", {"get", "create", "update"}},
                         {"namespaces", {"*"}}};
  schema["spec"] = {{"priorityLevelConfiguration", {{"name", "leader-election"}}},
                    {"matchingPrecedence", 200},
                    {"distinguisherMethod", {{"type", "ByUser"}}},
                    {"rules", Object::array({{{"subjects", Object::array({subject})},
                                              {"resourceRules", Object::array({leases})}}})}};
  return schema;
}

Object DisruptionBudgetOf(const Owner& owner) {
  Object budget = ObjectOf("policy/v1", "PodDisruptionBudget", MetaOf(owner));
  budget["spec"] = {{"maxUnavailable", 1},
                    {"unhealthyPodEvictionPolicy", "AlwaysAllow"},
                    {"selector", {{"matchLabels", SelectorOf(owner)}}}};
  return budget;
}

Object NetworkPolicyOf(const Owner& owner, const std::vector<uint16_t>& ports) {
  Object policy = ObjectOf("networking.k8s.io/v1", "NetworkPolicy", MetaOf(owner));
  Object open = Object::array();
  for (const uint16_t port : ports) open.push_back({{"port", port}, {"protocol", "TCP"}});
  policy["spec"] = {{"podSelector", {{"matchLabels", SelectorOf(owner)}}},
                    {"policyTypes", {"Ingress"}},
                    {"ingress", Object::array({{{"ports", open}}})}};
  return policy;
}

Object ContainerOf(const ProgramContainer& container) {
  Object object = {{"name", container.name}, {"image", container.image}};
  if (container.is_sidecar) object["restartPolicy"] = "Always";
  object["args"] = container.args;
  object["env"] = Object::array(
      {{{"name", "POD_IP"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}}});
  object["ports"] = Object::array({{{"name", fmt::format("admin-{}", container.admin_port)},
                                    {"containerPort", container.admin_port}}});
  const int port = container.admin_port;
  // A scheduler that starts before its agents can answer would fail its first pods.
  object["startupProbe"] = Probe(container.is_sidecar ? "/readyz" : "/livez", port, 1, 60);
  object["readinessProbe"] = Probe("/readyz", port, 5, 0);
  object["livenessProbe"] = Probe("/livez", port, 10, 0);
  // No limit of cpu: an agent that is throttled answers late, and the scheduler waits for it.
  object["resources"] = {{"requests", {{"cpu", "50m"}, {"memory", "64Mi"}}},
                         {"limits", {{"memory", container.memory}}}};
  object["securityContext"] = Restricted();
  object["volumeMounts"] = Object::array({MountOf(container.settings, "/etc/outrigger")});
  if (!container.scheduler.empty()) {
    object["volumeMounts"].push_back(MountOf(container.scheduler, "/etc/kubernetes"));
  }
  return object;
}

Object SchedulerContainerOf(const std::string& image, const std::string& config_map) {
  Object object = {{"name", "kube-scheduler"},
                   {"image", image},
                   {"command",
                    {"kube-scheduler", "--config=/etc/kubernetes/scheduler.yaml",
                     fmt::format("--secure-port={}", kSchedulerPort)}}};
  object["startupProbe"] = SecureProbe(2, 60);
  object["livenessProbe"] = SecureProbe(10, 0);
  object["resources"] = {{"requests", {{"cpu", "100m"}, {"memory", "128Mi"}}}};
  object["securityContext"] = Restricted();
  object["volumeMounts"] = Object::array({MountOf(config_map, "/etc/kubernetes")});
  return object;
}

Object DeploymentOf(const Owner& owner, int64_t replicas, bool one_at_a_time,
                    const PodParts& parts) {
  Object deployment = ObjectOf("apps/v1", "Deployment", MetaOf(owner));
  deployment["spec"] = {{"replicas", replicas}, {"selector", {{"matchLabels", SelectorOf(owner)}}}};
  if (one_at_a_time) deployment["spec"]["strategy"] = {{"type", "Recreate"}};
  deployment["spec"]["template"] = {
      {"metadata",
       {{"labels", LabelsOf(owner)},
        {"annotations", {{"outrigger.dev/config", parts.config_hash}}}}},
      {"spec", PodOf(owner, parts)}};
  return deployment;
}

}  // namespace outrigger::cli::manifests
