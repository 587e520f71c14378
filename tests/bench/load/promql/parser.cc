#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <set>
#include <utility>

#include "expression.h"
#include "fmt/format.h"

namespace outrigger::load_bench {
namespace {

using Kind = Expression::Kind;
using Parsed = absl::StatusOr<std::unique_ptr<Expression>>;

const std::set<std::string, std::less<>> kAggregates = {"sum", "avg",   "min",
                                                        "max", "count", "group"};

bool IsWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Parsed Whole() {
    Parsed all = Binary(1);
    if (!all.ok()) return all;
    Skip();
    if (at_ != text_.size()) return Fault("the end");
    return all;
  }

 private:
  absl::Status Fault(std::string_view wanted) const {
    return absl::InvalidArgumentError(
        fmt::format("{} is expected at \"{}\"", wanted, text_.substr(at_, 40)));
  }
  void Skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool Take(std::string_view token) {
    Skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    const size_t end = at_ + token.size();
    if (token.back() != ':' && IsWordPart(token.back()) && end < text_.size() &&
        IsWordPart(text_[end]))
      return false;
    at_ = end;
    return true;
  }
  bool Sees(std::string_view token) {
    const size_t before = at_;
    const bool sees = Take(token);
    at_ = before;
    return sees;
  }
  std::string Word() {
    Skip();
    const size_t from = at_;
    while (at_ < text_.size() && IsWordPart(text_[at_])) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }
  std::unique_ptr<Expression> Made(Kind kind, size_t from) const {
    auto made = std::make_unique<Expression>();
    made->kind = kind;
    made->text = text_.substr(from, at_ - from);
    return made;
  }

  std::string Operator() {
    static constexpr std::array kOperators = {"==", "!=", "<=", ">=", "<",  ">",   "+",     "-",
                                              "*",  "/",  "%",  "^",  "or", "and", "unless"};
    for (const std::string_view op : kOperators) {
      if (Take(op)) return std::string(op);
    }
    return "";
  }

  absl::Status Matching(Expression* binary) {
    const bool on = Take("on");
    if (on || Take("ignoring")) {
      binary->has_matching = true;
      binary->is_without = !on;
      if (absl::Status status = Labels(&binary->labels); !status.ok()) return status;
    }
    std::vector<std::string> added;  // no metric has labels worth copying here
    binary->many_left = Take("group_left");
    binary->many_right = !binary->many_left && Take("group_right");
    const bool has_list = (binary->many_left || binary->many_right) && Sees("(");
    return has_list ? Labels(&added) : absl::OkStatus();
  }

  Parsed Binary(int least) {
    Skip();
    const size_t from = at_;
    Parsed left = Unary();
    while (left.ok()) {
      const size_t before = at_;
      const std::string op = Operator();
      const int binds = PrecedenceOf(op);
      if (binds < least) {
        at_ = before;
        break;
      }
      auto binary = Made(Kind::kBinary, from);
      if (absl::Status status = Matching(binary.get()); !status.ok()) return status;
      Parsed right = Binary(binds + 1);
      if (!right.ok()) return right;
      binary->name = op;
      binary->arguments.push_back(*std::move(left));
      binary->arguments.push_back(*std::move(right));
      binary->text = text_.substr(from, at_ - from);
      left = std::move(binary);
    }
    return left;
  }

  Parsed Unary() {
    Skip();
    const size_t from = at_;
    if (!Take("-")) return Postfix();
    Parsed of = Postfix();
    if (!of.ok()) return of;
    auto zero = Made(Kind::kNumber, from);
    auto minus = Made(Kind::kBinary, from);
    minus->name = "-";
    minus->arguments.push_back(std::move(zero));
    minus->arguments.push_back(*std::move(of));
    return minus;
  }

  Parsed Postfix() {
    Skip();
    const size_t from = at_;
    Parsed inner = Primary();
    while (inner.ok() && (Sees("[") || Sees("offset"))) {
      if (Take("offset")) {
        const auto offset = Duration();
        if (!offset.ok()) return offset.status();
        (*inner)->offset = *offset;
        (*inner)->text = text_.substr(from, at_ - from);
        continue;
      }
      inner = Range(from, *std::move(inner));
    }
    return inner;
  }

  Parsed Range(size_t from, std::unique_ptr<Expression> inner) {
    Take("[");
    const auto range = Duration();
    if (!range.ok()) return range.status();
    auto made = Made(Kind::kRange, from);
    made->range = *range;
    if (Take(":")) {
      made->kind = Kind::kSubquery;
      const auto step = Sees("]") ? absl::StatusOr<double>(60) : Duration();
      if (!step.ok()) return step.status();
      made->step = *step;
    } else if (inner->kind != Kind::kSelector) {
      return Fault("a selector before a range");
    }
    if (!Take("]")) return Fault("]");
    made->arguments.push_back(std::move(inner));
    made->text = text_.substr(from, at_ - from);
    return made;
  }

