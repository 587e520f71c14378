#include "cel/check/functions.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "cel/library/function.h"

namespace outrigger::cel {
namespace {

class Registry {
 public:
  Registry() {
    for (const auto rows :
         {OperatorFunctions(), ConversionFunctions(), StringFunctions(), ListFunctions(),
          TimeFunctions(), OptionalFunctions(), QuantityFunctions(), SemverFunctions(),
          NetworkFunctions(), FormatFunctions()}) {
      for (const FunctionRow& row : rows) {
        functions_[row.name] = {row.name, ReadOverloads(row.overloads, pool_), row.implementation,
                                row.rule};
      }
    }
  }

  const FunctionInfo* Find(std::string_view name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &found->second;
  }

  const absl::flat_hash_map<std::string_view, FunctionInfo>& functions() const {
    return functions_;
  }

 private:
  TypePool pool_;
  absl::flat_hash_map<std::string_view, FunctionInfo> functions_;
};

// Never destroyed: programs refer to it.
const Registry& TheRegistry() {
  static const auto* registry = new Registry();
  return *registry;
}

constexpr std::array<std::string_view, 15> kMacros = {
    "has",    "all",    "exists",        "exists_one",   "existsOne",
    "map",    "filter", "transformList", "transformMap", "transformMapEntry",
    "sortBy", "optMap", "optFlatMap",    "cel.bind",     "size"};

// The edit distance of two names, letter case not counted.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = absl::ascii_tolower(static_cast<unsigned char>(a[i - 1])) ==
                        absl::ascii_tolower(static_cast<unsigned char>(b[j - 1]));
      const size_t changed = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

const FunctionInfo* FindFunction(std::string_view name) {
  return TheRegistry().Find(name);
}

std::string_view SimilarFunction(std::string_view name) {
  constexpr size_t kLongestName = 40;
  if (name.size() > kLongestName) return {};
  std::string_view best;
  size_t least = std::max<size_t>(2, name.size() / 3) + 1;
  const auto consider = [&](std::string_view known) {
    const size_t distance = Distance(name, known);
    if (distance < least || (distance == least && !best.empty() && known < best)) {
      least = distance;
      best = known;
    }
  };
  for (const std::string_view macro : kMacros) consider(macro);
  for (const auto& [known, info] : TheRegistry().functions()) {
    if (absl::ascii_isalpha(static_cast<unsigned char>(known[0])) &&
        known.find('@') == std::string_view::npos) {
      consider(known);
    }
  }
  return best;
}

}  // namespace outrigger::cel
