#include "cli/scheduler_config/extender_node.h"

#include <algorithm>
#include <set>

#include "console/format/yaml.h"
#include "console/settings/units.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

YAML::Node TlsNode(const ExtenderTls& tls) {
  YAML::Node node(YAML::NodeType::Map);
  if (!tls.server_name.empty()) node["serverName"] = TextNode(tls.server_name);
  if (!tls.cert_file.empty()) node["certFile"] = TextNode(tls.cert_file);
  if (!tls.key_file.empty()) node["keyFile"] = TextNode(tls.key_file);
  if (!tls.ca_file.empty()) node["caFile"] = TextNode(tls.ca_file);
  if (tls.insecure) node["insecure"] = true;
  return node;
}

// Pods that ask for an amount of it are not refused by nodes, which have none.
YAML::Node ManagedNode(const ExtenderEntry& extender) {
  YAML::Node node(YAML::NodeType::Map);
  node["name"] = TextNode(extender.only_for);
  node["ignoredByScheduler"] = true;
  return node;
}

}  // namespace

YAML::Node ExtenderNode(const ExtenderEntry& extender) {
  YAML::Node node;
  node["urlPrefix"] = TextNode(extender.url_prefix);
  if (!extender.filter_verb.empty()) node["filterVerb"] = extender.filter_verb;
  if (!extender.prioritize_verb.empty()) {
    node["prioritizeVerb"] = extender.prioritize_verb;
    node["weight"] = extender.weight;
  }
  if (!extender.preempt_verb.empty()) node["preemptVerb"] = extender.preempt_verb;
  if (!extender.bind_verb.empty()) node["bindVerb"] = extender.bind_verb;
  if (extender.tls) {
    node["enableHTTPS"] = true;
    node["tlsConfig"] = TlsNode(*extender.tls);
  }
  node["httpTimeout"] = TextNode(PrintDuration(extender.http_timeout));
  node["nodeCacheCapable"] = extender.names_only;
  if (!extender.only_for.empty()) node["managedResources"].push_back(ManagedNode(extender));
  if (extender.ignorable) node["ignorable"] = true;
  return node;
}

std::vector<std::string> TlsNotes(const std::vector<ExtenderEntry>& extenders) {
  std::vector<std::string> notes;
  if (std::any_of(extenders.begin(), extenders.end(), [](const ExtenderEntry& extender) {
        return extender.tls && !(extender.tls->ca_file + extender.tls->cert_file).empty();
      })) {
    notes.emplace_back(
        "tlsConfig: the files must exist where the scheduler runs; it reads caFile once at start, "
        "certFile and keyFile again for new connections");
  }
  std::set<std::string> unchecked;  // an agent that binds has two entries
  for (const ExtenderEntry& extender : extenders) {
    if (extender.tls && extender.tls->insecure) unchecked.insert(extender.url_prefix);
  }
  for (const std::string& url : unchecked) {
    notes.push_back(fmt::format(
        "tlsConfig.insecure is true: the scheduler does not verify the server at {}; any process "
        "that takes over that address reads its calls and decides about its pods",
        url));
  }
  return notes;
}

std::vector<std::string> PlannerNotes(const std::vector<ExtenderEntry>& extenders) {
  for (const ExtenderEntry& extender : extenders) {
    if (!extender.last) continue;
    return {fmt::format(
        "{}: serve with --scheduler-config and this file, from which the agent takes the "
        "scheduler's settings",
        fmt::join(extender.agents, " and "))};
  }
  return {};
}

std::vector<std::string> MembersOnlyNotes(const std::vector<ExtenderEntry>& extenders) {
  std::vector<std::string> resources;
  std::string agent;
  for (const ExtenderEntry& extender : extenders) {
    if (extender.only_for.empty()) continue;
    resources.push_back(extender.only_for);
    agent = extender.settings_of;
  }
  if (resources.empty()) return {};
  return {
      fmt::format("{0} is called only for pods that request {1}: make members of groups request "
                  "each, by deploy/member-policy.yaml from Kubernetes 1.36 on, before that in the "
                  "pod templates. Other members are placed as single pods",
                  agent, fmt::join(resources, " and "))};
}

std::vector<std::string> NodeNotes(const std::vector<ExtenderEntry>& extenders) {
  std::set<std::string> agents;
  for (const ExtenderEntry& extender : extenders) {
    if (extender.names_only) agents.insert(extender.agents.begin(), extender.agents.end());
  }
  if (agents.empty()) return {};
  return {fmt::format(
      "nodeCacheCapable is true: calls carry only node names, and the agents watch the nodes "
      "themselves: give {} access to the API server (`outrigger agents --rbac NAME`; in a pod by "
      "its service account, else by --kubeconfig), or use --full-nodes",
      fmt::join(agents, " and "))};
}

}  // namespace outrigger::cli
