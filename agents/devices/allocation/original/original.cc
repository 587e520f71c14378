#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_join.h"
#include "devices/allocation/model/attribute_sets.h"
#include "devices/allocation/original.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

constexpr int kSatisfied = 100;

/// What the prototype read of a claim.
struct OriginalClaim {
  std::string name;
  std::string driver;
  bool has_constraints = false;
  absl::StatusOr<std::unique_ptr<const Selector>> selector = nullptr;
  std::vector<std::string> match_attributes;
  int64_t min_count = 1;
};

/// The answers of one node to one claim after the other.
class OriginalNode {
 public:
  OriginalNode(std::string name, std::vector<const Pool*> pools) : pools_(std::move(pools)) {
    result_.node = std::move(name);
  }

  absl::Status Add(const OriginalClaim& claim);
  OriginalNodeResult Finish(size_t claims);

 private:
  std::string WhyIgnored(const OriginalClaim& claim, const Pool& pool) const;
  OriginalPoolSetResult TrySet(const OriginalClaim& claim,
                               const std::vector<const Pool*>& set) const;
  absl::Status TrySets(const OriginalClaim& claim, const std::vector<const Pool*>& pools,
                       OriginalClaimResult* result);

  const std::vector<const Pool*> pools_;
  OriginalNodeResult result_;
  std::vector<std::string> unsatisfied_;
  int64_t sets_ = 0;
};

// Attributes of a pool by name; of a name that comes twice the last counts, as in a map of Go.
std::map<std::string, AttributeValue> ValuesOf(const Pool& pool) {
  std::map<std::string, AttributeValue> values;
  for (const Attribute& attribute : pool.attributes) values[attribute.name] = attribute.value;
  return values;
}

std::string OriginalNode::WhyIgnored(const OriginalClaim& claim, const Pool& pool) const {
  if (pool.count.value_or(0) <= 0) return "no available devices";
  if (!claim.driver.empty() && claim.driver != pool.driver) {
    return "claim and pool driver do not match";
  }
  if (!claim.has_constraints) return "";
  const auto fails = [](const absl::Status& status) {
    return "error evaluating constraints: " + std::string(status.message());
  };
  if (!claim.selector.ok()) return fails(claim.selector.status());
  Attributes attributes;
  for (auto& [name, value] : ValuesOf(pool)) attributes.push_back({name, value});
  const absl::StatusOr<bool> matches = (*claim.selector)->Matches({pool.driver, attributes});
  if (!matches.ok()) return fails(matches.status());
  return *matches ? "" : "constraints not met";
}

// The next ascending combination of `size` of `count` indexes; false after the last.
bool NextCombination(size_t count, std::vector<size_t>* chosen) {
  const size_t size = chosen->size();
  for (size_t i = size; i-- > 0;) {
    if ((*chosen)[i] == count - size + i) continue;
    ++(*chosen)[i];
    for (size_t j = i + 1; j < size; ++j) (*chosen)[j] = (*chosen)[j - 1] + 1;
    return true;
  }
  return false;
}

// As the prototype compares attributes: one without a value equals nothing, not even itself.
bool AreEqual(const AttributeValue& a, const AttributeValue& b) {
  return !std::holds_alternative<std::monostate>(a) && KeyOf(a) == KeyOf(b);
}

/// What the first pool of a set binds the others to.
using Bound = std::map<std::string, AttributeValue>;

// A pool without the attribute passes, whether the first has it or not; one with it does not if the
// first has none.
bool MatchesBound(const std::string& name, const Pool& pool, const Bound& bound) {
  for (const Attribute& attribute : pool.attributes) {
    if (attribute.name != name) continue;
    const auto first = bound.find(name);
    if (first == bound.end() || !AreEqual(first->second, attribute.value)) return false;
  }
  return true;
}

OriginalPoolSetResult OriginalNode::TrySet(const OriginalClaim& claim,
                                           const std::vector<const Pool*>& set) const {
  OriginalPoolSetResult result;
  int64_t needed = claim.min_count;
  const Bound bound = ValuesOf(*set.front());
  for (const Pool* pool : set) {
    const bool matches =
        pool == set.front() ||
        std::all_of(claim.match_attributes.begin(), claim.match_attributes.end(),
                    [&](const std::string& name) { return MatchesBound(name, *pool, bound); });
    if (!matches) {
      result.pools.push_back({pool->name, 0, "claim MatchAttributes constraint failed"});
      continue;
    }
    const int64_t taken = std::min(*pool->count, needed);
    needed -= taken;
    result.pools.push_back({pool->name, taken, ""});
  }
  if (needed == 0) {
    result.score = kSatisfied;
  } else {
    result.failure =
        fmt::format("unable to satisfy {} of {} device requests", needed, claim.min_count);
  }
  return result;
}

