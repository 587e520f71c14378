#include "cel/run/plan.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "cel/check/functions.h"
#include "cel/values/collections.h"
#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

constexpr std::array<std::string_view, 10> kConversions = {
    "bool", "bytes", "double", "dyn", "duration", "int", "string", "timestamp", "type", "uint"};

bool IsPrimitive(const Value& value) {
  return value.IsNumber() || value.Is(Kind::kString) || value.Is(Kind::kBool);
}

bool IsAttribute(const Node& node) {
  return node.op == Op::kVariable || node.op == Op::kAttribute || node.op == Op::kConditional;
}

class Planner {
 public:
  Planner(Arena& constants, ErrorList& errors) : constants_(constants), errors_(errors) {}

  Plan Run(const Expr& root, const Environment& environment) {
    for (const Environment::Field& variable : environment.variables) {
      scope_.push_back({variable.name, plan_.slot_count++});
    }
    plan_.root = Visit(root);
    return std::move(plan_);
  }

 private:
  struct Scoped {
    std::string_view name;
    uint32_t slot;
  };

  // Nodes are added after their children, whose numbers are known then.
  uint32_t Add(Node node, const std::vector<uint32_t>& children = {}) {
    node.first_child = static_cast<uint32_t>(plan_.children.size());
    node.child_count = static_cast<uint32_t>(children.size());
    plan_.children.insert(plan_.children.end(), children.begin(), children.end());
    plan_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(plan_.nodes.size() - 1);
  }
  uint32_t AddOp(Op op, const std::vector<uint32_t>& children) {
    Node node;
    node.op = op;
    return Add(std::move(node), children);
  }
  uint32_t AddConstant(const Value& value) {
    Node node;
    node.constant = value;
    return Add(std::move(node));
  }
  Node& At(uint32_t number) { return plan_.nodes[number]; }
  bool IsConstant(uint32_t number) { return At(number).op == Op::kConstant; }

