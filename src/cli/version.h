#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// "0.1.0"
std::string_view Version();

/// `outrigger version`; `output` is "text" or "json". Ends with a newline.
std::string VersionText(const std::string& output, const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
