#pragma once

#include <memory>

#include "kube/config/config.h"
#include "kube/config/credentials.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

/// Credentials from the exec plugin of `config`, which has one. The plugin runs in the background,
/// once for all who wait; what it printed is kept until it expires, renewed in the last tenth (at
/// most the last minute) of its life without making anybody wait, and after a 401.
std::unique_ptr<CredentialSource> MakeExecCredentials(const ClientConfig& config,
                                                      const Clock& clock, Warn warn);

}  // namespace outrigger::kube