absl::Status OriginalNode::TrySets(const OriginalClaim& claim,
                                   const std::vector<const Pool*>& pools,
                                   OriginalClaimResult* result) {
  for (size_t size = 1; size <= pools.size() && result->best < 0; ++size) {
    std::vector<size_t> chosen(size);
    for (size_t i = 0; i < size; ++i) chosen[i] = i;
    do {
      if (++sets_ > kMostOriginalSets) {
        return absl::ResourceExhaustedError(
            fmt::format("more than {} sets of pools, which the original arithmetic tries all",
                        kMostOriginalSets));
      }
      std::vector<const Pool*> set;
      set.reserve(chosen.size());
      for (const size_t index : chosen) set.push_back(pools[index]);
      result->sets.push_back(TrySet(claim, set));
      if (result->best < 0 && result->sets.back().score > 0) {
        result->best = static_cast<int>(result->sets.size()) - 1;
      }
    } while (NextCombination(pools.size(), &chosen));
  }
  return absl::OkStatus();
}

absl::Status OriginalNode::Add(const OriginalClaim& claim) {
  OriginalClaimResult result;
  result.claim = claim.name;
  std::vector<const Pool*> pools;
  for (const Pool* pool : pools_) {
    std::string why = WhyIgnored(claim, *pool);
    if (why.empty()) {
      pools.push_back(pool);
    } else {
      result.ignored.push_back({pool->name, 0, std::move(why)});
    }
  }
  absl::Status status = TrySets(claim, pools, &result);
  if (!status.ok()) return status;
  if (result.best < 0) {
    unsatisfied_.push_back(claim.name);
  } else {
    const std::vector<OriginalPoolResult>& best =
        result.sets[static_cast<size_t>(result.best)].pools;
    result_.allocations.insert(result_.allocations.end(), best.begin(), best.end());
  }
  result_.claims.push_back(std::move(result));
  return status;
}

OriginalNodeResult OriginalNode::Finish(size_t claims) {
  if (!unsatisfied_.empty()) result_.allocations.clear();
  // The mean of scores of 100, 0 if one is 0.
  result_.score = unsatisfied_.empty() && claims > 0 ? kSatisfied : 0;
  result_.summary =
      unsatisfied_.empty()
          ? fmt::format("{}: satisfied all claims with score {}", result_.node, result_.score)
          : fmt::format("{}: could not satisfy these claims: {}", result_.node,
                        absl::StrJoin(unsatisfied_, ", "));
  return std::move(result_);
}

OriginalClaim ReadClaim(const Claim& claim, const Selectors& selectors) {
  OriginalClaim read;
  read.name = claim.name;
  if (claim.requests.empty() || claim.requests[0].details.empty()) return read;
  const Detail& detail = claim.requests[0].details[0];
  read.driver = detail.driver;
  read.has_constraints = !detail.constraints.empty();
  if (read.has_constraints) {
    read.selector = selectors.Compile(detail.constraints, Environment::kOriginal);
  }
  read.match_attributes = detail.match_attributes;
  read.min_count = detail.min_count.value_or(1);
  return read;
}

}  // namespace

absl::StatusOr<std::vector<OriginalNodeResult>> OriginalResults(
    std::span<const Claim* const> claims, std::span<const Pool* const> pools,
    const Selectors& selectors) {
  if (claims.empty()) return absl::InvalidArgumentError("there are no claims");
  std::map<std::string, std::vector<const Pool*>> nodes;
  for (const Pool* pool : pools) {
    if (!pool->node.empty()) nodes[pool->node].push_back(pool);
  }
  std::vector<OriginalClaim> read;
  for (const Claim* claim : claims) read.push_back(ReadClaim(*claim, selectors));
  std::vector<OriginalNodeResult> results;
  for (auto& [name, of_node] : nodes) {
    OriginalNode node(name, std::move(of_node));
    for (const OriginalClaim& claim : read) {
      absl::Status status = node.Add(claim);
      if (!status.ok()) return status;
    }
    results.push_back(node.Finish(read.size()));
  }
  return results;
}

}  // namespace outrigger::devices
