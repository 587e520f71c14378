#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cel/check/environment.h"
#include "cel/library/function.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"
#include "cel/values/arena.h"
#include "cel/values/value.h"

namespace outrigger::cel {

enum class Op : uint8_t {
  kConstant,
  kVariable,          // of a macro, or of the environment
  kAttribute,         // a base (first child) and what selects parts of it
  kConditional,       // condition, yes, no
  kAnd,               // two children
  kOr,                //
  kNotStrictlyFalse,  // one child
  kEqual,             // two children
  kNotEqual,          //
  kCall,              // arguments
  kInSet,             // the child is a key of `constant`
  kList,              // items
  kMap,               // key, value, key, value
  kFold,              // range, initial value, condition, step, result
  kOptionalOr,        // two children
  kOptionalOrValue,   //
};

/// Selects a part of a value: a field, a key, an index.
struct Qualifier {
  Value constant = {};  // what selects, unless `node` computes it
  int32_t node = -1;
  bool optional = false;  // written with '?': absent is optional.none()
  bool test = false;      // of has(): only whether it is there
};

/// One step of a compiled expression. Children are `child_count` numbers of Plan::children.
struct Node {
  Op op = Op::kConstant;
  bool charged = true;  // of variables and attributes: costs 1 beyond its qualifiers
  CostRule rule = CostRule::kNone;
  uint32_t first_child = 0;
  uint32_t child_count = 0;
  uint32_t first_qualifier = 0;
  uint32_t qualifier_count = 0;
  uint32_t slot = 0;       // of a variable; of a fold its accumulator's
  uint32_t slots[2] = {};  // of a fold: its variables'
  bool second_variable = false;
  bool stops_at_error =
      false;           // of a call: computes no arguments after one that failed, at no cost
  bool finds = false;  // of a call with `regex`: gives the match, not whether there is one
  Value constant = {};
  Implementation implementation = nullptr;
  const re2::RE2* regex = nullptr;  // of a call whose pattern is constant
  std::vector<bool> optional = {};  // of lists and maps: written with '?'
};

/// A compiled expression. The first slots of the variables are those of the environment.
struct Plan {
  std::vector<Node> nodes;
  std::vector<uint32_t> children;
  std::vector<Qualifier> qualifiers;
  std::vector<std::shared_ptr<const re2::RE2>> regexes;
  uint32_t root = 0;
  uint32_t slot_count = 0;
};

/// Turns a checked expression into steps. What is constant is computed here: lists and maps of
/// constants, conversions of them (a failure is added to `errors`), patterns. Which parts upstream
/// computes in advance decides what an evaluation costs, so no more is.
Plan MakePlan(const Expr& root, const Environment& environment, Arena& constants,
              ErrorList& errors);

}  // namespace outrigger::cel
