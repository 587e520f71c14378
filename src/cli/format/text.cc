#include "cli/format/text.h"

#include <algorithm>
#include <cctype>

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

char Upper(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

// Optimal string alignment: like Levenshtein, and a swap of neighbours is one edit.
size_t Edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string CamelCase(std::string_view kebab) {
  std::string camel;
  bool raise = false;
  for (const char c : kebab) {
    if (c == '-') {
      raise = true;
      continue;
    }
    camel += raise ? Upper(c) : c;
    raise = false;
  }
  return camel;
}

std::string UpperCase(std::string_view kebab) {
  std::string upper;
  for (const char c : kebab) upper += c == '-' ? '_' : Upper(c);
  return upper;
}

std::string Nearest(std::string_view text, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  size_t fewest = std::max<size_t>(1, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t edits = Edits(text, candidate);
    if (edits >= fewest) continue;
    fewest = edits;
    best = &candidate;
  }
  return best == nullptr ? "" : *best;
}

std::string DidYouMean(std::string_view text, const std::vector<std::string>& candidates) {
  const std::string nearest = Nearest(text, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

std::vector<std::string> NearNames(std::string_view text, const std::vector<std::string>& names) {
  constexpr size_t kMost = 5;
  std::vector<std::string> near;
  for (const std::string& name : names) {
    if (name.starts_with(text) || text.starts_with(name)) near.push_back(name);
  }
  if (near.empty()) near.push_back(Nearest(text, names));
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.size() > kMost) near.resize(kMost);
  if (near.front().empty()) near.clear();
  return near;
}

std::string Listed(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text = names[0];
  for (size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

}  // namespace outrigger::cli
