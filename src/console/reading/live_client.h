#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "console/format/environment.h"
#include "kube/transport/client.h"

namespace outrigger::cli {

/// How to reach a cluster, as kubectl's flags of the same names say it.
struct LiveClusterFlags {
  std::string kubeconfig;  ///< path; empty: KUBECONFIG, ~/.kube/config, the pod's service account
  std::string context;     ///< or empty: the current one
};

/// A client of the API server, and the address by which texts call that.
struct LiveClient {
  std::unique_ptr<kube::Client> client;
  std::string server;
};

/// Few retries, for a person in front of a terminal.
kube::ClientOptions ForAPerson();

/// Opens the API server that `flags` and `environment` name. Makes no call. InvalidArgument names
/// what is wrong with a kubeconfig; NotFound, if there is no way to a cluster at all, says to give
/// `instead` ("--kubeconfig FILE").
absl::StatusOr<LiveClient> OpenLiveClient(const LiveClusterFlags& flags,
                                          const Environment& environment,
                                          std::string_view instead = "--kubeconfig FILE",
                                          kube::ClientOptions options = ForAPerson());

}  // namespace outrigger::cli
