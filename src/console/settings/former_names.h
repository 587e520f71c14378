#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/settings/loader.h"

namespace outrigger::cli {

/// `sources` with the former names of settings replaced by the present ones, and without settings
/// that are retired, of which `groups` gets the values that still count; `warnings` gets a line for
/// each. InvalidArgument names both where one source gives a setting twice in that way, and the
/// values that a former setting accepts.
absl::StatusOr<SettingSources> WithPresentNames(SettingSources sources,
                                                const std::vector<SettingGroup>& groups,
                                                std::vector<std::string>* warnings);

}  // namespace outrigger::cli
