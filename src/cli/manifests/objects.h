#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

// The Kubernetes objects of a rendering, each as Kubernetes takes it.

namespace outrigger::cli::manifests {

using Object = nlohmann::ordered_json;

/// What all objects of one Deployment share.
struct Owner {
  std::string name;  // of the Deployment, its account and its labels
  std::string name_space;
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
/// The Deployment; `grace` in seconds.
Object DeploymentOf(const Owner& owner, int64_t replicas, int grace, const Object& sidecars,
                    const Object& containers, const std::vector<std::string>& config_maps);

}  // namespace outrigger::cli::manifests
