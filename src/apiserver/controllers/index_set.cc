#include "apiserver/controllers/index_set.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

namespace outrigger::apiserver {

std::set<int64_t> ReadIndexes(std::string_view text) {
  std::set<int64_t> indexes;
  const std::vector<std::string> ranges = absl::StrSplit(std::string(text), ',');
  for (const std::string& range : ranges) {
    const size_t dash = range.find('-');
    int64_t first = 0;
    int64_t last = 0;
    if (!absl::SimpleAtoi(range.substr(0, dash), &first)) continue;
    if (dash == std::string::npos) last = first;
    if (dash != std::string::npos && !absl::SimpleAtoi(range.substr(dash + 1), &last)) continue;
    for (int64_t index = first; index <= last; ++index) indexes.insert(indexes.end(), index);
  }
  return indexes;
}

std::string IndexText(const std::set<int64_t>& indexes) {
  std::vector<std::string> ranges;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const int64_t first = *at;
    int64_t last = first;
    for (++at; at != indexes.end() && *at == last + 1; ++at) last = *at;
    if (last == first) {
      ranges.push_back(std::to_string(first));
    } else {
      ranges.push_back(fmt::format("{}{}{}", first, last == first + 1 ? ',' : '-', last));
    }
  }
  return absl::StrJoin(ranges, ",");
}

}  // namespace outrigger::apiserver
