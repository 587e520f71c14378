#include "lab/commands/cycle_block.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "console/format/text_table.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using lab::CycleTrace;
using lab::TraceRow;
using Cells = std::vector<Cell>;

constexpr std::string_view kIndent = "  ";
constexpr std::string_view kCut = "...";
// Of names of nodes and plugins, which may have 253 characters.
constexpr size_t kLongestName = 40;
// Of different answers that are counted by themselves.
constexpr size_t kMostAnswers = 3;

/// The rows of one plugin in one stage.
struct Group {
  const TraceRow* first;
  std::vector<const TraceRow*> rows;
};

bool BelongsTo(const Group& group, const TraceRow& row) {
  return group.first->stage == row.stage && group.first->plugin == row.plugin;
}

// In the order in which they began: a stage may ask its plugins node by node. What comes after a
// later stage is not added to an earlier one.
std::vector<Group> GroupsOf(const std::vector<TraceRow>& rows) {
  std::vector<Group> groups;
  for (const TraceRow& row : rows) {
    auto at = groups.rbegin();
    while (at != groups.rend() && at->first->stage == row.stage && !BelongsTo(*at, row)) ++at;
    if (at != groups.rend() && BelongsTo(*at, row)) {
      at->rows.push_back(&row);
    } else {
      groups.push_back({&row, {&row}});
    }
  }
  return groups;
}

std::string ShortName(std::string_view name) {
  std::string text = Printable(name);
  if (text.size() <= kLongestName) return text;
  const size_t end = (kLongestName - kCut.size()) / 2;
  const size_t start = kLongestName - kCut.size() - end;
  return fmt::format("{}{}{}", text.substr(0, start), kCut, text.substr(text.size() - end));
}

// "470 x ok, 10 x node(s) were unschedulable": the most frequent first.
std::string Counted(const std::vector<const TraceRow*>& rows, size_t from) {
  std::map<std::string_view, size_t> counts;
  for (size_t i = from; i < rows.size(); ++i) ++counts[rows[i]->answer];
  std::vector<std::pair<std::string_view, size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  size_t others = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i < kMostAnswers) {
      texts.push_back(fmt::format("{} x {}", sorted[i].second, sorted[i].first));
    } else {
      others += sorted[i].second;
    }
  }
  if (others > 0) texts.push_back(fmt::format("{} x other answers", others));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Style StyleOf(const TraceRow& row) {
  if (!row.good) return Style::kBad;
  return row.stage == "Select" ? Style::kGood : Style::kPlain;
}

void AddGroup(const Group& group, size_t most, std::vector<Cells>* table) {
  const size_t listed = group.rows.size() > most ? most : group.rows.size();
  for (size_t i = 0; i < listed; ++i) {
    const TraceRow& row = *group.rows[i];
    const bool is_first = i == 0;
    table->push_back({{std::string(kIndent) + (is_first ? std::string(row.stage) : "")},
                      {is_first ? ShortName(row.plugin) : ""},
                      {ShortName(row.node)},
                      {row.answer, StyleOf(row)}});
  }
  if (listed == group.rows.size()) return;
  table->push_back({{std::string(kIndent)},
                    {},
                    {fmt::format("and {} more", group.rows.size() - listed), Style::kFaint},
                    {Counted(group.rows, listed), Style::kFaint}});
}

}  // namespace

std::string CycleLine(const CycleTrace& trace) {
  const std::string text = trace.bound ? fmt::format("{} -> {}", trace.pod, trace.node)
                                       : fmt::format("{}: {}", trace.pod, trace.reason);
  return Printable(text) + "\n";
}

std::string CycleBlock(const CycleTrace& trace, const CycleBlockOptions& options) {
  std::vector<Cells> table;
  for (const Group& group : GroupsOf(trace.rows)) AddGroup(group, options.most_nodes, &table);
  const std::string end = trace.bound ? "-> " + trace.node : "not bound: " + trace.reason;
  return fmt::format(
      "{}, attempt {}\n{}{}{}\n\n", Styled(Printable(trace.pod), Style::kStrong, options.color),
      trace.attempt, TextTable(table, options.color, options.columns), kIndent,
      Styled(Printable(end), trace.bound ? Style::kGood : Style::kBad, options.color));
}

}  // namespace outrigger::cli
