#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "cel/library/function.h"
#include "cel/library/text_search.h"
#include "cel/values/collections.h"

namespace outrigger::cel {
namespace lists {
namespace {

using Args = std::span<const Value>;

bool AreLists(Args args) {
  return std::all_of(args.begin(), args.end(),
                     [](const Value& value) { return value.Is(Kind::kList); });
}

bool Comparable(const Value& value) {
  return Compare(value, value).has_value();
}

Value IsSorted(Evaluation&, Args args) {
  if (!AreLists(args)) return NoSuchOverload("isSorted");
  const Value* last = nullptr;
  for (const Value& item : ItemsOf(args[0])) {
    if (!Comparable(item)) return NoSuchOverload("isSorted");
    if (last != nullptr) {
      const auto order = Compare(*last, item);
      if (order && std::is_gt(*order)) return Value::Bool(false);
    }
    last = &item;
  }
  return Value::Bool(true);
}

template <typename Better>
Value Extreme(Args args, std::string_view name, Better better) {
  if (!AreLists(args)) return NoSuchOverload(name);
  const Value* best = nullptr;
  for (const Value& item : ItemsOf(args[0])) {
    if (!Comparable(item)) return NoSuchOverload(name);
    if (best == nullptr) {
      best = &item;
      continue;
    }
    const auto order = Compare(item, *best);
    if (order && better(*order)) best = &item;
  }
  return best == nullptr ? Value::Error(ErrorCode::kEmptyList, name) : *best;
}
Value Min(Evaluation&, Args args) {
  return Extreme(args, "min", std::is_lt);
}
Value Max(Evaluation&, Args args) {
  return Extreme(args, "max", std::is_gt);
}

Value Zero(Kind kind) {
  switch (kind) {
    case Kind::kUint:
      return Value::Uint(0);
    case Kind::kDouble:
      return Value::Double(0);
    case Kind::kDuration:
      return Value::Duration(0);
    default:
      return Value::Int(0);
  }
}

Value Sum(Evaluation& evaluation, Args args) {
  if (!AreLists(args)) return NoSuchOverload("sum");
  const auto items = ItemsOf(args[0]);
  Value sum = Zero(items.empty() ? Kind::kInt : items[0].kind());
  static const Implementation add = [] {
    const auto rows = OperatorFunctions();
    return std::find_if(rows.begin(), rows.end(),
                        [](const FunctionRow& row) { return row.name == "_+_"; })
        ->implementation;
  }();
  for (const Value& item : items) {
    const std::array<Value, 2> operands = {sum, item};
    sum = add(evaluation, operands);
    if (sum.IsError()) return sum;
  }
  return sum;
}

Value IndexOf(Evaluation& evaluation, Args args) {
  if (args[0].Is(Kind::kString) && args[1].Is(Kind::kString)) {
    if (args.size() == 3 && !args[2].Is(Kind::kInt)) return NoSuchOverload("indexOf");
    return IndexOfText(args[0].text(), args[1].text(), args.size() == 3 ? args[2].integer() : 0);
  }
  if (!args[0].Is(Kind::kList) || args.size() != 2) return NoSuchOverload("indexOf");
  const auto items = ItemsOf(args[0]);
  for (size_t i = 0; i < items.size(); ++i) {
    if (Equal(items[i], args[1], evaluation.work)) return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}

Value LastIndexOf(Evaluation& evaluation, Args args) {
  if (args[0].Is(Kind::kString) && args[1].Is(Kind::kString)) {
    if (args.size() == 2) return LastIndexOfText(args[0].text(), args[1].text(), nullptr);
    if (!args[2].Is(Kind::kInt)) return NoSuchOverload("lastIndexOf");
    const int64_t offset = args[2].integer();
    return LastIndexOfText(args[0].text(), args[1].text(), &offset);
  }
  if (!args[0].Is(Kind::kList) || args.size() != 2) return NoSuchOverload("lastIndexOf");
  const auto items = ItemsOf(args[0]);
  for (size_t i = items.size(); i > 0; --i) {
    if (Equal(items[i - 1], args[1], evaluation.work))
      return Value::Int(static_cast<int64_t>(i - 1));
  }
  return Value::Int(-1);
}

// A list of one attribute, or the attribute itself.
Value Includes(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kList)) return Value::Bool(Equal(args[0], args[1], evaluation.work));
  for (const Value& item : ItemsOf(args[0])) {
    if (Equal(item, args[1], evaluation.work)) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Value Slice(Evaluation& evaluation, Args args) {
  if (!AreLists(args.first(1)) || !args[1].Is(Kind::kInt) || !args[2].Is(Kind::kInt)) {
    return NoSuchOverload("slice");
  }
  const int64_t begin = args[1].integer();
  const int64_t end = args[2].integer();
  if (begin < 0 || begin > end || end > args[0].size()) {
    return Value::Error(ErrorCode::kIndexOutOfRange);
  }
  return MakeList(evaluation.arena, ItemsOf(args[0]).subspan(static_cast<size_t>(begin),
                                                             static_cast<size_t>(end - begin)));
}

Value Flattened(Evaluation& evaluation, const Value& list, int64_t depth, Value result) {
  for (const Value& item : ItemsOf(list)) {
    const bool nested = item.Is(Kind::kList) && depth > 0;
    result = nested ? Flattened(evaluation, item, depth - 1, result)
                    : AppendedList(evaluation.arena, result, {&item, 1});
    if (result.IsError()) return result;
  }
  return result;
}
Value Flatten(Evaluation& evaluation, Args args) {
  if (!AreLists(args.first(1)) || (args.size() == 2 && !args[1].Is(Kind::kInt))) {
    return NoSuchOverload("flatten");
  }
  const int64_t depth = args.size() == 2 ? args[1].integer() : 1;
  if (depth < 0) return Value::Error(ErrorCode::kInvalidArgument, "level must be non-negative");
  return Flattened(evaluation, args[0], depth, Value::List(nullptr, 0));
}

Value SortedBy(Evaluation& evaluation, const Value& list, const Value& keys) {
  const auto items = ItemsOf(list);
  const auto by = ItemsOf(keys);
  if (items.size() != by.size()) {
    return Value::Error(ErrorCode::kInvalidArgument, "a key for each item is needed");
  }
  for (const Value& key : by) {
    if (!Comparable(key) || key.kind() != by[0].kind()) {
      return Value::Error(ErrorCode::kInvalidArgument, "list elements must be comparable");
    }
  }
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const auto result = Compare(by[a], by[b]);
    return result && std::is_lt(*result);
  });
  ListBuffer* sorted = NewList(evaluation.arena, items.size());
  if (sorted == nullptr) return OutOfMemory();
  for (const uint32_t i : order) sorted->items[sorted->used++] = items[i];
  return Value::List(sorted, sorted->used);
}
Value Sort(Evaluation& evaluation, Args args) {
  return AreLists(args) ? SortedBy(evaluation, args[0], args[0]) : NoSuchOverload("sort");
}
Value SortByKeys(Evaluation& evaluation, Args args) {
  return AreLists(args) ? SortedBy(evaluation, args[0], args[1]) : NoSuchOverload("sortBy");
}

Value Range(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kInt)) return NoSuchOverload("lists.range");
  const int64_t size = std::max<int64_t>(0, args[0].integer());
  // It would cost more than is left, so it need not be made.
  if (static_cast<uint64_t>(size) > evaluation.cost_left) return OutOfMemory();
  ListBuffer* list = NewList(evaluation.arena, static_cast<size_t>(size));
  if (list == nullptr) return OutOfMemory();
  for (int64_t i = 0; i < size; ++i) list->items[list->used++] = Value::Int(i);
  return Value::List(list, list->used);
}

