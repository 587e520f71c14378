#pragma once

#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

// PromQL, as far as queries of nodes' loads need it, as a tree.

namespace outrigger::load_bench {

struct Matcher {
  enum class Kind : uint8_t { kEqual, kNotEqual, kMatches, kMatchesNot };
  std::string label;
  Kind kind = Kind::kEqual;
  std::string value;
  std::regex pattern;  // of the last two kinds; anchored

  bool Accepts(const std::string& text) const;
};

struct Expression {
  enum class Kind : uint8_t {
    kNumber,
    kSelector,   // name and matchers
    kRange,      // arguments[0] is a selector, over `range` seconds
    kSubquery,   // arguments[0] is any, over `range`, each `step`
    kCall,       // of a function
    kAggregate,  // arguments[0] by or without `labels`
    kBinary,     // arguments[0] and [1]
  };
  Kind kind = Kind::kNumber;
  std::string text;  // as it was written: the same text has the same value at a time
  double number = 0;
  std::string name;  // of a metric, a function, an aggregate or an operator
  std::vector<Matcher> matchers;
  std::vector<std::unique_ptr<Expression>> arguments;
  std::vector<std::string> labels;
  bool is_without = false;    // aggregates; of binaries: ignoring
  bool has_matching = false;  // of binaries: `labels` were given
  bool many_left = false;     // group_left
  bool many_right = false;
  double range = 0;
  double step = 0;
  double offset = 0;
};

/// InvalidArgument says what is not understood, and where.
absl::StatusOr<std::unique_ptr<Expression>> ParsePromQl(std::string_view query);

/// How tightly the operator binds; 0: it is none.
int PrecedenceOf(std::string_view op);

}  // namespace outrigger::load_bench
