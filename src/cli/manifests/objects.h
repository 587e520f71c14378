#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

// The Kubernetes objects of a rendering, each as Kubernetes takes it.

namespace outrigger::cli::manifests {

using Object = nlohmann::ordered_json;

/// Where kube-scheduler serves its probes and metrics, by TLS.
inline constexpr uint16_t kSchedulerPort = 10259;

/// What all objects of one Deployment share.
struct Owner {
  std::string name;  // of the Deployment, its account and its labels
  std::string name_space;

  /// The name of objects that are in no namespace, or not in this one.
  std::string WideName() const {
    return name_space == "kube-system" ? name : name_space + "-" + name;
  }
};

/// A container of the program.
struct ProgramContainer {
  std::string name = {};
  std::string image = {};
  std::vector<std::string> args = {};
  uint16_t admin_port = 0;
  std::string settings = {};   // ConfigMap, mounted at /etc/outrigger
  std::string scheduler = {};  // ConfigMap, mounted at /etc/kubernetes; or empty
  std::string memory = {};     // limit
  bool is_sidecar = false;     // starts before the scheduler, and stops after it
};

/// metadata of an object in the owner's namespace, which `suffix` tells from its others.
Object MetaOf(const Owner& owner, std::string_view suffix = "");
Object LabelsOf(const Owner& owner);
Object ServiceAccountOf(const Owner& owner);
Object ConfigMapOf(const Owner& owner, std::string_view suffix, const std::string& key,
                   const std::string& text);
/// A binding of a role that is not ours: "ClusterRole" by a ClusterRoleBinding, "Role" of
/// kube-system by a RoleBinding there.
Object BindingToOf(const Owner& owner, std::string_view suffix, std::string_view role_kind,
                   std::string_view role);
/// The rights to the one Lease "namespace/name": a Role and its RoleBinding.
std::vector<Object> LeaseRightsOf(const Owner& owner, const std::string& lease);
/// Leases of accounts outside kube-system do not wait behind other calls.
Object FlowSchemaOf(const Owner& owner);
Object DisruptionBudgetOf(const Owner& owner);
/// Lets in what probes and Prometheus ask for, and nothing else.
Object NetworkPolicyOf(const Owner& owner, const std::vector<uint16_t>& ports);
Object ContainerOf(const ProgramContainer& container);
Object SchedulerContainerOf(const std::string& image, const std::string& config_map);
/// What a Deployment's pods are made of.
struct PodParts {
  Object sidecars = Object::array();
  Object containers = Object::array();
  std::vector<std::string> config_maps = {};
  std::string config_hash = {};  // of what is in them: other settings are other pods
  int grace = 0;                 // seconds
};

/// The Deployment. `one_at_a_time`: a pod ends before the next one starts.
Object DeploymentOf(const Owner& owner, int64_t replicas, bool one_at_a_time,
                    const PodParts& parts);

}  // namespace outrigger::cli::manifests
