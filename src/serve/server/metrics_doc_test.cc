#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "fake_engine_testing.h"
#include "serve/server/metrics.h"

// docs/metrics.md and /metrics name the same metrics.

namespace outrigger::server {
namespace {

struct Metric {
  std::string type;
  std::set<std::string> labels;
  std::string help;
  friend bool operator==(const Metric&, const Metric&) = default;
  friend void PrintTo(const Metric& metric, std::ostream* out) {
    *out << fmt::format("{} {{{}}} {}", metric.type, fmt::join(metric.labels, ","), metric.help);
  }
};
using MetricsByName = std::map<std::string, Metric>;

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    const size_t start = part.find_first_not_of(" `");
    const size_t end = part.find_last_not_of(" `");
    parts.push_back(start == std::string::npos ? "" : part.substr(start, end - start + 1));
  }
  return parts;
}

/// Rows "| `name` | type | labels | meaning |".
MetricsByName Documented() {
  MetricsByName metrics;
  std::ifstream file(OUTRIGGER_DOCS "/metrics.md");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const auto cells = Split(line, '|');
    Metric& metric = metrics[cells.at(1)];
    metric.type = cells.at(2);
    for (const std::string& label : Split(cells.at(3), ',')) {
      if (!label.empty()) metric.labels.insert(label);
    }
    metric.help = cells.at(4);
  }
  return metrics;
}

/// The family that a sample belongs to: histograms have suffixes.
Metric* FamilyOf(MetricsByName& metrics, std::string name) {
  for (const std::string suffix : {"", "_bucket", "_sum", "_count"}) {
    if (!name.ends_with(suffix)) continue;
    const auto found = metrics.find(name.substr(0, name.size() - suffix.size()));
    if (found != metrics.end()) return &found->second;
  }
  return nullptr;
}

MetricsByName Parse(const std::string& exposition) {
  MetricsByName metrics;
  std::istringstream lines(exposition);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, kind, name, rest;
    if (line.starts_with("# ")) {
      words >> hash >> kind >> name >> std::ws;
      std::getline(words, rest);
      (kind == "HELP" ? metrics[name].help : metrics[name].type) = rest;
      continue;
    }
    Metric* const metric = FamilyOf(metrics, line.substr(0, line.find_first_of("{ ")));
    if (metric == nullptr) {
      ADD_FAILURE() << "a sample without HELP and TYPE: " << line;
      continue;
    }
    if (line.find('{') == std::string::npos) continue;
    const std::string labels =
        line.substr(line.find('{') + 1, line.rfind('}') - line.find('{') - 1);
    for (const std::string& label : Split(labels, ',')) {
      const std::string key = label.substr(0, label.find('='));
      if (key != "le") metric->labels.insert(key);
    }
  }
  return metrics;
}

TEST(MetricsPage, NamesExactlyWhatIsExposed) {
  const auto metrics = Metrics::Create();
  metrics->Declare(FakeEngine().endpoints());
  metrics->OnRejected("safe", "risk", 1);
  metrics->OnMalformed("safe", "load");
  metrics->Watch("extender", [] { return http::ServerStats{}; });
  metrics->Follow([] { return FollowedCluster{.resources = {{.resource = "nodes"}}}; });
  const MetricsByName documented = Documented();
  ASSERT_GE(documented.size(), 10U) << "the table of docs/metrics.md was not found";
  EXPECT_EQ(documented, Parse(metrics->Render()));
}

}  // namespace
}  // namespace outrigger::server
