#include "cel/check/functions.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "cel/library/function.h"
#include "cel/values/concat.h"
#include "outrigger/base/text.h"

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

using NamedType = std::pair<std::string_view, const Type*>;
constexpr std::array<NamedType, 17> kTypes = {{
    {"dyn", &types::kDyn},
    {"null", &types::kNull},
    {"bool", &types::kBool},
    {"int", &types::kInt},
    {"uint", &types::kUint},
    {"double", &types::kDouble},
    {"string", &types::kString},
    {"bytes", &types::kBytes},
    {"duration", &types::kDuration},
    {"timestamp", &types::kTimestamp},
    {"quantity", &types::kQuantity},
    {"semver", &types::kSemver},
    {"ip", &types::kIp},
    {"cidr", &types::kCidr},
    {"url", &types::kUrl},
    {"format", &types::kFormat},
    {"type", &types::kTypeOfDyn},
}};

using NamedRule = std::pair<std::string_view, CostRule>;
constexpr std::array<NamedRule, 12> kRules = {{
    {"tenth", CostRule::kTenthOfFirst},
    {"lesser", CostRule::kTenthOfLesser},
    {"sum", CostRule::kTenthOfSum},
    {"second", CostRule::kSecond},
    {"contains", CostRule::kProductOfTenths},
    {"regex", CostRule::kRegex},
    {"result", CostRule::kResultList},
    {"flatten", CostRule::kFlatten},
    {"self", CostRule::kSelfCompare},
    {"selfkeys", CostRule::kSelfCompareKeys},
    {"sets", CostRule::kSets},
    {"setstwice", CostRule::kSetsTwice},
}};

// The rows are constants of the program: one that cannot be read is a fault of it.
template <typename Named>
auto Lookup(const Named& known, std::string_view name) {
  for (const auto& [each, value] : known) {
    if (each == name) return value;
  }
  std::fprintf(stderr, "unknown in a signature: %.*s\n", static_cast<int>(name.size()),
               name.data());
  std::abort();
}

class TypeReader {
 public:
  TypeReader(std::string_view text, TypePool& pool, Overload& overload)
      : rest_(text), pool_(pool), overload_(overload) {}

  const Type* Read() {
    const size_t end = std::min(rest_.find_first_of("(),"), rest_.size());
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (!rest_.starts_with('(')) return Simple(name);
    rest_.remove_prefix(1);
    const Type* first = Read();
    const Type* second = nullptr;
    if (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      second = Read();
    }
    rest_.remove_prefix(1);
    if (second != nullptr) return pool_.Map(first, second);
    if (name == "list") return pool_.List(first);
    return name == "optional" ? pool_.Optional(first) : pool_.TypeOf(first);
  }

  std::vector<const Type*> ReadAll() {
    std::vector<const Type*> all;
    while (!rest_.empty()) {
      all.push_back(Read());
      if (!rest_.empty()) rest_.remove_prefix(1);
    }
    return all;
  }

 private:
  const Type* Simple(std::string_view name) {
    if (!absl::ascii_isupper(static_cast<unsigned char>(name[0]))) return Lookup(kTypes, name);
    const int32_t variable = name[0] - 'A';
    overload_.variables = std::max(overload_.variables, variable + 1);
    return pool_.Variable(variable);
  }

  std::string_view rest_;
  TypePool& pool_;
  Overload& overload_;
};

Overload ReadOverload(std::string_view text, TypePool& pool) {
  Overload overload;
  const size_t dollar = text.find('$');
  if (dollar != std::string_view::npos) overload.rule = Lookup(kRules, text.substr(dollar + 1));
  text = Trimmed(text.substr(0, dollar));
  overload.member = text.starts_with('.');
  if (overload.member) text.remove_prefix(1);
  const size_t arrow = text.find('>');
  overload.arguments = TypeReader(text.substr(0, arrow), pool, overload).ReadAll();
  overload.result = TypeReader(text.substr(arrow + 1), pool, overload).Read();
  return overload;
}

// The signatures that one with "{cmp}" or "{sum}" stands for.
std::vector<std::string> Expanded(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kComparable = {
      "int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"};
  static constexpr std::array<std::string_view, 4> kSummable = {"int", "uint", "double",
                                                                "duration"};
  std::vector<std::string> all;
  for (const std::string_view type : kComparable) {
    if (text.find("{cmp}") != std::string_view::npos) {
      all.push_back(Replaced(text, "{cmp}", type));
    }
  }
  for (const std::string_view type : kSummable) {
    if (text.find("{sum}") != std::string_view::npos) {
      all.push_back(Replaced(text, "{sum}", type));
    }
  }
  if (all.empty()) all.emplace_back(text);
  return all;
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

std::vector<Overload> ReadOverloads(std::string_view text, TypePool& pool) {
  std::vector<Overload> overloads;
  for (const std::string_view part : Split(text, '|')) {
    for (const std::string& each : Expanded(Trimmed(part))) {
      overloads.push_back(ReadOverload(each, pool));
    }
  }
  return overloads;
}

std::string FormatOverload(std::string_view function, const Overload& overload) {
  std::string text;
  const size_t first = overload.member ? 1 : 0;
  if (overload.member) Append(text, FormatType(*overload.arguments[0]), ".");
  Append(text, function, "(");
  for (size_t i = first; i < overload.arguments.size(); ++i) {
    Append(text, i == first ? "" : ", ", FormatType(*overload.arguments[i]));
  }
  return Concat(text, ")");
}

}  // namespace outrigger::cel
