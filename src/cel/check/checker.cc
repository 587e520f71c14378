#include "cel/check/checker.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/check/environment.h"
#include "cel/check/functions.h"
#include "cel/check/unifier.h"
#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

bool IsNumber(const Type& type) {
  return type.kind == TypeKind::kInt || type.kind == TypeKind::kUint ||
         type.kind == TypeKind::kDouble;
}

bool IsOrdering(std::string_view name) {
  return name == "_<_" || name == "_<=_" || name == "_>_" || name == "_>=_";
}

// What to write for an operator that these types do not have; empty if nothing is known.
std::string OperatorHint(std::string_view name, std::span<const Type* const> arguments) {
  if (arguments.size() != 2) return "";
  const Type& a = *arguments[0];
  const Type& b = *arguments[1];
  const auto is_ordered_by_function = [](const Type& type) {
    return SameType(type, types::kQuantity) || SameType(type, types::kSemver);
  };
  if (IsOrdering(name) && (is_ordered_by_function(a) || is_ordered_by_function(b))) {
    return "compare with a.isGreaterThan(b), a.isLessThan(b) or a.compareTo(b)";
  }
  if (IsNumber(a) && IsNumber(b)) {
    return Concat("convert one side, as in ", FormatType(a), "(...) or ", FormatType(b), "(...)");
  }
  if (SameType(a, types::kQuantity) && b.kind == TypeKind::kString) {
    return "compare with quantity('...')";
  }
  if (SameType(a, types::kSemver) && b.kind == TypeKind::kString) {
    return "compare with semver('...')";
  }
  if (name == "_[_]" && a.kind == TypeKind::kStruct) return "its fields are selected with a dot";
  if (name == "_==_" || name == "_!=_") return "both sides must have one type";
  return "";
}

std::string KnownOverloads(const FunctionInfo& function, bool member) {
  constexpr size_t kShown = 3;
  std::string text;
  size_t count = 0;
  for (const Overload& overload : function.overloads) {
    if (overload.member != member || count >= kShown) continue;
    Append(text, count++ == 0 ? "" : ", ", FormatOverload(function.name, overload));
  }
  if (!text.empty()) return Concat("accepted are ", text, count == kShown ? ", ..." : "");
  return member ? Concat("it is called as ", function.name, "(...)")
                : Concat("it is called as value.", function.name, "(...)");
}

bool IsName(std::string_view name) {
  return name.find_first_of("_@") == std::string_view::npos;
}

// "found no matching overload for '_>_' applied to '(int, string)'" and what would be right.
std::string NoMatchingOverload(const FunctionInfo& function, std::span<const Type* const> arguments,
                               bool member) {
  std::string applied;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool target = member && i == 0;
    Append(applied, i > (member ? 1U : 0U) ? ", " : "", FormatType(*arguments[i]),
           target ? ".(" : "");
  }
  std::string hint = OperatorHint(function.name, arguments);
  if (hint.empty() && IsName(function.name)) hint = KnownOverloads(function, member);
  return Concat("found no matching overload for '", function.name, "' applied to '",
                member ? "" : "(", applied, ")'", hint.empty() ? "" : "; ", hint);
}

// "undeclared reference to 'name'" and what is known that is like it.
std::string UndeclaredFunction(std::string_view name) {
  const std::string_view similar = SimilarFunction(name);
  const std::string hint = similar.empty() ? std::string()
                           : similar == name
                               ? Concat("; the macro ", name, " takes other arguments")
                               : Concat("; did you mean '", similar, "'?");
  return Concat("undeclared reference to '", name, "'", hint);
}

std::string UndeclaredName(std::string_view name, const Environment& environment) {
  if (environment.variables[0].type->kind == TypeKind::kMap) {
    return Concat("undeclared reference to '", name, "'; an attribute is device.", name,
                  ", and texts need quotes");
  }
  std::string known;
  for (const Environment::Field& variable : environment.variables) {
    Append(known, known.empty() ? "'" : ", '", variable.name, "'");
  }
  return Concat("undeclared reference to '", name, "'; known are ", known,
                " and the variables of macros, and texts need quotes");
}

// "undefined field 'name'" and which fields there are.
std::string UndefinedField(std::string_view name, const Environment& environment) {
  std::string known;
  for (const Environment::Field& field : environment.fields) {
    Append(known, known.empty() ? "" : ", ", field.name);
  }
  return Concat("undefined field '", name, "'; device has ", known);
}

