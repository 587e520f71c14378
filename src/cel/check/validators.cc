#include "cel/check/checker.h"

#include <string>
#include <string_view>

#include "cel/check/type.h"
#include "cel/library/format_text.h"
#include "cel/library/regex_cache.h"
#include "cel/values/concat.h"
#include "cel/values/time.h"

namespace outrigger::cel {
namespace {

class Validator {
 public:
  explicit Validator(ErrorList& errors) : errors_(errors) {}

  void Visit(const Expr& expr) {
    if (expr.kind == ExprKind::kCall) {
      Regex(expr);
      Time(expr);
      Format(expr);
    }
    if (exempt_ == 0 && expr.kind == ExprKind::kList) List(expr);
    if (exempt_ == 0 && expr.kind == ExprKind::kMap) Map(expr);
    const bool exempts = expr.kind == ExprKind::kCall && expr.name == "format";
    if (exempts) ++exempt_;
    if (expr.target != nullptr) Visit(*expr.target);
    for (const Expr* arg : expr.args) Visit(*arg);
    if (exempts) --exempt_;
  }

 private:
  static const Type* Unwrapped(const Expr& item, bool optional) {
    return optional && IsOptional(*item.type) ? item.type->parameters[0] : item.type;
  }

  bool Same(const Expr& at, const Type& expected, const Type& found) {
    if (SameType(expected, found)) return true;
    errors_.Add(at.offset, Concat("expected type '", FormatType(expected), "' but found '",
                                  FormatType(found), "'; all of them must have one type"));
    return false;
  }

  void List(const Expr& list) {
    const Type* first = nullptr;
    for (size_t i = 0; i < list.args.size(); ++i) {
      const Type* type = Unwrapped(*list.args[i], list.optional[i]);
      if (first == nullptr) {
        first = type;
      } else if (!Same(*list.args[i], *first, *type)) {
        return;
      }
    }
  }

  void Map(const Expr& map) {
    for (size_t i = 2; i + 1 < map.args.size(); i += 2) {
      Same(*map.args[i], *map.args[0]->type, *map.args[i]->type);
      Same(*map.args[i + 1], *Unwrapped(*map.args[1], map.optional[0]),
           *Unwrapped(*map.args[i + 1], map.optional[i / 2]));
    }
  }

  void Pattern(const Expr& call, const Expr& pattern) {
    if (pattern.kind != ExprKind::kConstant || !pattern.constant.Is(Kind::kString)) return;
    if (CompileRegex(pattern.constant.text()) != nullptr) return;
    errors_.Add(pattern.offset,
                Concat("invalid ", call.name, " argument: it must be a regular expression of RE2"));
  }

  // Upstream takes the first argument for the pattern, also of matches(text, pattern); that pattern
  // is left to the planner.
  void Regex(const Expr& call) {
    if (call.name == "matches" && !call.args.empty()) Pattern(call, *call.args[0]);
  }

  void Time(const Expr& call) {
    if (call.args.size() != 1 || call.args[0]->kind != ExprKind::kConstant) return;
    const Value& value = call.args[0]->constant;
    bool good = true;
    if (call.name == "duration") {
      good = value.Is(Kind::kString) && ParseDuration(value.text()).has_value();
    } else if (call.name == "timestamp") {
      const bool seconds =
          value.Is(Kind::kInt) && value.integer() >= kFirstSecond && value.integer() <= kLastSecond;
      good = seconds || (value.Is(Kind::kString) && ParseTimestamp(value.text()).has_value());
    }
    if (good) return;
    errors_.Add(call.args[0]->offset,
                Concat("invalid ", call.name, " argument: ",
                       call.name == "duration" ? "as in '1h30m', units are h, m, s, ms, us, ns"
                                               : "as in '2024-04-30T12:00:00Z'"));
  }

  // A constant format with a list of arguments.
  void Format(const Expr& call) {
    if (call.name != "format" || call.target == nullptr || call.args.size() != 1) return;
    const Expr& text = *call.target;
    const Expr& list = *call.args[0];
    if (text.kind != ExprKind::kConstant || !text.constant.Is(Kind::kString) ||
        list.kind != ExprKind::kList) {
      return;
    }
    FormatReader reader(text.constant.text());
    FormatClause clause;
    std::string shown;
    size_t used = 0;
    for (; reader.Next(shown, clause); ++used) {
      if (used >= list.args.size())
        return errors_.Add(
            call.offset, Concat("index ", used, " out of range: the format needs more arguments"));
      if (!ClauseFits(clause.verb, *list.args[used]->type)) {
        return errors_.Add(list.args[used]->offset,
                           Concat("error during formatting: %", std::string(1, clause.verb),
                                  " does not take ", FormatType(*list.args[used]->type)));
      }
    }
    if (!reader.error().empty()) return errors_.Add(text.offset, std::string(reader.error()));
    if (used < list.args.size()) {
      errors_.Add(call.offset, Concat("too many arguments supplied to string.format (expected ",
                                      used, ", got ", list.args.size(), ")"));
    }
  }

  static bool ClauseFits(char verb, const Type& type) {
    switch (type.kind) {
      case TypeKind::kDyn:
        return true;
      case TypeKind::kNull:
        return ClauseTakes(verb, Kind::kNull);
      case TypeKind::kBool:
        return ClauseTakes(verb, Kind::kBool);
      case TypeKind::kInt:
        return ClauseTakes(verb, Kind::kInt);
      case TypeKind::kUint:
        return ClauseTakes(verb, Kind::kUint);
      case TypeKind::kDouble:
        return ClauseTakes(verb, Kind::kDouble);
      case TypeKind::kString:
        return ClauseTakes(verb, Kind::kString);
      case TypeKind::kBytes:
        return ClauseTakes(verb, Kind::kBytes);
      case TypeKind::kDuration:
      case TypeKind::kTimestamp:
      case TypeKind::kList:
      case TypeKind::kMap:
      case TypeKind::kType:
        return verb == 's';
      default:
        return false;
    }
  }

  ErrorList& errors_;
  int exempt_ = 0;
};

}  // namespace

void Validate(const Expr& root, ErrorList& errors) {
  Validator(errors).Visit(root);
}

}  // namespace outrigger::cel
