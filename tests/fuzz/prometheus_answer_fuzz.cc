// Answers of Prometheus: what is read has a cause or series, and every value that a node gets of
// it is finite or a gap.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "load/usage/forecast.h"
#include "load/usage/node_index.h"
#include "load/usage/node_values.h"
#include "load/usage/prometheus_answer.h"
#include "load/usage/queries.h"
#include "load/usage/source.h"

namespace outrigger::fuzz {
namespace {

std::vector<usage::NodeQuestion> Nodes() {
  usage::NodeQuestion a;
  a.name = "a";
  a.addresses = {"10.0.0.1"};
  usage::NodeQuestion b;
  b.name = "b";
  b.addresses = {"fe80::1"};
  return {a, b};
}

void CheckValue(const usage::Value& value) {
  OUTRIGGER_REQUIRE(value.value.has_value() == (value.gap == usage::Gap::kNone));
  OUTRIGGER_REQUIRE(!value.value || std::isfinite(*value.value));
  OUTRIGGER_REQUIRE(value.value || !value.detail.empty());
}

void CheckMatches(const usage::QueryAnswer& answer) {
  const std::vector<usage::NodeQuestion> nodes = Nodes();
  usage::NodeIndex index(nodes, 9100);
  index.LearnNames(answer.series);
  for (const usage::NodeMatch& match : index.Match(answer.series)) {
    OUTRIGGER_REQUIRE(match.selector.has_value() == (match.gap == usage::Gap::kNone));
    OUTRIGGER_REQUIRE(match.selector || !match.detail.empty());
  }
  const auto node_of = [&index](const usage::Labels& labels) {
    const auto hits = index.HitsOf(labels);
    return hits.empty() ? usage::kNoNode : hits.front().node;
  };
  for (const usage::NodeSeries& node : usage::SeriesOfNodes(answer, nodes.size(), node_of)) {
    const usage::Value last = usage::LastValue(node, /*signed_ok=*/false);
    CheckValue(last);
    OUTRIGGER_REQUIRE(!last.value || *last.value >= 0);
    CheckValue(usage::ForecastValue(node, 1000, 10, 100));
  }
}

void Check(std::string_view text) {
  std::string body(text);
  const auto answer = usage::ReadQueryAnswer(&body);
  OUTRIGGER_REQUIRE(body == text);
  if (!answer.ok()) {
    OUTRIGGER_REQUIRE(!answer.status().message().empty());
    return;
  }
  OUTRIGGER_REQUIRE(usage::ScrapeInterval(answer->series).count() >= 0);
  CheckMatches(*answer);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