  uint32_t Visit(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kConstant:
      case ExprKind::kMessage:
        return AddConstant(expr.constant);
      case ExprKind::kIdent:
        return Variable(expr.name);
      case ExprKind::kSelect:
        return Qualified(Visit(*expr.target), {Value::String(constants_.StoreText(expr.name)), -1,
                                               false, expr.test_only});
      case ExprKind::kCall:
        return Call(expr);
      case ExprKind::kList:
        return List(expr);
      case ExprKind::kMap:
        return Map(expr);
      case ExprKind::kComprehension:
        return Fold(expr);
    }
    return 0;
  }

  uint32_t Variable(std::string_view name) {
    Node node;
    node.op = Op::kVariable;
    // A name with a leading dot passes over the variables of macros: the environment's come first.
    const bool rooted = name.starts_with('.');
    if (rooted) name.remove_prefix(1);
    for (const Scoped& scoped : scope_) {
      if (scoped.name != name) continue;
      node.slot = scoped.slot;
      if (rooted) break;
    }
    return Add(std::move(node));
  }

  // The attribute that selects a part of `base`, or of what `base` selects already.
  uint32_t Qualified(uint32_t base, const Qualifier& qualifier) {
    uint32_t attribute = base;
    if (At(base).op != Op::kAttribute) {
      Node node;
      node.op = Op::kAttribute;
      node.charged = At(base).op != Op::kConditional;
      if (IsAttribute(At(base))) At(base).charged = false;
      attribute = Add(std::move(node), {base});
    }
    // Qualifiers of one attribute lie together: those of the base are moved to the end.
    Node& node = At(attribute);
    const auto first = static_cast<uint32_t>(plan_.qualifiers.size());
    for (uint32_t i = 0; i < node.qualifier_count; ++i) {
      plan_.qualifiers.push_back(plan_.qualifiers[node.first_qualifier + i]);
    }
    if (node.qualifier_count > 0 && node.first_qualifier + node.qualifier_count == first) {
      plan_.qualifiers.resize(first);  // they lay at the end
    } else {
      node.first_qualifier = first;
    }
    plan_.qualifiers.push_back(qualifier);
    ++node.qualifier_count;
    return attribute;
  }

  uint32_t Index(const Expr& expr, bool optional) {
    const uint32_t base = Visit(*expr.args[0]);
    const uint32_t index = Visit(*expr.args[1]);
    Qualifier qualifier;
    qualifier.optional = optional;
    if (IsConstant(index)) {
      qualifier.constant = At(index).constant;
    } else {
      qualifier.node = static_cast<int32_t>(index);
      if (IsAttribute(At(index))) At(index).charged = false;
    }
    return Qualified(base, qualifier);
  }

  uint32_t Call(const Expr& expr) {
    const std::string_view name = expr.name;
    if (name == "_[_]") return Index(expr, false);
    if (name == "_[?_]" || name == "_?._") return Index(expr, true);
    std::vector<uint32_t> args;
    if (expr.target != nullptr) args.push_back(Visit(*expr.target));
    for (const Expr* arg : expr.args) args.push_back(Visit(*arg));
    if (name == "_&&_") return AddOp(Op::kAnd, args);
    if (name == "_||_") return AddOp(Op::kOr, args);
    if (name == "_==_") return AddOp(Op::kEqual, args);
    if (name == "_!=_") return AddOp(Op::kNotEqual, args);
    if (name == "@not_strictly_false") return AddOp(Op::kNotStrictlyFalse, args);
    if (name == "_?_:_") return Conditional(args);
    if (name == "or") return AddOp(Op::kOptionalOr, args);
    if (name == "orValue") return AddOp(Op::kOptionalOrValue, args);
    if (name == "@in" && expr.cost == CostRule::kSecond && IsConstant(args[1])) return In(args);
    if (IsFoldable(name, args)) return Converted(expr, args[0]);
    return Function(expr, args);
  }

  uint32_t Conditional(const std::vector<uint32_t>& args) {
    for (const uint32_t branch : {args[1], args[2]}) {
      if (IsAttribute(At(branch))) At(branch).charged = false;
    }
    return AddOp(Op::kConditional, args);
  }

  uint32_t In(const std::vector<uint32_t>& args) {
    const auto items = ItemsOf(At(args[1]).constant);
    if (items.empty()) return AddConstant(Value::Bool(false));
    if (!std::all_of(items.begin(), items.end(), IsPrimitive)) {
      Node node;
      node.op = Op::kCall;
      node.rule = CostRule::kSecond;
      node.implementation = FindIn();
      return Add(std::move(node), args);
    }
    std::vector<MapEntry> entries;
    entries.reserve(items.size());
    for (const Value& item : items) entries.push_back({item, Value::Bool(true)});
    Node node;
    node.op = Op::kInSet;
    node.constant = MakeMap(constants_, entries);
    return Add(std::move(node), {args[0]});
  }
  static Implementation FindIn() {
    for (const FunctionRow& row : OperatorFunctions()) {
      if (row.name == "@in") return row.implementation;
    }
    return nullptr;
  }

  bool IsFoldable(std::string_view name, const std::vector<uint32_t>& args) {
    return args.size() == 1 && IsConstant(args[0]) &&
           std::find(kConversions.begin(), kConversions.end(), name) != kConversions.end();
  }

  uint32_t Converted(const Expr& expr, uint32_t arg) {
    WorkBudget work;
    RegexCache regexes;
    Evaluation evaluation{constants_, work, regexes, 0};
    const Value value = expr.function->implementation(evaluation, {&At(arg).constant, 1});
    if (value.IsError()) {
      errors_.Add(expr.args[0]->offset,
                  Concat("invalid ", expr.name, " argument: the constant cannot be converted"));
    }
    return AddConstant(value);
  }

  uint32_t Function(const Expr& expr, const std::vector<uint32_t>& args) {
    Node node;
    node.op = Op::kCall;
    node.rule = expr.cost;
    node.implementation = expr.function->implementation;
    Pattern(expr, args, node);
    // As upstream runs calls: by the number of arguments if it knows the one overload, else in
    // turn.
    const bool in_turn = args.size() > 1 && !expr.single_overload && !IsOperator(expr.name);
    node.stops_at_error = args.size() > 2 || node.regex != nullptr || in_turn;
    return Add(std::move(node), args);
  }
  // Functions of which all overloads have one implementation.
  static bool IsOperator(std::string_view name) {
    return name.find_first_of("_@") != std::string_view::npos || name == "size" || name == "sort" ||
           name == "type" || name == "dyn";
  }

  // Compiles a constant pattern.
  void Pattern(const Expr& expr, const std::vector<uint32_t>& args, Node& node) {
    node.finds = expr.name == "find";
    if (expr.name != "matches" && !node.finds && expr.name != "findAll") return;
    const Value& pattern = At(args[1]).constant;
    if (!IsConstant(args[1]) || !pattern.Is(Kind::kString)) return;
    auto regex = CompileRegex(pattern.text());
    if (regex == nullptr) {
      errors_.Add(
          expr.args.back()->offset,
          Concat("invalid ", expr.name, " argument: it must be a regular expression of RE2"));
    } else if (expr.name != "findAll") {
      node.regex = regex.get();
      plan_.regexes.push_back(std::move(regex));
    }
  }

  uint32_t List(const Expr& expr) {
    const std::vector<uint32_t> items = VisitArgs(expr);
    if (!IsConstantLiteral(expr, items)) return AddLiteral(Op::kList, expr, items);
    std::vector<Value> values;
    values.reserve(items.size());
    for (const uint32_t item : items) values.push_back(At(item).constant);
    return AddConstant(MakeList(constants_, values));
  }

  uint32_t Map(const Expr& expr) {
    const std::vector<uint32_t> parts = VisitArgs(expr);
    if (!IsConstantLiteral(expr, parts)) return AddLiteral(Op::kMap, expr, parts);
    std::vector<MapEntry> entries;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      entries.push_back({At(parts[i]).constant, At(parts[i + 1]).constant});
    }
    return AddConstant(MakeMap(constants_, entries));
  }

  std::vector<uint32_t> VisitArgs(const Expr& expr) {
    std::vector<uint32_t> args;
    args.reserve(expr.args.size());
    for (const Expr* arg : expr.args) args.push_back(Visit(*arg));
    return args;
  }
  // Whether a list or map of these parts is the same in every evaluation.
  bool IsConstantLiteral(const Expr& expr, const std::vector<uint32_t>& parts) {
    const std::vector<bool>& optional = expr.optional;
    return std::find(optional.begin(), optional.end(), true) == optional.end() &&
           std::all_of(parts.begin(), parts.end(),
                       [this](uint32_t part) { return IsConstant(part); });
  }
  uint32_t AddLiteral(Op op, const Expr& expr, const std::vector<uint32_t>& parts) {
    Node node;
    node.op = op;
    node.optional = expr.optional;
    return Add(std::move(node), parts);
  }

  uint32_t Fold(const Expr& expr) {
    const uint32_t init = Visit(*expr.args[kInit]);
    const uint32_t range = Visit(*expr.args[kRange]);
    Node node;
    node.op = Op::kFold;
    node.second_variable = !expr.second_variable.empty();
    // Slots are not used twice: the initial value is computed at the first use of the accumulator,
    // while other loops run.
    node.slot = plan_.slot_count++;
    node.slots[0] = plan_.slot_count++;
    node.slots[1] = plan_.slot_count++;
    const size_t outer = scope_.size();
    scope_.push_back({expr.accumulator, node.slot});
    scope_.push_back({expr.first_variable, node.slots[0]});
    if (node.second_variable) scope_.push_back({expr.second_variable, node.slots[1]});
    const uint32_t condition = Visit(*expr.args[kCondition]);
    const uint32_t step = Visit(*expr.args[kStep]);
    scope_.resize(outer + 1);
    const uint32_t result = Visit(*expr.args[kResult]);
    scope_.resize(outer);
    return Add(std::move(node), {range, init, condition, step, result});
  }

  Arena& constants_;
  ErrorList& errors_;
  Plan plan_;
  std::vector<Scoped> scope_;
};

}  // namespace

Plan MakePlan(const Expr& root, const Environment& environment, Arena& constants,
              ErrorList& errors) {
  return Planner(constants, errors).Run(root, environment);
}

}  // namespace outrigger::cel
