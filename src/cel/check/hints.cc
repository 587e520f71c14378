#include "cel/check/hints.h"

#include <algorithm>
#include <array>

#include "cel/check/functions.h"
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

}  // namespace

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

std::string UndeclaredFunction(std::string_view name) {
  const std::string_view similar = SimilarFunction(name);
  const std::string hint = similar.empty() ? std::string()
                           : similar == name
                               ? Concat("; the macro ", name, " takes other arguments")
                               : Concat("; did you mean '", similar, "'?");
  return Concat("undeclared reference to '", name, "'", hint);
}

std::string UndeclaredName(std::string_view name, const Environment& environment) {
  if (environment.fields.empty()) {
    return Concat("undeclared reference to '", name, "'; an attribute is device.", name,
                  ", and texts need quotes");
  }
  return Concat("undeclared reference to '", name,
                "'; known are 'device' and the variables of macros, and texts need quotes");
}

std::string UndefinedField(std::string_view name, const Environment& environment) {
  std::string known;
  for (const Environment::Field& field : environment.fields) {
    Append(known, known.empty() ? "" : ", ", field.name);
  }
  return Concat("undefined field '", name, "'; device has ", known);
}

}  // namespace outrigger::cel
