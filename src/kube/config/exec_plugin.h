#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/config/config.h"
#include "kube/config/credentials.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

// The two JSON documents between a client and its exec plugin (client.authentication.k8s.io).

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

// The plugin itself.

/// Credentials from the exec plugin of `config`, which has one. The plugin runs in the background,
/// once for all who wait; what it printed is kept until it expires, renewed in the last tenth (at
/// most the last minute) of its life without making anybody wait, and after a 401.
std::unique_ptr<CredentialSource> MakeExecCredentials(const ClientConfig& config,
                                                      const Clock& clock, Warn warn);

}  // namespace outrigger::kube
