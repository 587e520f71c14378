#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "console/format/environment.h"
#include "console/settings/annotate_settings.h"

namespace outrigger::cli {

/// Takes what the variables of the original annotators say for settings that nothing else gives:
/// PROM_IP and PROM_PORT, NODE_EXP_PORT, ANNOTATE_FREQ, USE_FORECAST, USE_REQ. InvalidArgument
/// names the variable, its value and what is accepted: a value that is not is never passed over.
/// Variables that Kubernetes makes for a Service named "prom" are left alone.
absl::Status TakeFormerEnvironment(const Environment& environment, Annotating what,
                                   SettingGroup* group);

/// The variables that stand for a setting: "PROM_IP, PROM_PORT"; empty: none.
std::string FormerVariables(std::string_view setting);

}  // namespace outrigger::cli
