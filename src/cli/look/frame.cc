#include "cli/look/frame.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "cli/look/totals.h"
#include "console/format/text.h"
#include "console/format/text_table.h"
#include "console/pages/page_text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli::look {
namespace {

using Lines = std::vector<std::string>;
using Row = std::vector<Cell>;

constexpr std::string_view kWaits = "waits";
constexpr std::string_view kGang = "gang";
// From so many columns on there is room for columns that tell less.
constexpr size_t kWide = 110;

// A character a column: others are as wide as the terminal takes them.
std::string Shown(std::string_view text) {
  std::string shown;
  for (const char c : Printable(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_lead = byte >= 0xC0;
    if (byte < 0x80) shown += c;
    if (is_lead) shown += '?';
  }
  return shown;
}

std::string CutText(std::string text, size_t width) {
  constexpr std::string_view kMore = "...";
  if (text.size() <= width) return text;
  text.resize(width > kMore.size() ? width - kMore.size() : width);
  return width > kMore.size() ? text.append(kMore) : text;
}

Lines TableLines(const std::vector<Row>& rows, const View& view) {
  Lines lines = absl::StrSplit(TextTable(rows, view.color, view.width), '\n');
  lines.pop_back();
  return lines;
}

// Breaks `text` between words into three lines at most.
void AddWrapped(std::string_view text, Style style, const View& view, Lines* lines) {
  constexpr size_t kMostLines = 3;
  std::string rest = Shown(text);
  for (size_t i = 1; !rest.empty(); ++i) {
    if (view.width == 0 || rest.size() <= view.width || i == kMostLines) {
      if (view.width > 0) rest = CutText(rest, view.width);
      lines->push_back(Styled(rest, style, view.color));
      return;
    }
    const size_t blank = rest.rfind(' ', view.width);
    const size_t end = blank == std::string::npos || blank == 0 ? view.width : blank;
    lines->push_back(Styled(rest.substr(0, end), style, view.color));
    rest = std::string(Trimmed(std::string_view(rest).substr(end)));
  }
}

std::string AgeOf(WallTime time, WallTime now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - time).count();
  return AgeText(seconds);
}

std::string Counted(size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// What the list of units is made of: the queue, and gangs that are not in it.
struct Unit {
  std::string name;
  std::string position = "-";
  std::string kind;
  std::string priority = "-";
  std::string members = "-";  // bound and wanted ones, of the minimum
  std::string age = "-";
  std::string state;
  std::string lacks;
  std::string why;
  int64_t wanted = 0;  // members that want a place
};

std::string NumberText(const std::optional<int64_t>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

Unit UnitOf(const PageRows& rows, size_t row, WallTime now) {
  Unit unit{.name = rows.Text(row, "unit"),
            .position = NumberText(rows.Integer(row, "position")),
            .kind = rows.Text(row, "kind"),
            .priority = NumberText(rows.Integer(row, "priority")),
            .state = rows.Text(row, "state"),
            .lacks = rows.Text(row, "lacks"),
            .why = rows.Text(row, "why"),
            .wanted = std::max<int64_t>(0, rows.Integer(row, "members").value_or(1))};
  if (const std::string since = rows.Text(row, "since"); !since.empty()) {
    unit.age = SinceText(since, std::chrono::system_clock::to_time_t(now));
  }
  return unit;
}

// "3+5/8": bound, wanted, minimum.
std::string MembersText(const PageRows& rows, size_t row, int64_t wanted) {
  return fmt::format("{}+{}/{}", NumberText(rows.Integer(row, "bound")), wanted,
                     NumberText(rows.Integer(row, "minimum")));
}

std::vector<Unit> UnitsOf(const Readings& readings, WallTime now) {
  std::vector<Unit> units;
  std::set<std::string> known;
  if (readings.queue.table) {
    const PageRows rows(*readings.queue.table);
    for (size_t i = 0; i < rows.size(); ++i) {
      units.push_back(UnitOf(rows, i, now));
      units.back().members = MembersText(rows, i, units.back().wanted);
      if (units.back().kind == kGang) known.insert(units.back().name);
    }
  }
  if (!readings.gangs.table) return units;
  const PageRows rows(*readings.gangs.table);
  for (size_t i = 0; i < rows.size(); ++i) {
    Unit unit = UnitOf(rows, i, now);
    // The queue has the others, as gangs or by their pods.
    if (unit.state != "not ready" && unit.state != "in part") continue;
    if (known.contains(unit.name)) continue;
    unit.kind = kGang;
    unit.wanted = std::max<int64_t>(
        0, rows.Integer(i, "existing").value_or(0) - rows.Integer(i, "bound").value_or(0));
    unit.members = MembersText(rows, i, unit.wanted);
    units.push_back(std::move(unit));
  }
  return units;
}

/// The frame while it is drawn.
class Frames {
 public:
  Frames(const Readings& readings, const View& view)
      : readings_(readings), view_(view), units_(UnitsOf(readings, view.now)) {
    if (readings.nodes.table) {
      nodes_.emplace(*readings.nodes.table);
      totals_ = TotalsOf(*nodes_);
    }
  }

  Drawn Draw() {
    Drawn drawn;
    Lines lines = Top();
    const Lines list = view_.nodes ? NodeLines() : UnitLines();
    Lines zones = view_.nodes ? Lines() : ZoneLines();
    const size_t used = std::min(view_.height, lines.size() + 1);
    if (view_.height > 0) Fit((view_.height - used) / 3, &zones);
    const size_t room = view_.height == 0 ? list.size() : view_.height - used - zones.size();
    // The first line of the list has the titles.
    drawn.page = std::max<size_t>(room, 2) - 1;
    const size_t rows = list.size() - 1;
    drawn.scroll = std::min(view_.scroll, rows - std::min(rows, drawn.page));
    if (room > 0) lines.push_back(list[0]);
    const size_t end = std::min(rows, drawn.scroll + (room > 0 ? room - 1 : 0));
    for (size_t i = drawn.scroll; i < end; ++i) lines.push_back(list[i + 1]);
    if (view_.height > 0) lines.resize(used - 1 + room);
    lines.insert(lines.end(), zones.begin(), zones.end());
    if (view_.height > 0) {
      lines.resize(view_.height - 1);
      lines.push_back(Keys(drawn.scroll, end, rows));
    }
    drawn.lines = std::move(lines);
    return drawn;
  }

 private:
  static void Fit(size_t room, Lines* zones) {
    if (zones->size() <= room) return;
    if (room < 2) return zones->clear();
    const size_t more = zones->size() - room + 1;
    zones->resize(room);
    zones->back() = fmt::format("and {} more", more);
  }

  Lines Top() const {
    const std::string time =
        absl::FormatTime("%H:%M:%S", absl::FromChrono(view_.now), absl::LocalTimeZone());
    const Row head = {{"outrigger top", Style::kStrong}, {time}, {Shown(readings_.url)}};
    Lines lines = TableLines({head}, view_);
    AddState(&lines);
    AddPageErrors(&lines);
    AddSummary(&lines);
    AddBars(&lines);
    lines.emplace_back();
    return lines;
  }

  void AddState(Lines* lines) const {
    if (!readings_.answers.ok()) {
      const std::string since =
          readings_.answered_at == WallTime()
              ? ""
              : fmt::format(" for {}", AgeOf(readings_.answered_at, view_.now));
      return AddWrapped(
          fmt::format("No answer{}: {}", since, std::string(readings_.answers.message())),
          Style::kBad, view_, lines);
    }
    const bool is_ready = readings_.not_ready.empty();
    const std::string old = OldText();
    const Style good = old.empty() ? Style::kGood : Style::kUnsure;
    AddWrapped(fmt::format("{}: {}{}", is_ready ? "Ready" : "Not ready",
                           readings_.who.empty() ? "the agent" : readings_.who, old),
               is_ready ? good : Style::kBad, view_, lines);
    if (!is_ready) {
      AddWrapped(absl::StrJoin(readings_.not_ready, "; "), Style::kBad, view_, lines);
    }
  }

  // While something that is asked does not answer, what was read before is shown.
  std::string OldText() const {
    constexpr std::chrono::seconds kUsual{5};
    if (readings_.answered_at == WallTime() || view_.now - readings_.answered_at <= kUsual) {
      return "";
    }
    return fmt::format("; figures are {} old", AgeOf(readings_.answered_at, view_.now));
  }

  // "http://127.0.0.1:9970/queue: 503: there is no plan yet" -> "503: there is no plan yet".
  static std::string WithoutUrl(const absl::Status& status, const std::string& url) {
    const std::string text(status.message());
    const size_t at = text.find(": ", url.size());
    return text.starts_with(url) && at != std::string::npos ? text.substr(at + 2) : text;
  }

  void AddPageErrors(Lines* lines) const {
    Readings copy = readings_;
    std::vector<std::string> missing;
    std::map<std::string, std::vector<std::string>> failed;
    for (const Readings::Named& named : copy.Pages()) {
      const PageReading& page = *named.page;
      if (page.IsMissing()) missing.emplace_back(named.name);
      if (page.status.ok() || page.IsMissing() || !readings_.answers.ok()) continue;
      const std::string age = page.table ? AgeOf(page.read_at, view_.now) + " old" : "unknown";
      failed[WithoutUrl(page.status, readings_.url)].push_back(
          fmt::format("{} ({})", named.name, age));
    }
    for (const auto& [why, names] : failed) {
      AddWrapped(fmt::format("{}: {}", absl::StrJoin(names, ", "), why), Style::kUnsure, view_,
                 lines);
    }
    if (missing.empty()) return;
    AddWrapped(
        fmt::format("Not served here: {} (agents gang and qos have these pages)", Listed(missing)),
        Style::kUnsure, view_, lines);
  }

  std::string NodesText() const {
    const NodeTotals& all = totals_.all;
    std::string text = Counted(all.nodes, "node");
    if (all.reserved > 0) text += fmt::format(", {} reserved", all.reserved);
    if (all.out > 0) text += fmt::format(", {} closed", all.out);
    return text;
  }

  // What is counted is what the answer holds.
  static void AddCut(const PageTable& table, std::vector<std::string>* parts) {
    if (!table.truncated()) return;
    parts->push_back(fmt::format("of the first {} of {} rows", table.rows().size(), table.total()));
  }

  void AddSummary(Lines* lines) const {
    size_t pods = 0;
    size_t gangs = 0;
    size_t placed = 0;
    int64_t members = 0;
    std::map<std::string, size_t> lacks;
    for (const Unit& unit : units_) {
      const bool is_gang = unit.kind == kGang;
      if (unit.state == "has a place") ++placed;
      if (unit.state == "has a place" || unit.state == "in part") continue;
      ++(is_gang ? gangs : pods);
      if (is_gang && members < INT32_MAX) members += std::min<int64_t>(unit.wanted, INT32_MAX);
      ++lacks[unit.lacks.empty() ? "unknown" : Shown(unit.lacks)];
    }
    std::vector<std::string> parts;
    if (readings_.queue.table) {
      parts.push_back(fmt::format("Waiting: {} ({}), {}", Counted(gangs, "gang"),
                                  Counted(static_cast<size_t>(members), "pod"),
                                  Counted(pods, "pod")));
      parts.push_back(fmt::format("placed: {}", placed));
      AddCut(*readings_.queue.table, &parts);
    }
    if (nodes_) {
      parts.push_back(NodesText());
      AddCut(*readings_.nodes.table, &parts);
    }
    if (!parts.empty()) AddWrapped(absl::StrJoin(parts, "; "), Style::kPlain, view_, lines);
    AddReasons(lacks, lines);
  }

  void AddReasons(const std::map<std::string, size_t>& lacks, Lines* lines) const {
    if (lacks.empty()) return;
    std::vector<std::pair<std::string, size_t>> sorted(lacks.begin(), lacks.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> words;
    words.reserve(sorted.size());
    for (const auto& [word, count] : sorted) {
      words.push_back(words.empty() ? fmt::format("{} ({})", word, Counted(count, "unit"))
                                    : fmt::format("{} ({})", word, count));
    }
    AddWrapped("Waiting for: " + absl::StrJoin(words, ", "), Style::kPlain, view_, lines);
  }

  std::string BarText(const Amount& amount) const {
    constexpr size_t kNumbers = 60;  // columns beside it
    constexpr size_t kLongest = 60;
    constexpr size_t kShortest = 10;
    constexpr size_t kUsual = 30;
    const size_t width =
        view_.width == 0
            ? kUsual
            : std::clamp(view_.width - std::min(view_.width, kNumbers), kShortest, kLongest);
    std::string bar;
    double sum = 0;
    const auto add = [&](double part, char mark) {
      sum += part;
      const double share = amount.total > 0 ? std::min(1.0, sum / amount.total) : 0;
      const auto end = static_cast<size_t>(std::lround(share * static_cast<double>(width)));
      if (end > bar.size()) bar.append(end - bar.size(), mark);
    };
    add(amount.used, '#');
    add(amount.reserved, '=');
    add(amount.out, 'x');
    bar.append(width - bar.size(), '.');
    return fmt::format("[{}]", bar);
  }

  void AddBars(Lines* lines) const {
    if (!nodes_) return;
    std::vector<Row> rows = {{{""},
                              {"# used = reserved x closed"},
                              {"USED", Style::kStrong, true},
                              {"RESERVED", Style::kStrong, true},
                              {"FREE", Style::kStrong, true},
                              {"TOTAL", Style::kStrong, true}}};
    const auto add = [&](const std::string& name, const Amount& amount,
                         std::string (*text)(double)) {
      rows.push_back({{CutText(Shown(name), kLongestName)},
                      {BarText(amount)},
                      {text(amount.used), Style::kPlain, true},
                      {text(amount.reserved), Style::kPlain, true},
                      {text(amount.Free()), Style::kPlain, true},
                      {text(amount.total), Style::kPlain, true}});
    };
    add("cpu", totals_.all.cpu, CoresText);
    add("memory", totals_.all.memory, BytesText);
    if (!totals_.device.empty()) add(totals_.device, totals_.all.devices, CountText);
    for (std::string& line : TableLines(rows, view_)) lines->push_back(std::move(line));
  }

  // Of a name that is not in the last column.
  size_t NameWidth() const {
    constexpr size_t kLeast = 16;
    constexpr size_t kShare = 3;
    return view_.width == 0 ? SIZE_MAX : std::max(kLeast, view_.width / kShare);
  }
  bool IsWide() const { return view_.width == 0 || view_.width >= kWide; }

  Row UnitRow(const Unit& unit) const {
    const bool waits = unit.state == kWaits || unit.state == "not ready";
    std::string why = Shown(unit.lacks);
    if (!unit.why.empty()) why += (why.empty() ? "" : ": ") + Shown(unit.why);
    Row row = {{unit.position, Style::kPlain, true},
               {CutText(Shown(unit.name), NameWidth()), Style::kStrong},
               {Shown(unit.kind)}};
    if (IsWide()) {
      row.push_back({unit.priority, Style::kPlain, true});
      row.push_back({unit.members, Style::kPlain, true});
    }
    row.push_back({CutText(Shown(unit.age), kLongestName), Style::kPlain, true});
    row.push_back({Shown(unit.state), waits ? Style::kBad : Style::kGood});
    row.push_back({std::move(why)});
    return row;
  }

  Lines UnitLines() const {
    if (!readings_.queue.table && units_.empty()) return {"No queue."};
    if (units_.empty()) return {"Nothing waits."};
    Row titles = {{"#", Style::kStrong, true}, {"UNIT", Style::kStrong}, {"KIND", Style::kStrong}};
    if (IsWide()) {
      titles.push_back({"PRIORITY", Style::kStrong, true});
      titles.push_back({"BOUND+WAITING/MIN", Style::kStrong, true});
    }
    titles.push_back({"AGE", Style::kStrong, true});
    titles.push_back({"STATE", Style::kStrong});
    titles.push_back({"WHY", Style::kStrong});
    std::vector<Row> rows = {std::move(titles)};
    for (const Unit& unit : units_) rows.push_back(UnitRow(unit));
    return TableLines(rows, view_);
  }

  void AddTotals(const NodeTotals& totals, Row* row) const {
    const auto add = [row](const Amount& amount, std::string (*text)(double)) {
      row->push_back(
          {fmt::format("{}/{}/{}", text(amount.used), text(amount.reserved), text(amount.Free())),
           Style::kPlain, true});
    };
    add(totals.cpu, CoresText);
    add(totals.memory, BytesText);
    if (!totals_.device.empty()) add(totals.devices, CountText);
  }

  Row TotalTitles(const std::string& first) const {
    Row titles = {{first + " used/reserved/free", Style::kStrong}};
    titles.push_back({"CPU", Style::kStrong, true});
    titles.push_back({"MEMORY", Style::kStrong, true});
    if (totals_.device.empty()) return titles;
    const std::string device = Shown(totals_.device);
    titles.push_back(
        {CutText(device.substr(device.rfind('/') + 1), kLongestName), Style::kStrong, true});
    return titles;
  }

  Lines ZoneLines() const {
    if (totals_.zones.size() < 2) return {};
    std::vector<Row> rows = {TotalTitles("ZONE")};
    rows[0].push_back({"NODES", Style::kStrong, true});
    for (const auto& [zone, totals] : totals_.zones) {
      Row row = {{zone.empty() ? "(none)" : CutText(Shown(zone), NameWidth())}};
      AddTotals(totals, &row);
      row.push_back({std::to_string(totals.nodes), Style::kPlain, true});
      rows.push_back(std::move(row));
    }
    return TableLines(rows, view_);
  }

  Lines NodeLines() const {
    if (!nodes_) return {"No nodes."};
    std::vector<Row> rows = {TotalTitles("NODE")};
    for (const char* const title : {"ZONE", "RACK", "FOR"}) {
      rows[0].push_back({title, Style::kStrong});
    }
    for (size_t i = 0; i < nodes_->size(); ++i) {
      const bool is_open = nodes_->Truth(i, "schedulable", true);
      Row row = {{CutText(Shown(nodes_->Text(i, "node")), NameWidth()),
                  is_open ? Style::kPlain : Style::kFaint}};
      AddTotals(TotalsOfNode(*nodes_, i), &row);
      for (const char* const label : {"zone", "rack"}) {
        row.push_back({CutText(Shown(nodes_->Text(i, label)), kLongestName)});
      }
      std::string reserved = Shown(nodes_->Text(i, "reservedFor"));
      if (const std::string kept = nodes_->Text(i, "keptFor"); !kept.empty()) {
        reserved += fmt::format("{}kept for {}", reserved.empty() ? "" : ", ", Shown(kept));
      }
      if (!is_open) reserved = reserved.empty() ? "closed" : fmt::format("closed, {}", reserved);
      row.push_back({std::move(reserved)});
      rows.push_back(std::move(row));
    }
    return TableLines(rows, view_);
  }

  std::string Keys(size_t first, size_t end, size_t rows) const {
    std::string text = end > first ? fmt::format("{}-{} of {}   ", first + 1, end, rows) : "";
    text +=
        fmt::format("q quit   n {}   arrows, PgUp, PgDn scroll", view_.nodes ? "queue" : "nodes");
    return Styled(CutText(text, view_.width), Style::kFaint, view_.color);
  }

  static constexpr size_t kLongestName = 16;

  const Readings& readings_;
  const View& view_;
  const std::vector<Unit> units_;
  std::optional<PageRows> nodes_;
  ClusterTotals totals_;
};

}  // namespace

Drawn Frame(const Readings& readings, const View& view) {
  return Frames(readings, view).Draw();
}

}  // namespace outrigger::cli::look
