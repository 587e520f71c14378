#include "measured_page.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace outrigger::safe {
namespace {

using Type = PageColumn::Type;

constexpr std::array kShown = {kCpuResource, kMemoryResource};
constexpr double kPoints = 10;  // of the best node
constexpr double kPercent = 100;
constexpr size_t kTimeColumns = 2;
constexpr size_t kResourceColumns = 4;

// "cpuMean" and so on.
void AddColumns(std::string_view resource, const Settings& settings,
                std::vector<PageColumn>* columns) {
  const auto add = [&](std::string_view name, std::string help) {
    columns->push_back({fmt::format("{}{}", resource, name), Type::kNumber, std::move(help)});
  };
  add("Mean", "measured mean of its use, with the forecast if there is one: share of allocatable");
  add("Deviation", "measured standard deviation of its use: share of allocatable");
  add("Expected",
      "what is added to the mean for pods that came or went about the time of measuring: share of "
      "allocatable");
  add("Risk", fmt::format("probability that its use, with what is expected, exceeds {:.4g} percent",
                          settings.utilization * kPercent));
}

std::string StateOf(const NodeAnswer& answer) {
  const Assessment& assessment = answer.assessment;
  if (assessment.is_stale) return "too old";
  for (const Resource resource : kShown) {
    if (assessment.statistics[resource].known) return "measured";
  }
  return answer.has_malformed ? "malformed" : "not measured";
}

// Of a node without statistics it is known at most when the agent saw it first.
void AddTimes(const Assessment& assessment, const std::string& state, double now,
              std::vector<PageCell>* row) {
  const bool has_time = state == "measured" || state == "too old";
  if (!has_time || !assessment.measured) {
    row->insert(row->end(), kTimeColumns, PageCell());
    return;
  }
  row->emplace_back(static_cast<int64_t>(std::max(now - assessment.measured->end, 0.0)));
  row->emplace_back(assessment.measured->length);
}

void AddResource(const NodeAnswer& answer, Resource resource, std::vector<PageCell>* row) {
  ResourceStatistics measured = answer.assessment.statistics[resource];
  if (!measured.known) {
    row->insert(row->end(), kResourceColumns, PageCell());
    return;
  }
  const double expected = std::exchange(measured.correction, 0) / measured.capacity;
  const auto [mean, deviation] = UtilizationWith(measured, /*demand=*/0);
  row->insert(row->end(), {mean, deviation, expected, answer.risk[resource]});
}

}  // namespace

PageSpec MeasuredPage(const Settings& settings) {
  PageSpec page{"measured",
                "nodes by name: their measured use, and how they score for a pod without requests",
                {{"node", Type::kText, "name of the node"},
                 {"state", Type::kText,
                  "measured, not measured, too old or malformed: all but the first fit, and have "
                  "the score of the setting no-statistics-score"},
                 {"score", Type::kNumber, "0 to 10: weighted mean of overload and balance"},
                 {"overload", Type::kNumber,
                  "0 to 10: 1 - sqrt(risk / maxRisk) of the worse resource, in whole points"},
                 {"balance", Type::kNumber,
                  "0 to 10: the less mean and deviation the worse resource has, the more"},
                 {"fits", Type::kBoolean, "no risk is above maxRisk: the filter accepts the node"},
                 {"measuredSecondsAgo", Type::kInteger, "age of the measurement"},
                 {"windowSeconds", Type::kNumber, "length of the window that was measured"}}};
  for (const Resource resource : kShown) AddColumns(Name(resource), settings, &page.columns);
  page.columns.push_back({"maxRisk", Type::kNumber, "highest accepted risk: the setting max-risk"});
  return page;
}

void AddRow(const NodeAnswer& answer, const Settings& settings, double now, PageTable* table) {
  const std::string state = StateOf(answer);
  std::vector<PageCell> row = {std::string(answer.node), state,
                               answer.score * kPoints,   answer.overload * kPoints,
                               answer.balance * kPoints, answer.fits};
  AddTimes(answer.assessment, state, now, &row);
  for (const Resource resource : kShown) AddResource(answer, resource, &row);
  row.emplace_back(settings.max_risk);
  table->Add(std::move(row));
}

}  // namespace outrigger::safe
