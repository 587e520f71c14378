#include "unit/devices/small_selectors.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace outrigger::devices {
namespace {

struct Fault {
  std::string text;
};
struct Absent {};
struct Value;
using List = std::vector<Value>;
struct Value : std::variant<bool, int64_t, std::string, List, Quantity, Absent, Fault> {
  using variant::variant;
};

struct Scope {
  const DeviceView& device;
  bool quantities_fail;
};
using Node = std::function<Value(const Scope&)>;

bool IsFault(const Value& value) {
  return std::holds_alternative<Fault>(value) || std::holds_alternative<Absent>(value);
}
Value FaultOf(const Value& value) {
  if (std::holds_alternative<Absent>(value)) return Fault{"no such key"};
  return value;
}

Value Attribute(const Scope& scope, const std::string& name) {
  for (const devices::Attribute& attribute : scope.device.attributes) {
    if (attribute.name != name) continue;
    if (const auto* text = std::get_if<std::string>(&attribute.value)) return *text;
    if (const auto* number = std::get_if<int64_t>(&attribute.value)) return *number;
    if (const auto* version = std::get_if<Version>(&attribute.value)) return version->text;
    if (const auto* quantity = std::get_if<Quantity>(&attribute.value)) {
      if (scope.quantities_fail) return Fault{"unsupported conversion"};
      return *quantity;
    }
  }
  return Absent{};
}

bool Equal(const Value& a, const Value& b) {
  if (a.index() != b.index()) return false;
  if (const auto* flag = std::get_if<bool>(&a)) return *flag == std::get<bool>(b);
  if (const auto* number = std::get_if<int64_t>(&a)) return *number == std::get<int64_t>(b);
  if (const auto* text = std::get_if<std::string>(&a)) return *text == std::get<std::string>(b);
  if (const auto* amount = std::get_if<Quantity>(&a)) return *amount == std::get<Quantity>(b);
  return false;
}

Value Compare(const std::string& op, const Value& a, const Value& b) {
  if (op == "==") return Equal(a, b);
  if (op == "!=") return !Equal(a, b);
  int order = 0;
  if (std::holds_alternative<int64_t>(a) && std::holds_alternative<int64_t>(b)) {
    order = std::get<int64_t>(a) < std::get<int64_t>(b)   ? -1
            : std::get<int64_t>(a) > std::get<int64_t>(b) ? 1
                                                          : 0;
  } else if (std::holds_alternative<std::string>(a) && std::holds_alternative<std::string>(b)) {
    order = std::get<std::string>(a).compare(std::get<std::string>(b));
  } else {
    return Fault{"no such overload"};
  }
  return op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0;
}

Value Binary(const std::string& op, const Value& a, const Value& b) {
  if (IsFault(a)) return FaultOf(a);
  if (IsFault(b)) return FaultOf(b);
  if (op == "in") {
    const auto& list = std::get<List>(b);
    return std::any_of(list.begin(), list.end(), [&](const Value& item) { return Equal(a, item); });
  }
  if (op != "+" && op != "%") return Compare(op, a, b);
  const auto* x = std::get_if<int64_t>(&a);
  const auto* y = std::get_if<int64_t>(&b);
  if (x == nullptr || y == nullptr) return Fault{"no such overload"};
  if (op == "+") return *x + *y;
  if (*y == 0) return Fault{"modulus by zero"};
  return *x % *y;
}

Value Logic(bool decides, const Value& a, const Value& b) {
  for (const Value* side : {&a, &b}) {
    const auto* flag = std::get_if<bool>(side);
    if (flag != nullptr && *flag == decides) return decides;
  }
  for (const Value* side : {&a, &b}) {
    if (IsFault(*side)) return FaultOf(*side);
    if (!std::holds_alternative<bool>(*side)) return Fault{"no such overload"};
  }
  return !decides;
}

Value Method(const std::string& name, const Value& of, const Value& with) {
  if (IsFault(of)) return FaultOf(of);
  const auto* text = std::get_if<std::string>(&of);
  const auto* part = std::get_if<std::string>(&with);
  if (text == nullptr || part == nullptr) return Fault{"no such overload"};
  if (name == "startsWith") return text->starts_with(*part);
  if (name == "endsWith") return text->ends_with(*part);
  if (name == "contains") return text->find(*part) != std::string::npos;
  return std::regex_search(*text, std::regex(*part));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Node> Whole() {
    Node node = Choice();
    Blank();
    if (failed_ || at_ != text_.size()) return std::nullopt;
    return node;
  }

 private:
  void Blank() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(std::string_view token) {
    Blank();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void Need(std::string_view token) {
    if (!Take(token)) failed_ = true;
  }
  std::string Word() {
    Blank();
    const size_t from = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    if (at_ == from) failed_ = true;
    return std::string(text_.substr(from, at_ - from));
  }

  Node Choice() {
    Node node = Either(true);
    if (!Take("?")) return node;
    Node yes = Choice();
    Need(":");
    Node no = Choice();
    return [node, yes, no](const Scope& scope) {
      const Value which = node(scope);
      const auto* flag = std::get_if<bool>(&which);
      return flag == nullptr ? Value(Fault{"no such overload"}) : (*flag ? yes : no)(scope);
    };
  }
  Node Either(bool decides) {
    Node node = decides ? Either(false) : Relation();
    while (!failed_ && Take(decides ? "||" : "&&")) {
      Node right = decides ? Either(false) : Relation();
      node = [node, right, decides](const Scope& scope) {
        return Logic(decides, node(scope), right(scope));
      };
    }
    return node;
  }
  Node Relation() {
    Node left = Sum();
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">", "in "}) {
      if (!Take(op)) continue;
      Node right = Sum();
      std::string name = op == std::string("in ") ? "in" : op;
      return [left, right, name](const Scope& scope) {
        return Binary(name, left(scope), right(scope));
      };
    }
    return left;
  }
  Node Sum() {
    Node left = Unary();
    for (const char* op : {"+", "%"}) {
      if (!Take(op)) continue;
      Node right = Unary();
      std::string name = op;
      return [left, right, name](const Scope& scope) {
        return Binary(name, left(scope), right(scope));
      };
    }
    return left;
  }
  Node Unary() {
    if (!Take("!")) return Member();
    Node node = Unary();
    return [node](const Scope& scope) {
      const Value value = node(scope);
      if (IsFault(value)) return FaultOf(value);
      const auto* flag = std::get_if<bool>(&value);
      return flag == nullptr ? Value(Fault{"no such overload"}) : Value(!*flag);
    };
  }
  Node Member() {
    Node node = Primary();
    while (!failed_ && Take(".")) {
      std::string name = Word();
      Need("(");
      Node with = Choice();
      Need(")");
      if (name != "startsWith" && name != "endsWith" && name != "contains" && name != "matches") {
        failed_ = true;
      }
      node = [node, with, name](const Scope& scope) {
        return Method(name, node(scope), with(scope));
      };
    }
    return node;
  }
  Node Primary() {
    Blank();
    if (failed_ || at_ == text_.size()) return failed_ = true, Node();
    const char c = text_[at_];
    if (c == '\'') return Constant(Value(Quoted()));
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      return Constant(Value(int64_t{std::stoll(Word())}));
    }
    if (Take("(")) {
      Node node = Choice();
      Need(")");
      return node;
    }
    return c == '[' ? ListOf() : Named();
  }
  Node Named() {
    const std::string word = Word();
    if (word == "true" || word == "false") return Constant(Value(word == "true"));
    if (word == "device") return Device();
    if (word != "has" && word != "size") return failed_ = true, Node();
    Need("(");
    Node node = Choice();
    Need(")");
    if (word == "has") {
      return [node](const Scope& scope) {
        return Value(!std::holds_alternative<Absent>(node({scope.device, false})));
      };
    }
    return [node](const Scope& scope) {
      const Value value = node(scope);
      if (IsFault(value)) return FaultOf(value);
      const auto* text = std::get_if<std::string>(&value);
      return text == nullptr ? Value(Fault{"no such overload"})
                             : Value(static_cast<int64_t>(text->size()));
    };
  }
  Node Device() {
    std::string name;
    if (Take("[")) {
      Blank();
      name = Quoted();
      Need("]");
    } else {
      Need(".");
      name = Word();
    }
    return [name](const Scope& scope) { return Attribute(scope, name); };
  }
  Node ListOf() {
    Need("[");
    std::vector<Node> items;
    do items.push_back(Choice());
    while (!failed_ && Take(","));
    Need("]");
    return [items](const Scope& scope) {
      List list;
      for (const Node& item : items) list.push_back(item(scope));
      return Value(list);
    };
  }
  std::string Quoted() {
    Need("'");
    const size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return failed_ = true, "";
    std::string text(text_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
  }
  static Node Constant(Value value) {
    return [value](const Scope&) { return value; };
  }

  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
};

class SmallSelector : public Selector {
 public:
  SmallSelector(Node node, Environment in) : node_(std::move(node)), in_(in) {}
  absl::StatusOr<bool> Matches(const DeviceView& device) const override {
    const Value value = node_({device, in_ == Environment::kOriginal});
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    const Value fault = FaultOf(value);
    const auto* text = std::get_if<Fault>(&fault);
    return absl::InvalidArgumentError(text == nullptr ? "not a bool" : text->text);
  }

 private:
  const Node node_;
  const Environment in_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Selector>> SmallSelectors::Compile(std::string_view text,
                                                                        Environment in) const {
  std::optional<Node> node = Parser(text).Whole();
  if (!node.has_value()) return absl::InvalidArgumentError("unknown to the tests' selectors");
  return std::make_unique<SmallSelector>(*std::move(node), in);
}

}  // namespace outrigger::devices