struct TypeName {
  std::string_view name;
  const Type* type;
};
// Types that expressions can name. Their values are compared by name.
constexpr std::array<TypeName, 15> kTypeNames = {{
    {"bool", &types::kBool},
    {"bytes", &types::kBytes},
    {"double", &types::kDouble},
    {"google.protobuf.Duration", &types::kDuration},
    {"int", &types::kInt},
    {"list", &types::kDyn},
    {"map", &types::kDyn},
    {"null_type", &types::kNull},
    {"string", &types::kString},
    {"google.protobuf.Timestamp", &types::kTimestamp},
    {"type", &types::kDyn},
    {"uint", &types::kUint},
    {"optional_type", &types::kDyn},
    {"net.IP", &types::kIp},
    {"net.CIDR", &types::kCidr},
}};

std::string TypeMismatch(const Type& expected, const Type& found) {
  return Concat("expected type '", FormatType(expected), "' but found '", FormatType(found), "'");
}

class Checker {
 public:
  Checker(const Environment& environment, TypePool& pool, ErrorList& errors)
      : environment_(environment), pool_(pool), errors_(errors), unifier_(pool) {}

  void Run(Expr& root) {
    Visit(root);
    for (Expr* expr : visited_) expr->type = unifier_.Substitute(expr->type, true);
  }

 private:
  void Set(Expr& expr, const Type* type) {
    expr.type = type;
    visited_.push_back(&expr);
  }
  void Fail(Expr& expr, std::string message) {
    errors_.Add(expr.offset, std::move(message));
    Set(expr, &types::kError);
  }

