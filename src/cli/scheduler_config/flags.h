#pragma once

#include <string>
#include <vector>

namespace outrigger::cli {

struct SchedulerConfigFlags {
  std::string agents;  // empty: all
  /// "VALUE" for all agents or "AGENT=VALUE" for one.
  std::vector<std::string> urls;
  std::vector<std::string> weights;
  std::vector<std::string> http_timeouts;
  std::vector<std::string> tls_cas;
  std::vector<std::string> tls_certs;
  std::vector<std::string> tls_keys;
  std::vector<std::string> tls_server_names;
  std::string bind_timeout = "10m30s";
  std::string in;  // path; "-" is standard input
  std::string scheduler_name;
  std::string name_space = "kube-system";  // of the Lease
  std::string kubeconfig;
  bool full_nodes = false;
  bool ignorable = false;
  bool members_only = false;
  bool tls_insecure = false;
};

}  // namespace outrigger::cli
