#pragma once

#include <string>
#include <vector>

#include "outrigger/agent/registry.h"

// The files of deploy/monitoring, as `outrigger docs` prints them for scripts/update-docs.

namespace outrigger::cli {

/// Returns prometheus-rules.yaml: all alerts as a PrometheusRule.
std::string AlertRules();

/// Returns outrigger-dashboard.json, for Grafana 10 and newer: what AlertRules() looks at, the
/// server's metrics, and every metric that an agent of `registry` declares.
std::string Dashboard(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