  void Visit(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kConstant:
        return Set(expr, ConstantType(expr.constant));
      case ExprKind::kIdent:
        return Ident(expr);
      case ExprKind::kSelect:
        return Select(expr);
      case ExprKind::kCall:
        return Call(expr);
      case ExprKind::kList:
        return List(expr);
      case ExprKind::kMap:
        return Map(expr);
      case ExprKind::kMessage:
        return Fail(expr, Concat("undeclared reference to '", expr.name,
                                 "'; messages cannot be written, maps are {'key': value}"));
      case ExprKind::kComprehension:
        return Comprehension(expr);
    }
  }

  static const Type* ConstantType(const Value& value) {
    switch (value.kind()) {
      case Kind::kNull:
        return &types::kNull;
      case Kind::kBool:
        return &types::kBool;
      case Kind::kInt:
        return &types::kInt;
      case Kind::kUint:
        return &types::kUint;
      case Kind::kDouble:
        return &types::kDouble;
      case Kind::kString:
        return &types::kString;
      case Kind::kBytes:
        return &types::kBytes;
      default:
        return &types::kTypeOfDyn;
    }
  }

  // The type of a variable, or nullptr. A leading dot passes over the variables of macros.
  const Type* Variable(std::string_view name) const {
    if (name.starts_with('.')) {
      name.remove_prefix(1);
    } else {
      for (size_t i = scope_.size(); i > 0; --i) {
        if (scope_[i - 1].name == name) return scope_[i - 1].type;
      }
    }
    return FindType(environment_.variables, name);
  }

  // Makes `expr` the variable or type of this name, if there is one.
  bool Resolve(Expr& expr, const std::string& name) {
    if (const Type* type = Variable(name)) {
      expr.kind = ExprKind::kIdent;
      expr.name = name;
      Set(expr, type);
      return true;
    }
    const std::string_view rooted = name.starts_with('.') ? std::string_view(name).substr(1) : name;
    for (const TypeName& named : kTypeNames) {
      if (named.name != rooted) continue;
      expr.kind = ExprKind::kConstant;
      expr.constant = Value::Type(named.name);
      Set(expr, pool_.TypeOf(named.type));
      return true;
    }
    return false;
  }

  void Ident(Expr& expr) {
    if (!Resolve(expr, expr.name)) Fail(expr, UndeclaredName(expr.name, environment_));
  }

  void Select(Expr& expr) {
    const std::string qualified = QualifiedName(expr);
    if (!qualified.empty() && Resolve(expr, qualified)) return;
    const Type* field = FieldOf(expr, *expr.target, expr.name, false);
    Set(expr, expr.test_only ? &types::kBool : unifier_.Substitute(field, false));
  }

  const Type* FieldOf(Expr& expr, Expr& operand, std::string_view name, bool optional) {
    Visit(operand);
    const Type* target = unifier_.Substitute(operand.type, false);
    const bool was_optional = IsOptional(*target);
    if (was_optional) target = target->parameters[0];
    const Type* result = &types::kDyn;
    switch (target->kind) {
      case TypeKind::kMap:
        result = target->parameters[1];
        break;
      case TypeKind::kStruct:
        result = FindType(environment_.fields, name);
        if (result != nullptr) break;
        errors_.Add(expr.offset, UndefinedField(name, environment_));
        result = &types::kError;
        break;
      case TypeKind::kVariable:
        unifier_.Assignable(&types::kDyn, target);
        break;
      default:
        if (IsDyn(*target) || target->kind == TypeKind::kError) break;
        errors_.Add(expr.offset,
                    Concat("type '", FormatType(*target), "' does not support field selection"));
    }
    return was_optional || optional ? pool_.Optional(result) : result;
  }

  void Call(Expr& expr) {
    if (expr.name == "_?._") return OptionalSelect(expr);
    for (Expr* arg : expr.args) Visit(*arg);
    if (expr.target != nullptr) {
      const std::string prefix = QualifiedName(*expr.target);
      const FunctionInfo* namespaced =
          prefix.empty() ? nullptr : FindFunction(Concat(prefix, ".", expr.name));
      if (namespaced != nullptr) {
        expr.name = namespaced->name;
        expr.target = nullptr;
        return Overloads(expr, *namespaced);
      }
      Visit(*expr.target);
    }
    const FunctionInfo* function = FindFunction(expr.name);
    if (function == nullptr) return Fail(expr, UndeclaredFunction(expr.name));
    Overloads(expr, *function);
  }

  void OptionalSelect(Expr& expr) {
    const Type* type = FieldOf(expr, *expr.args[0], expr.args[1]->constant.text(), true);
    Set(*expr.args[1], &types::kString);
    expr.function = FindFunction(expr.name);
    Set(expr, unifier_.Substitute(type, false));
  }

  void Overloads(Expr& expr, const FunctionInfo& function) {
    std::vector<const Type*> arguments;
    if (expr.target != nullptr) arguments.push_back(expr.target->type);
    for (const Expr* arg : expr.args) arguments.push_back(arg->type);
    const bool member = expr.target != nullptr;
    if (expr.name == "_&&_" || expr.name == "_||_") return Logic(expr, function);
    size_t matches = 0;
    const Type* result = nullptr;
    for (const Overload& overload : function.overloads) {
      if (overload.member != member) continue;
      const Type* each = Match(overload, arguments);
      if (each == nullptr) continue;
      if (++matches == 1) expr.cost = overload.rule;
      if (result == nullptr) {
        result = each;
      } else if (!IsDyn(*result) && !SameType(*result, *each)) {
        result = &types::kDyn;
      }
    }
    if (result == nullptr) {
      for (const Type*& type : arguments) type = unifier_.Substitute(type, true);
      return Fail(expr, NoMatchingOverload(function, arguments, member));
    }
    expr.function = &function;
    expr.single_overload = matches == 1;
    if (matches > 1) expr.cost = CostRule::kNone;
    if (function.rule != CostRule::kNone) expr.cost = function.rule;
    Set(expr, result);
  }

  // The result of an overload if the arguments fit it.
  const Type* Match(const Overload& overload, const std::vector<const Type*>& arguments) {
    if (overload.arguments.size() != arguments.size()) return nullptr;
    if (overload.variables == 0) {
      return unifier_.AssignableAll(arguments, overload.arguments) ? overload.result : nullptr;
    }
    std::vector<const Type*> fresh(static_cast<size_t>(overload.variables));
    for (const Type*& variable : fresh) variable = unifier_.NewVariable();
    std::vector<const Type*> wanted;
    for (const Type* type : overload.arguments) wanted.push_back(unifier_.Instantiate(type, fresh));
    if (!unifier_.AssignableAll(arguments, wanted)) return nullptr;
    return unifier_.Substitute(unifier_.Instantiate(overload.result, fresh), false);
  }

  void Logic(Expr& expr, const FunctionInfo& function) {
    expr.function = &function;
    bool good = true;
    for (Expr* arg : expr.args) {
      if (unifier_.Assignable(arg->type, &types::kBool)) continue;
      errors_.Add(arg->offset, TypeMismatch(types::kBool, *unifier_.Substitute(arg->type, true)));
      good = false;
    }
    Set(expr, good ? &types::kBool : &types::kError);
  }

  // The type of an item or value that may be written with '?'.
  const Type* Unwrapped(const Expr& item, bool optional) {
    if (!optional) return item.type;
    const Type* type = unifier_.Substitute(item.type, false);
    if (IsOptional(*type)) return type->parameters[0];
    if (!IsDyn(*type) && type->kind != TypeKind::kError) {
      errors_.Add(item.offset, TypeMismatch(*pool_.Optional(type), *type));
    }
    return type;
  }

  const Type* Join(const Type* before, const Type* type) {
    if (before == nullptr) return type;
    return unifier_.Assignable(before, type) ? Unifier::MostGeneral(before, type) : &types::kDyn;
  }

  void List(Expr& expr) {
    const Type* item = nullptr;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      Visit(*expr.args[i]);
      item = Join(item, Unwrapped(*expr.args[i], expr.optional[i]));
    }
    Set(expr, pool_.List(item == nullptr ? unifier_.NewVariable() : item));
  }

  void Map(Expr& expr) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (size_t i = 0; i + 1 < expr.args.size(); i += 2) {
      Visit(*expr.args[i]);
      key = Join(key, expr.args[i]->type);
      Visit(*expr.args[i + 1]);
      value = Join(value, Unwrapped(*expr.args[i + 1], expr.optional[i / 2]));
    }
    if (key == nullptr) {
      key = unifier_.NewVariable();
      value = unifier_.NewVariable();
    }
    Set(expr, pool_.Map(key, value));
  }

  void Expect(Expr& expr, const Type* type) {
    if (unifier_.Assignable(type, expr.type)) return;
    errors_.Add(expr.offset, TypeMismatch(*unifier_.Substitute(type, true),
                                          *unifier_.Substitute(expr.type, true)));
  }

  void Comprehension(Expr& expr) {
    Expr& range = *expr.args[kRange];
    Visit(range);
    Visit(*expr.args[kInit]);
    const Type* accumulated = expr.args[kInit]->type;
    const size_t outer = scope_.size();
    scope_.push_back({expr.accumulator, accumulated});
    AddVariables(expr, unifier_.Substitute(range.type, false));
    Visit(*expr.args[kCondition]);
    Expect(*expr.args[kCondition], &types::kBool);
    Visit(*expr.args[kStep]);
    Expect(*expr.args[kStep], accumulated);
    scope_.resize(outer + 1);
    Visit(*expr.args[kResult]);
    scope_.resize(outer);
    Set(expr, unifier_.Substitute(expr.args[kResult]->type, false));
  }

  void AddVariables(Expr& expr, const Type* range) {
    const bool two = !expr.second_variable.empty();
    const Type* first = &types::kDyn;
    const Type* second = &types::kDyn;
    switch (range->kind) {
      case TypeKind::kList:
        first = two ? &types::kInt : range->parameters[0];
        second = range->parameters[0];
        break;
      case TypeKind::kMap:
        first = range->parameters[0];
        second = range->parameters[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kVariable:
        unifier_.Assignable(&types::kDyn, range);
        break;
      default:
        errors_.Add(expr.args[kRange]->offset,
                    Concat("expression of type '", FormatType(*range),
                           "' cannot be range of a comprehension (must be list, map, or dynamic)"));
        first = &types::kError;
        second = &types::kError;
    }
    scope_.push_back({expr.first_variable, first});
    if (two) scope_.push_back({expr.second_variable, second});
  }

  struct Scoped {
    std::string_view name;
    const Type* type;
  };

  const Environment& environment_;
  TypePool& pool_;
  ErrorList& errors_;
  Unifier unifier_;
  std::vector<Scoped> scope_;
  std::vector<Expr*> visited_;
};

}  // namespace

void Check(Expr& root, const Environment& environment, TypePool& pool, ErrorList& errors) {
  Checker(environment, pool, errors).Run(root);
}

}  // namespace outrigger::cel
