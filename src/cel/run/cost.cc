#include "cel/run/cost.h"

#include <algorithm>
#include <cmath>

#include "cel/library/formats.h"
#include "cel/values/collections.h"

namespace outrigger::cel {
namespace {

uint64_t Scaled(uint64_t size, double factor) {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * factor));
}
constexpr double kTenth = 0.1;      // of a text, to walk over it
constexpr double kQuarter = 0.25;   // of a pattern, for the states it has
constexpr uint64_t kListBase = 11;  // the call, and making a list

uint64_t Traversal(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
    case Kind::kBytes:
      return static_cast<uint64_t>(static_cast<double>(value.size()) * kTenth);
    case Kind::kList: {
      uint64_t cost = 0;
      for (const Value& item : ItemsOf(value)) cost += Traversal(item);
      return cost;
    }
    case Kind::kMap: {
      uint64_t cost = 0;
      for (const MapEntry& entry : EntriesOf(value)) {
        cost += Traversal(entry.key) + Traversal(entry.value);
      }
      return cost;
    }
    default:
      return 1;
  }
}

uint64_t Regex(uint64_t text, uint64_t pattern) {
  return static_cast<uint64_t>(std::ceil((1.0 + static_cast<double>(text)) * kTenth)) *
         Scaled(pattern, kQuarter);
}

uint64_t SelfCompare(const Value& list) {
  const auto items = ItemsOf(list);
  if (!list.Is(Kind::kList) || items.empty()) return kListBase;
  const bool texts = items[0].Is(Kind::kString) || items[0].Is(Kind::kBytes);
  const auto size = static_cast<double>(items.size());
  return static_cast<uint64_t>(size * size * (texts ? 2.1 : 2.0)) + kListBase;
}

uint64_t Flatten(std::span<const Value> args) {
  const double depth =
      args.size() == 2 && args[1].Is(Kind::kInt) ? static_cast<double>(args[1].integer()) : 1.0;
  const double cost = static_cast<double>(SizeOf(args[0])) * std::max(0.0, depth);
  return static_cast<uint64_t>(std::min(cost, 1e18)) + kListBase;
}

uint64_t ContainsCidr(std::span<const Value> args) {
  const uint64_t size = SizeOf(args[0]);
  return Scaled(2 * size, kTenth) + Scaled(size, kTenth) + 1 +
         (args[1].Is(Kind::kString) ? Scaled(SizeOf(args[1]), kTenth) : 0);
}

uint64_t ContainsIp(std::span<const Value> args) {
  return Scaled(2 * SizeOf(args[0]), kTenth) +
         (args[1].Is(Kind::kString) ? Scaled(SizeOf(args[1]), kTenth) : 0);
}

}  // namespace

uint64_t CostOf(CostRule rule, std::span<const Value> args, const Value& result) {
  switch (rule) {
    case CostRule::kNone:
    case CostRule::kOne:
      return 1;
    case CostRule::kTraversal:
      return Traversal(args[0]);
    case CostRule::kTenthOfFirst:
      return Scaled(SizeOf(args[0]), kTenth);
    case CostRule::kFifthOfFirst:
      return Scaled(SizeOf(args[0]), 2 * kTenth);
    case CostRule::kFifthOfResult:
      return Scaled(SizeOf(result), 2 * kTenth);
    case CostRule::kTenthOfLesser:
      return Scaled(std::min(SizeOf(args[0]), SizeOf(args[1])), kTenth);
    case CostRule::kTenthOfSum:
      return Scaled(SizeOf(args[0]) + SizeOf(args[1]), kTenth);
    case CostRule::kSecond:
      return SizeOf(args[1]);
    case CostRule::kProductOfTenths:
      return Scaled(SizeOf(args[0]), kTenth) * Scaled(SizeOf(args[1]), kTenth);
    case CostRule::kRegex:
      return Regex(SizeOf(args[0]), SizeOf(args[1]));
    case CostRule::kValidate:
      if (!args[0].Is(Kind::kFormat)) return 1;
      return Regex(SizeOf(args[1]), args[0].format().pattern_size);
    case CostRule::kContainsIp:
      return ContainsIp(args);
    case CostRule::kContainsCidr:
      return ContainsCidr(args);
    case CostRule::kResultList:
      return SizeOf(result) + kListBase;
    case CostRule::kFlatten:
      return Flatten(args);
    case CostRule::kSelfCompare:
      return SelfCompare(args[0]);
    case CostRule::kSelfCompareKeys:
      return SelfCompare(args[1]);
    case CostRule::kSets:
      return 1 + SizeOf(args[0]) * SizeOf(args[1]);
    case CostRule::kSetsTwice:
      return 1 + 2 * SizeOf(args[0]) * SizeOf(args[1]);
  }
  return 1;
}

bool CanBeCounted(CostRule rule, std::span<const Value> args) {
  switch (rule) {
    case CostRule::kSelfCompare:
      return args[0].Is(Kind::kList);
    case CostRule::kSelfCompareKeys:
      return args[1].Is(Kind::kList);
    case CostRule::kFlatten:
      return args.size() < 2 || args[1].Is(Kind::kInt);
    default:
      return true;
  }
}

uint64_t CostOfEqual(const Value& a, const Value& b) {
  if (a.kind() >= Kind::kQuantity) return 1;
  return Scaled(std::min(SizeOf(a), SizeOf(b)), kTenth);
}

}  // namespace outrigger::cel
