#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/flags.h"
#include "cli/scheduler_config/per_agent.h"
#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// The tlsConfig of an extender; empty fields are left out. The files are read by the scheduler,
/// where it runs.
struct ExtenderTls {
  std::string server_name;
  std::string cert_file;
  std::string key_file;
  std::string ca_file;
  bool insecure = false;

  bool operator==(const ExtenderTls& other) const = default;
};

/// The --tls-* flags of `outrigger scheduler-config`. Not thread-safe.
class ExtenderTlsFlags {
 public:
  /// InvalidArgument names the flag and what is accepted.
  static absl::StatusOr<ExtenderTlsFlags> Read(const SchedulerConfigFlags& flags,
                                               const std::vector<const AgentInfo*>& agents);

  /// True if a flag asks for TLS to this agent: https:// is then what its URL defaults to.
  bool WantedFor(const std::string& agent) const;

  /// What the scheduler needs to call `agent` at `url`; nothing for http://. InvalidArgument if the
  /// flags contradict the URL or each other, or leave the scheduler without a way to know whom it
  /// talks to: without an authority it checks nothing, and says nothing about it.
  absl::StatusOr<std::optional<ExtenderTls>> For(const std::string& agent,
                                                 const std::string& url) const;

 private:
  ExtenderTls Of(const std::string& agent) const;

  PerAgent<std::string> ca_{""};
  PerAgent<std::string> cert_{""};
  PerAgent<std::string> key_{""};
  PerAgent<std::string> server_name_{""};
  bool insecure_ = false;
};

}  // namespace outrigger::cli
