#pragma once

#include <prometheus/labels.h>
#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

#include "http/server.h"
#include "serve/server/metrics.h"

// Families whose values are read when they are rendered, not counted as things happen.

namespace outrigger::server {

using Sample = std::pair<prometheus::Labels, double>;

prometheus::MetricFamily Read(const char* name, const char* help, prometheus::MetricType type,
                              const std::vector<Sample>& samples);

/// The figures of listeners, by the value of the label `listener`. Nothing for none.
void AppendListeners(const std::vector<std::pair<std::string, http::ServerStats>>& listeners,
                     std::vector<prometheus::MetricFamily>* families);

/// How the API server is followed.
void AppendCluster(const FollowedCluster& cluster, std::vector<prometheus::MetricFamily>* families);

/// Families of a part of the program that this module does not know.
void AppendShown(const std::vector<ShownFamily>& shown,
                 std::vector<prometheus::MetricFamily>* families);

}  // namespace outrigger::server
