#include "penalty/classes/journal_maps.h"

#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "penalty/classes/policy/text.h"

namespace outrigger::penalty {
namespace {

struct Row {
  JournalMapKind kind;
  std::string_view name;
  int count;  // 0: one without a number
};
constexpr std::array<Row, 5> kRows = {{
    {JournalMapKind::kClasses, "outrigger-penalty-classes", kClassMaps},
    {JournalMapKind::kChanges, "outrigger-penalty-changes", kChangeMaps},
    {JournalMapKind::kIntent, "outrigger-penalty-intent", kIntentMaps},
    {JournalMapKind::kSums, "outrigger-penalty-sums", 0},
    {JournalMapKind::kMapping, "outrigger-penalty-mapping", 0},
}};

// Of a text in JSON, quotes included.
size_t JsonBytes(std::string_view text) {
  size_t bytes = 2;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '"' || c == '\\' || c == '\t' || c == '\r') {
      bytes += 2;
    } else if (byte < 0x20 || c == '<' || c == '>' || c == '&') {
      bytes += 6;  // as Go writes them
    } else {
      ++bytes;
    }
  }
  return bytes;
}

}  // namespace

std::string JournalMapName(const JournalMap& map) {
  for (const Row& row : kRows) {
    if (row.kind != map.kind) continue;
    if (row.count == 0) return std::string(row.name);
    return fmt::format("{}-{}", row.name, map.index);
  }
  return "";
}

std::optional<JournalMap> JournalMapOf(std::string_view name) {
  for (const Row& row : kRows) {
    if (!name.starts_with(row.name)) continue;
    const std::string_view number = name.substr(row.name.size());
    const int64_t index = number.empty() ? 0 : IntegerOf(number.substr(1)).value_or(-1);
    if (index < 0 || index >= std::max(row.count, 1)) return std::nullopt;
    const JournalMap map = {row.kind, static_cast<int>(index)};
    if (JournalMapName(map) == name) return map;
  }
  return std::nullopt;
}

std::vector<std::string> JournalMapNames() {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    for (int i = 0; i < std::max(row.count, 1); ++i) {
      names.push_back(JournalMapName({row.kind, i}));
    }
  }
  return names;
}

StringMap JournalLabels() {
  return {{"app.kubernetes.io/component", "penalty"},
          {"app.kubernetes.io/managed-by", "outrigger"}};
}

size_t JsonBytes(const ConfigMap& map) {
  size_t bytes = 2;  // braces
  for (const auto& [key, value] : map.data) bytes += JsonBytes(key) + JsonBytes(value) + 2;
  return bytes;
}

std::string FindingText(const JournalFinding& finding) {
  std::string text = fmt::format("ConfigMap {}", finding.map);
  if (!finding.key.empty()) text += fmt::format(", key {}", finding.key);
  if (finding.line > 0) text += fmt::format(", line {}", finding.line);
  return fmt::format("{}: {}", text, finding.text);
}

}  // namespace outrigger::penalty
