#include "sdk/base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace outrigger {
namespace {

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

}  // namespace outrigger