Value Reverse(Evaluation& evaluation, Args args) {
  if (!AreLists(args)) return NoSuchOverload("reverse");
  const Value copy = MakeList(evaluation.arena, ItemsOf(args[0]));
  if (copy.Is(Kind::kList) && copy.size() > 0) {
    std::reverse(copy.list()->items, copy.list()->items + copy.size());
  }
  return copy;
}

Value Distinct(Evaluation& evaluation, Args args) {
  if (!AreLists(args)) return NoSuchOverload("distinct");
  Value result = Value::List(nullptr, 0);
  for (const Value& item : ItemsOf(args[0])) {
    const auto known = ItemsOf(result);
    const bool seen = std::any_of(known.begin(), known.end(), [&](const Value& other) {
      return Equal(item, other, evaluation.work);
    });
    if (!seen) result = AppendedList(evaluation.arena, result, {&item, 1});
    if (result.IsError()) return result;
  }
  return result;
}

bool ContainsItem(Evaluation& evaluation, const Value& list, const Value& wanted) {
  const auto items = ItemsOf(list);
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& item) { return Equal(item, wanted, evaluation.work); });
}
bool ContainsAll(Evaluation& evaluation, const Value& list, const Value& wanted) {
  const auto items = ItemsOf(wanted);
  return std::all_of(items.begin(), items.end(),
                     [&](const Value& item) { return ContainsItem(evaluation, list, item); });
}
Value SetsContains(Evaluation& evaluation, Args args) {
  if (!AreLists(args)) return NoSuchOverload("sets.contains");
  return Value::Bool(ContainsAll(evaluation, args[0], args[1]));
}
Value SetsEquivalent(Evaluation& evaluation, Args args) {
  if (!AreLists(args)) return NoSuchOverload("sets.equivalent");
  return Value::Bool(ContainsAll(evaluation, args[0], args[1]) &&
                     ContainsAll(evaluation, args[1], args[0]));
}
Value SetsIntersects(Evaluation& evaluation, Args args) {
  if (!AreLists(args)) return NoSuchOverload("sets.intersects");
  const auto items = ItemsOf(args[1]);
  return Value::Bool(std::any_of(items.begin(), items.end(), [&](const Value& item) {
    return ContainsItem(evaluation, args[0], item);
  }));
}

