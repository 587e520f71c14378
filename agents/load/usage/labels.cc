#include "load/usage/labels.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/base/text.h"

namespace outrigger::usage {
namespace {

constexpr size_t kMostListed = 4;
constexpr size_t kMostBytes = 200;

/// Returns the names of the labels whose values differ, the metric's name among them.
std::set<std::string_view> DifferentNames(const std::vector<const Labels*>& series) {
  std::set<std::string_view> names;
  for (const Labels* labels : series) {
    for (const auto& [name, value] : *labels) {
      const auto differs = [&key = name, &text = value](const Labels* other) {
        return LabelOf(*other, key) != text;
      };
      if (std::any_of(series.begin(), series.end(), differs)) names.insert(name);
    }
  }
  return names;
}

}  // namespace

std::string_view LabelOf(const Labels& labels, std::string_view name) {
  const auto found = std::find_if(labels.begin(), labels.end(),
                                  [name](const auto& label) { return label.first == name; });
  return found == labels.end() ? std::string_view() : found->second;
}

std::string DifferencesOf(const std::vector<const Labels*>& series) {
  const std::set<std::string_view> names = DifferentNames(series);
  if (names.empty()) return "the same labels";
  // The first label that differs is enough to see what the series are of.
  std::string text;
  for (size_t i = 0; i < std::min(series.size(), kMostListed); ++i) {
    if (i > 0) text += ", ";
    text.append(*names.begin()).append("=").append(LabelOf(*series[i], *names.begin()));
  }
  if (series.size() > kMostListed) text += ", ...";
  return Shortened(Printable(text), kMostBytes);
}

}  // namespace outrigger::usage
