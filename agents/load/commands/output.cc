#include "load/commands/output.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "console/format/text.h"
#include "console/format/text_table.h"
#include "fmt/format.h"
#include "load/annotate/node_values.h"

namespace outrigger::cli {

std::string Progress::Text(size_t pending) {
  if (pending == 0) most_ = 0;
  most_ = std::max(most_, pending);
  if (most_ < kLong) return "";
  return fmt::format("{} of {} nodes written, about {} s left", most_ - pending, most_,
                     std::ceil(static_cast<double>(pending) / qps_));
}

std::string AnsweredCalls::Text() const {
  const size_t done = done_;
  const size_t total = total_;
  return done < total ? fmt::format("{} of {} queries answered", done, total) : "";
}

void Progress::Show(size_t pending, const std::string& calls) {
  std::string text = Text(pending);
  if (!text.empty() && !calls.empty()) text += "; ";
  text += calls;
  if (text.empty() && !is_shown_) return;
  terminal_ << "\r\033[K" << text << std::flush;
  is_shown_ = !text.empty();
}

namespace {

using Series = server::ShownFamily::Series;

server::ShownFamily Counter(std::string name, std::string help, std::vector<Series> series) {
  return {.name = std::move(name),
          .help = std::move(help),
          .is_counter = true,
          .series = std::move(series)};
}

server::ShownFamily Gauge(std::string name, std::string help, double value) {
  return {.name = std::move(name),
          .help = std::move(help),
          .is_counter = false,
          .series = {{.labels = {}, .value = value}}};
}

std::vector<Series> One(double value) {
  return {{.labels = {}, .value = value}};
}

}  // namespace

std::vector<server::ShownFamily> FamiliesOf(const annotate::Figures& figures) {
  std::vector<Series> patches;
  for (const auto& [outcome, count] : figures.patches) {
    patches.push_back({.labels = {{"outcome", outcome}}, .value = static_cast<double>(count)});
  }
  std::vector<Series> missing;
  for (const auto& [key, count] : figures.missing) {
    missing.push_back({.labels = {{"node", key.first}, {"cause", key.second}},
                       .value = static_cast<double>(count)});
  }
  std::vector<server::ShownFamily> families;
  families.push_back(Counter("outrigger_annotate_patches_total", "Patches of nodes, by result.",
                             std::move(patches)));
  families.push_back(Counter("outrigger_annotate_missing_total",
                             "Values missing in the source, by node and cause.",
                             std::move(missing)));
  families.push_back(Counter("outrigger_annotate_removed_total",
                             "Annotations removed because the source lost their value.",
                             One(static_cast<double>(figures.removed))));
  families.push_back(Counter("outrigger_annotate_rounds_total", "Rounds that computed values.",
                             One(static_cast<double>(figures.rounds))));
  families.push_back(Counter("outrigger_annotate_failed_rounds_total",
                             "Rounds that failed because of the cluster or the source.",
                             One(static_cast<double>(figures.failed_rounds))));
  families.push_back(Counter("outrigger_annotate_round_seconds_total",
                             "Total time of rounds, including the source's time.",
                             One(figures.round_seconds)));
  families.push_back(Counter("outrigger_annotate_compare_seconds_total",
                             "Total time of rounds after the source's response.",
                             One(figures.compute_seconds)));
  families.push_back(Gauge("outrigger_annotate_pending_nodes",
                           "Nodes whose patch is not written yet.",
                           static_cast<double>(figures.pending)));
  families.push_back(Gauge("outrigger_annotate_nodes", "Nodes of the last round.",
                           static_cast<double>(figures.nodes)));
  families.push_back(Gauge("outrigger_annotate_incomplete_nodes",
                           "Nodes of the last round that lacked a value.",
                           static_cast<double>(figures.nodes_without)));
  families.push_back(Gauge("outrigger_annotate_leader", "1 while this process writes, else 0.",
                           figures.is_leader ? 1 : 0));
  return families;
}

namespace {

// The wrong spelling has the same values, and the time of the measurement stands above the table.
bool IsShown(std::string_view key) {
  return !key.starts_with("forcasted-") && key != annotate::kMeasured;
}

// Annotations that are missing for the same reason stand together.
std::string MissingText(const annotate::NodeValues& values, size_t columns) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_cause;
  for (const annotate::MissingValue& missing : values.missing) {
    if (missing.lack == annotate::Lack::kOff || !IsShown(missing.annotation)) continue;
    by_cause[{missing.cause, missing.detail}].push_back(missing.annotation);
  }
  std::string text;
  for (const auto& [cause, annotations] : by_cause) {
    const std::string which = annotations.size() == columns ? "all" : Listed(annotations);
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : "; ", which, cause.first,
                        cause.second.empty() ? "" : fmt::format(" ({})", cause.second));
  }
  return text;
}

std::vector<Cell> RowOf(const PreviewRow& row, const std::vector<std::string>& keys,
                        bool has_series) {
  std::vector<Cell> cells = {{row.wanted.node}};
  if (has_series) cells.push_back({row.wanted.series.empty() ? "-" : row.wanted.series});
  for (const std::string& key : keys) {
    const auto found = row.wanted.values.find(key);
    cells.push_back({found == row.wanted.values.end() ? "-" : found->second, Style::kPlain, true});
  }
  cells.push_back(
      {row.change.empty() ? "-" : std::to_string(row.change.size()), Style::kPlain, true});
  const std::string missing = MissingText(row.wanted, keys.size());
  cells.push_back({missing.empty() ? "-" : missing, missing.empty() ? Style::kFaint : Style::kBad});
  return cells;
}

std::string Heading(const std::vector<PreviewRow>& rows) {
  for (const PreviewRow& row : rows) {
    if (row.wanted.measured) {
      return fmt::format("measured: {}\n", annotate::PrintMeasurement(*row.wanted.measured));
    }
  }
  return "";
}

}  // namespace

std::string PreviewTable(std::vector<PreviewRow> rows, const std::vector<std::string>& keys,
                         const Terminal& terminal) {
  std::sort(rows.begin(), rows.end(),
            [](const PreviewRow& a, const PreviewRow& b) { return a.wanted.node < b.wanted.node; });
  const bool has_series = std::any_of(rows.begin(), rows.end(), [](const PreviewRow& row) {
    return row.wanted.measured.has_value();
  });
  std::vector<std::string> columns;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(columns), IsShown);
  std::vector<Cell> head = {{"NODE", Style::kStrong}};
  if (has_series) head.push_back({"SERIES", Style::kStrong});
  for (const std::string& key : columns) {
    std::string title = UpperCase(key);
    std::replace(title.begin(), title.end(), '_', '-');
    head.push_back({std::move(title), Style::kStrong, true});
  }
  head.push_back({"WRITES", Style::kStrong, true});
  head.push_back({"MISSING", Style::kStrong});
  std::vector<std::vector<Cell>> table = {std::move(head)};
  for (const PreviewRow& row : rows) table.push_back(RowOf(row, columns, has_series));
  return Heading(rows) + TextTable(table, terminal.is_one, terminal.columns);
}

}  // namespace outrigger::cli
