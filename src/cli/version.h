#pragma once

#include <string>
#include <vector>

#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// `outrigger version`; `output` is "text" or "json". Ends with a newline.
std::string VersionText(const std::string& output, const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