constexpr std::array kRows = {
    FunctionRow{"isSorted", ".list({cmp})>bool", IsSorted, CostRule::kTraversal},
    FunctionRow{"sum", ".list({sum})>{sum}", Sum, CostRule::kTraversal},
    FunctionRow{"max", ".list({cmp})>{cmp}", Max, CostRule::kTraversal},
    FunctionRow{"min", ".list({cmp})>{cmp}", Min, CostRule::kTraversal},
    FunctionRow{"indexOf", ".string,string>int | .string,string,int>int | .list(A),A>int", IndexOf,
                CostRule::kTraversal},
    FunctionRow{"lastIndexOf", ".string,string>int | .string,string,int>int | .list(A),A>int",
                LastIndexOf, CostRule::kTraversal},
    FunctionRow{"includes", ".dyn,dyn>bool", Includes, CostRule::kOne},
    FunctionRow{"slice", ".list(T),int,int>list(T) $result", Slice},
    FunctionRow{"flatten", ".list(list(T))>list(T) $flatten | .list(dyn),int>list(dyn) $flatten",
                Flatten},
    FunctionRow{"sort", ".list({cmp})>list({cmp}) $self", Sort},
    FunctionRow{"@sortByAssociatedKeys", ".list(T),list({cmp})>list(T) $selfkeys", SortByKeys},
    FunctionRow{"lists.range", "int>list(int) $result", Range},
    FunctionRow{"reverse", ".list(T)>list(T) $result", Reverse},
    FunctionRow{"distinct", ".list(T)>list(T) $self", Distinct},
    FunctionRow{"sets.contains", "list(T),list(T)>bool $sets", SetsContains},
    FunctionRow{"sets.equivalent", "list(T),list(T)>bool $setstwice", SetsEquivalent},
    FunctionRow{"sets.intersects", "list(T),list(T)>bool $sets", SetsIntersects},
};

}  // namespace
}  // namespace lists

std::span<const FunctionRow> ListFunctions() {
  return lists::kRows;
}

}  // namespace outrigger::cel
