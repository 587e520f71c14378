#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/config/config.h"
#include "kube/config/credentials.h"

// The two JSON documents between a client and its exec plugin (client.authentication.k8s.io).

namespace outrigger::kube {

struct ExecCredential {
  Credentials credentials;
  std::optional<std::chrono::system_clock::time_point> expires;
};

/// What the plugin of `config` is told in KUBERNETES_EXEC_INFO.
std::string ExecInfo(const ClientConfig& config);

/// Reads what a plugin printed. InvalidArgument names the field that is wrong, never a secret.
absl::StatusOr<ExecCredential> ParseExecCredential(std::string_view printed,
                                                   std::string_view api_version);

/// Whether `api_version` is one that is spoken here.
bool IsExecVersion(std::string_view api_version);

}  // namespace outrigger::kube
