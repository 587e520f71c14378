#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "kube/config/config.h"
#include "kube/config/kubeconfig_file.h"

namespace outrigger::kube {

struct KubeconfigOptions {
  std::string path;     // empty: the files of KUBECONFIG, else ~/.kube/config
  std::string context;  // empty: current-context
};

/// Reads kubeconfig files as kubectl does. Of several in KUBECONFIG the first to have an entry, or
/// a current-context, wins, and those that do not exist are left out; paths in a file are relative
/// to its folder. Errors name file, entry, value and what is accepted; NotFound if there is no file
/// at all. What could only fail later or silently (user names and passwords, auth-provider) is
/// refused by name.
absl::StatusOr<ClientConfig> LoadKubeconfig(const KubeconfigOptions& options,
                                            const Environment& environment);

/// The same for files in hand, first to last.
absl::StatusOr<ClientConfig> ChooseContext(const std::vector<KubeconfigFile>& files,
                                           const std::string& context);

}  // namespace outrigger::kube