  absl::StatusOr<double> Duration() {
    Skip();
    double sum = 0;
    bool any = false;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      char* end = nullptr;
      const std::string rest(text_.substr(at_, 24));
      const double amount = std::strtod(rest.c_str(), &end);
      at_ += static_cast<size_t>(end - rest.c_str());
      if (Unit("ms", 0.001, amount, &sum) || Unit("s", 1, amount, &sum) ||
          Unit("m", 60, amount, &sum) || Unit("h", 3600, amount, &sum) ||
          Unit("d", 86'400, amount, &sum) || Unit("w", 604'800, amount, &sum)) {
        any = true;
        continue;
      }
      return Fault("a unit of time");
    }
    if (!any) return Fault("a duration");
    return sum;
  }
  bool Unit(std::string_view unit, double seconds, double amount, double* sum) {
    if (!text_.substr(at_).starts_with(unit)) return false;
    at_ += unit.size();
    *sum += amount * seconds;
    return true;
  }

  Parsed Primary() {
    Skip();
    const size_t from = at_;
    if (Take("(")) {
      Parsed inner = Binary(1);
      if (inner.ok() && !Take(")")) return Fault(")");
      return inner;
    }
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)) {
      const std::string rest(text_.substr(at_, 40));
      char* end = nullptr;
      const double number = std::strtod(rest.c_str(), &end);
      at_ += static_cast<size_t>(end - rest.c_str());
      auto made = Made(Kind::kNumber, from);
      made->number = number;
      return made;
    }
    if (Sees("{")) return Selector(from, "");
    const std::string word = Word();
    if (word.empty()) return Fault("an expression");
    if (kAggregates.contains(word)) return Aggregate(from, word);
    return Sees("(") ? Call(from, word) : Selector(from, word);
  }

  absl::Status Labels(std::vector<std::string>* labels) {
    if (!Take("(")) return Fault("(");
    while (!Take(")")) {
      labels->push_back(Word());
      if (labels->back().empty()) return Fault("a label");
      if (!Take(",") && !Sees(")")) return Fault(", or )");
    }
    return absl::OkStatus();
  }

  Parsed Aggregate(size_t from, const std::string& name) {
    auto made = Made(Kind::kAggregate, from);
    made->name = name;
    const auto grouping = [&]() -> absl::Status {
      const bool by = Take("by");
      if (!by && !Take("without")) return absl::OkStatus();
      made->is_without = !by;
      return Labels(&made->labels);
    };
    if (absl::Status status = grouping(); !status.ok()) return status;
    if (!Take("(")) return Fault("(");
    Parsed of = Binary(1);
    if (!of.ok()) return of;
    if (!Take(")")) return Fault(")");
    if (absl::Status status = grouping(); !status.ok()) return status;
    made->arguments.push_back(*std::move(of));
    made->text = text_.substr(from, at_ - from);
    return made;
  }

  Parsed Call(size_t from, const std::string& name) {
    auto made = Made(Kind::kCall, from);
    made->name = name;
    Take("(");
    while (!Take(")")) {
      Parsed argument = Binary(1);
      if (!argument.ok()) return argument;
      made->arguments.push_back(*std::move(argument));
      if (!Take(",") && !Sees(")")) return Fault(", or )");
    }
    made->text = text_.substr(from, at_ - from);
    return made;
  }

  Parsed Selector(size_t from, const std::string& name) {
    auto made = Made(Kind::kSelector, from);
    made->name = name;
    if (Take("{")) {
      while (!Take("}")) {
        Matcher matcher;
        if (absl::Status status = One(&matcher); !status.ok()) return status;
        made->matchers.push_back(std::move(matcher));
        if (!Take(",") && !Sees("}")) return Fault(", or }");
      }
    }
    made->text = text_.substr(from, at_ - from);
    return made;
  }

  absl::Status One(Matcher* matcher) {
    matcher->label = Word();
    using enum Matcher::Kind;
    if (Take("=~")) {
      matcher->kind = kMatches;
    } else if (Take("!~")) {
      matcher->kind = kMatchesNot;
    } else if (Take("!=")) {
      matcher->kind = kNotEqual;
    } else if (!Take("=")) {
      return Fault("an operator of labels");
    }
    if (!Take("\"")) return Fault("a text in double quotes");
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) matcher->value += text_[at_++];
    }
    if (!Take("\"")) return Fault("the end of the text");
    if (matcher->kind == kMatches || matcher->kind == kMatchesNot) {
      matcher->pattern = std::regex(matcher->value);
    }
    return absl::OkStatus();
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool Matcher::Accepts(const std::string& text) const {
  switch (kind) {
    case Kind::kEqual:
      return text == value;
    case Kind::kNotEqual:
      return text != value;
    case Kind::kMatches:
      return std::regex_match(text, pattern);
    case Kind::kMatchesNot:
      return !std::regex_match(text, pattern);
  }
  return false;
}

int PrecedenceOf(std::string_view op) {
  if (op == "or") return 1;
  if (op == "and" || op == "unless") return 2;
  if (op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=") return 3;
  if (op == "+" || op == "-") return 4;
  if (op == "*" || op == "/" || op == "%") return 5;
  return op == "^" ? 6 : 0;
}

Parsed ParsePromQl(std::string_view query) {
  return Parser(query).Whole();
}

}  // namespace outrigger::load_bench
