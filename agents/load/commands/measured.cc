#include "load/commands/measured.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "console/format/text.h"
#include "console/format/text_table.h"
#include "console/format/yaml.h"
#include "fmt/format.h"
#include "load/annotate/node_values.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Of a resource, in percent of what is allocatable.
struct UsedPart {
  std::optional<double> mean, deviation;
};

/// Values that are missing for one reason.
struct NoValue {
  std::vector<std::string> of;  // "cpu", "deviation of cpu"
  std::string cause, reason;
};

/// A row of the table.
struct MeasuredRow {
  std::string node, series;
  std::optional<annotate::Measurement> measured;  // only if a value was
  UsedPart cpu, memory;
  std::vector<NoValue> without;
};

double ToTenths(double percent) {
  return std::round(10 * percent) / 10;
}

/// In percent.
std::optional<double> ShareOf(const annotate::Annotations& values, const std::string& key,
                              double allocatable) {
  const auto found = values.find(key);
  double value = 0;
  if (found == values.end() || !(allocatable > 0) || !absl::SimpleAtod(found->second, &value)) {
    return std::nullopt;
  }
  return 100 * value / allocatable;
}

UsedPart UsedOf(const annotate::Annotations& values, const std::string& resource,
                double allocatable) {
  const auto free = ShareOf(values, "mean-free-" + resource, allocatable);
  const auto deviation = ShareOf(values, "std-free-" + resource, allocatable);
  UsedPart used;
  if (free) used.mean = ToTenths(std::clamp(100 - *free, 0.0, 100.0));
  if (deviation) used.deviation = ToTenths(*deviation);
  return used;
}

/// "cpu", "deviation of cpu" or "forecast of cpu"; other annotations stay as they are.
std::string WordOf(std::string_view annotation) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"mean-free-", ""}, {"std-free-", "deviation of "}, {"forecasted-free-", "forecast of "}};
  for (const auto& [prefix, word] : kWords) {
    if (annotation.starts_with(prefix)) {
      return fmt::format("{}{}", word, annotation.substr(prefix.size()));
    }
  }
  return std::string(annotation);
}

std::vector<NoValue> WithoutOf(const std::vector<annotate::MissingValue>& missing) {
  std::vector<NoValue> all;
  all.reserve(missing.size());
  for (const annotate::MissingValue& one : missing) {
    // The wrong spelling of forecasts has the same values.
    if (one.lack == annotate::Lack::kOff || one.annotation.starts_with("forcasted-")) continue;
    auto same = std::find_if(all.begin(), all.end(), [&one](const NoValue& other) {
      return other.cause == one.cause && other.reason == one.detail;
    });
    if (same == all.end()) {
      all.push_back({.of = {}, .cause = one.cause, .reason = one.detail});
      same = all.end() - 1;
    }
    std::string word = WordOf(one.annotation);
    // Without a mean there is no deviation either.
    const bool is_said = std::any_of(same->of.begin(), same->of.end(), [&word](const auto& said) {
      return word.ends_with(" of " + said);
    });
    if (!is_said) same->of.push_back(std::move(word));
  }
  return all;
}

MeasuredRow RowOf(MeasuredNode node) {
  annotate::NodeValues& values = node.values;
  MeasuredRow row;
  row.cpu = UsedOf(values.values, "cpu", node.cpu);
  row.memory = UsedOf(values.values, "memory", node.memory);
  row.without = WithoutOf(values.missing);
  if (row.cpu.mean || row.memory.mean) row.measured = values.measured;
  row.node = std::move(values.node);
  row.series = std::move(values.series);
  return row;
}

std::string TimeText(int64_t seconds) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(seconds),
                          absl::UTCTimeZone());
}

Cell PercentCell(std::optional<double> percent) {
  return {.text = percent ? fmt::format("{:.1f}%", *percent) : "-", .to_the_right = true};
}

std::string ReasonText(const std::vector<NoValue>& without) {
  std::string text;
  for (const NoValue& one : without) {
    text += fmt::format("{}{}: {}{}{}", text.empty() ? "" : "; ", Listed(one.of), one.cause,
                        one.reason.empty() ? "" : ": ", one.reason);
  }
  return text.empty() ? "-" : text;
}

std::string TableOf(const std::vector<MeasuredRow>& rows, const Terminal& terminal) {
  std::vector<std::vector<Cell>> table = {{{"NODE", Style::kStrong},
                                           {"SINCE", Style::kStrong},
                                           {"WINDOW", Style::kStrong, true},
                                           {"CPU", Style::kStrong, true},
                                           {"DEVIATION", Style::kStrong, true},
                                           {"MEMORY", Style::kStrong, true},
                                           {"DEVIATION", Style::kStrong, true},
                                           {"SERIES", Style::kStrong},
                                           {"NO VALUE", Style::kStrong}}};
  table.reserve(rows.size() + 1);
  for (const MeasuredRow& row : rows) {
    const auto& measured = row.measured;
    table.push_back({{row.node},
                     {measured ? TimeText(measured->end - measured->window) : "-"},
                     {measured ? fmt::format("{}s", measured->window) : "-", Style::kPlain, true},
                     PercentCell(row.cpu.mean),
                     PercentCell(row.cpu.deviation),
                     PercentCell(row.memory.mean),
                     PercentCell(row.memory.deviation),
                     {row.series.empty() ? "-" : row.series},
                     {ReasonText(row.without), row.without.empty() ? Style::kFaint : Style::kBad}});
  }
  return TextTable(table, terminal.is_one, terminal.columns);
}

OrderedJson JsonOf(const UsedPart& used) {
  OrderedJson json = OrderedJson::object();
  if (used.mean) json["usedPercent"] = *used.mean;
  if (used.deviation) json["deviationPercent"] = *used.deviation;
  return json;
}

OrderedJson JsonOf(const MeasuredRow& row) {
  OrderedJson json = {{"node", row.node}};
  if (!row.series.empty()) json["series"] = row.series;
  if (row.measured) {
    json["since"] = TimeText(row.measured->end - row.measured->window);
    json["windowSeconds"] = row.measured->window;
  }
  if (row.cpu.mean || row.cpu.deviation) json["cpu"] = JsonOf(row.cpu);
  if (row.memory.mean || row.memory.deviation) json["memory"] = JsonOf(row.memory);
  OrderedJson without = OrderedJson::array();
  for (const NoValue& one : row.without) {
    without.push_back({{"of", one.of}, {"cause", one.cause}, {"reason", one.reason}});
  }
  if (!without.empty()) json["noValue"] = std::move(without);
  return json;
}

}  // namespace

std::string MeasuredText(std::vector<MeasuredNode> nodes, std::string_view form,
                         const Terminal& terminal) {
  std::vector<MeasuredRow> rows;
  rows.reserve(nodes.size());
  for (MeasuredNode& node : nodes) rows.push_back(RowOf(std::move(node)));
  std::sort(rows.begin(), rows.end(),
            [](const MeasuredRow& a, const MeasuredRow& b) { return a.node < b.node; });
  if (form == "table") return TableOf(rows, terminal);
  OrderedJson all = OrderedJson::array();
  for (const MeasuredRow& row : rows) all.push_back(JsonOf(row));
  // Texts of a source need not be UTF-8.
  const std::string json = OrderedJson{{"nodes", std::move(all)}}.dump(
      2, ' ', false, OrderedJson::error_handler_t::replace);
  return form == "json" ? json + "\n" : YamlFromJson(OrderedJson::parse(json));
}

}  // namespace outrigger::cli
