#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/check/type.h"
#include "cel/library/function.h"

namespace outrigger::cel {

/// One way in which a function can be called.
struct Overload {
  bool member = false;
  std::vector<const Type*> arguments = {};  // of a member function the first is its target
  const Type* result = nullptr;
  int32_t variables = 0;  // type parameters are the variables 0 to this
  CostRule rule = CostRule::kNone;
};

/// A function that expressions can call.
struct FunctionInfo {
  std::string_view name = {};
  std::vector<Overload> overloads = {};
  Implementation implementation = nullptr;
  CostRule rule = CostRule::kNone;
};

/// The overloads that a FunctionRow writes: "args>result $rule | ...", a leading dot for member
/// functions, capital letters for type parameters.
std::vector<Overload> ReadOverloads(std::string_view text, TypePool& pool);

/// "string.indexOf(string) -> int".
std::string FormatOverload(std::string_view function, const Overload& overload);

/// The function of this name, with its namespace ("sets.contains"), nullptr if there is none. Valid
/// as long as the program runs.
const FunctionInfo* FindFunction(std::string_view name);

/// The function or macro whose name is most like `name`, empty if none is alike.
std::string_view SimilarFunction(std::string_view name);

}  // namespace outrigger::cel
