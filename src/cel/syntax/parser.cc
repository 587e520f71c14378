#include "cel/syntax/parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/syntax/lexer.h"
#include "cel/syntax/macros.h"
#include "cel/values/concat.h"
#include "cel/values/text.h"

namespace outrigger::cel {
namespace {

// Names that no variable may have, though fields may.
constexpr std::array<std::string_view, 21> kReserved = {
    "as",        "break", "const",  "continue", "else", "false", "for",
    "function",  "if",    "import", "in",       "let",  "loop",  "package",
    "namespace", "null",  "return", "true",     "var",  "void",  "while"};

// An operator between two operands, and the function that it calls.
struct Operator {
  TokenKind token;
  std::string_view function;
};

constexpr std::array<Operator, 7> kRelations = {{{TokenKind::kLess, "_<_"},
                                                 {TokenKind::kLessEqual, "_<=_"},
                                                 {TokenKind::kGreaterEqual, "_>=_"},
                                                 {TokenKind::kGreater, "_>_"},
                                                 {TokenKind::kEqual, "_==_"},
                                                 {TokenKind::kNotEqual, "_!=_"},
                                                 {TokenKind::kIn, "@in"}}};

constexpr std::array<Operator, 2> kSums = {{{TokenKind::kPlus, "_+_"}, {TokenKind::kMinus, "_-_"}}};

constexpr std::array<Operator, 3> kProducts = {
    {{TokenKind::kStar, "_*_"}, {TokenKind::kSlash, "_/_"}, {TokenKind::kPercent, "_%_"}}};

// Recursive descent. After the first syntax error every function returns nullptr.
class Parser {
 public:
  Parser(std::string_view text, Ast& ast, ErrorList& errors)
      : ast_(ast), errors_(errors), tokens_(Tokenize(text, errors)) {}

  Expr* Run() {
    if (!errors_.empty()) return nullptr;
    Expr* expr = Expression();
    if (expr == nullptr) return nullptr;
    if (!At(TokenKind::kEnd)) return Unexpected("an operator or the end");
    if (ast_.TooLarge()) return Fail(0, "expression too large once its macros are expanded");
    return errors_.empty() ? expr : nullptr;
  }

 private:
  const Token& Now() const { return tokens_[at_]; }
  bool At(TokenKind kind) const { return Now().kind == kind; }
  bool Take(TokenKind kind) {
    if (!At(kind)) return false;
    ++at_;
    return true;
  }

  Expr* Fail(uint32_t offset, std::string message) {
    if (!failed_) errors_.Add(offset, std::move(message));
    failed_ = true;
    return nullptr;
  }
  // What is meant by a word that has no place here; empty if nothing is known.
  std::string Hint() const {
    const std::string_view word = Now().text;
    if (word == "and") return "logical and is &&";
    if (word == "or") return "logical or is ||";
    if (word == "not") return "logical not is !";
    if (word == "like") return "texts have matches('...'), contains('...') and startsWith('...')";
    if (At(TokenKind::kIdentifier) && at_ > 0 && IsAmount(tokens_[at_ - 1])) {
      return Concat("an amount is quantity('", tokens_[at_ - 1].text, word, "')");
    }
    return "";
  }
  // A number right in front of the present word.
  bool IsAmount(const Token& before) const {
    return (before.kind == TokenKind::kInt || before.kind == TokenKind::kDouble) &&
           before.offset + before.text.size() == Now().offset;
  }
  Expr* Unexpected(std::string_view wanted) {
    const std::string found =
        At(TokenKind::kEnd)
            ? std::string("the end")
            : Concat("'", Now().text.substr(0, OffsetOfCodePoint(Now().text, 40)), "'");
    std::string message = Concat("Syntax error: found ", found, ", expected ", wanted);
    if (const std::string hint = Hint(); !hint.empty()) Append(message, "; ", hint);
    return Fail(Now().offset, std::move(message));
  }
  bool Expect(TokenKind kind, std::string_view shown) {
    if (Take(kind)) return true;
    Unexpected(shown);
    return false;
  }

  // Gives a node its height: one more than its deepest part if it counts as a level.
  Expr* Raised(Expr* expr, std::initializer_list<const Expr*> parts, uint16_t level = 1) {
    uint16_t height = 0;
    for (const Expr* part : parts) {
      if (part != nullptr) height = std::max(height, part->height);
    }
    return WithHeight(expr, static_cast<uint16_t>(height + level));
  }
  Expr* WithHeight(Expr* expr, uint16_t height) {
    if (expr == nullptr) return nullptr;
    expr->height = height;
    if (height > kDeepestNesting) return Fail(expr->offset, TooDeep());
    return expr;
  }
  static std::string TooDeep() {
    return Concat("nesting too deep: at most ", kDeepestNesting, " levels are allowed");
  }

  Expr* Expression() {
    if (++depth_ > kDeepestNesting) return Fail(Now().offset, TooDeep());
    Expr* expr = Conditional();
    --depth_;
    return expr;
  }

  Expr* Conditional() {
    Expr* condition = Logical(TokenKind::kOr);
    if (condition == nullptr || !At(TokenKind::kQuestion)) return condition;
    const uint32_t offset = Now().offset;
    ++at_;
    Expr* yes = Logical(TokenKind::kOr);
    if (yes == nullptr || !Expect(TokenKind::kColon, "':'")) return nullptr;
    Expr* no = Expression();
    if (no == nullptr) return nullptr;
    return Raised(ast_.NewCall(offset, "_?_:_", {condition, yes, no}), {condition, yes, no});
  }

  // A chain of || over chains of &&.
  Expr* Logical(TokenKind kind) {
    std::vector<Expr*> terms;
    std::vector<uint32_t> offsets;
    do {
      Expr* term = kind == TokenKind::kOr ? Logical(TokenKind::kAnd) : Relation();
      if (term == nullptr) return nullptr;
      terms.push_back(term);
      offsets.push_back(Now().offset);
    } while (Take(kind));
    return Balanced(kind == TokenKind::kOr ? "_||_" : "_&&_", terms, offsets, 0, terms.size());
  }

  Expr* Balanced(std::string_view name, const std::vector<Expr*>& terms,
                 const std::vector<uint32_t>& offsets, size_t begin, size_t end) {
    if (end - begin == 1) return terms[begin];
    const size_t middle = begin + (end - begin + 1) / 2;
    Expr* left = Balanced(name, terms, offsets, begin, middle);
    Expr* right = Balanced(name, terms, offsets, middle, end);
    return Raised(ast_.NewCall(offsets[middle - 1], name, {left, right}), {left, right}, 0);
  }

  template <size_t N>
  const Operator* TakeOperator(const std::array<Operator, N>& operators) {
    for (const Operator& op : operators) {
      if (Take(op.token)) return &op;
    }
    return nullptr;
  }

  template <size_t N>
  Expr* Chain(const std::array<Operator, N>& operators, Expr* (Parser::*operand)()) {
    Expr* left = (this->*operand)();
    while (left != nullptr) {
      const uint32_t offset = Now().offset;
      const Operator* op = TakeOperator(operators);
      if (op == nullptr) return left;
      Expr* right = (this->*operand)();
      if (right == nullptr) return nullptr;
      left = Raised(ast_.NewCall(offset, op->function, {left, right}), {left, right});
    }
    return nullptr;
  }
  Expr* Relation() { return Chain(kRelations, &Parser::Sum); }
  Expr* Sum() { return Chain(kSums, &Parser::Product); }
  Expr* Product() { return Chain(kProducts, &Parser::Unary); }

  Expr* Unary() {
    const TokenKind kind = Now().kind;
    if (kind != TokenKind::kNot && kind != TokenKind::kMinus) return Member();
    const uint32_t offset = Now().offset;
    const TokenKind next = tokens_[at_ + 1].kind;
    if (kind == TokenKind::kMinus && (next == TokenKind::kInt || next == TokenKind::kDouble)) {
      return Member();  // a negative literal
    }
    size_t count = 0;
    while (Take(kind)) ++count;
    Expr* operand = Member();
    // Two of them are none, even where one would be no operation of the operand.
    if (operand == nullptr || count % 2 == 0) return operand;
    return Raised(ast_.NewCall(offset, kind == TokenKind::kNot ? "!_" : "-_", {operand}), {operand},
                  0);
  }

  Expr* Member() {
    Expr* expr = Primary();
    while (expr != nullptr) {
      if (At(TokenKind::kDot)) {
        expr = Selection(expr);
      } else if (At(TokenKind::kLeftBracket)) {
        expr = Index(expr);
      } else {
        return expr;
      }
    }
    return nullptr;
  }

  Expr* Selection(Expr* operand) {
    const uint32_t offset = Now().offset;
    ++at_;
    const bool optional = Take(TokenKind::kQuestion);
    if (!At(TokenKind::kIdentifier)) return Unexpected("the name of a field or function");
    const Token name = Now();
    ++at_;
    if (!optional && At(TokenKind::kLeftParenthesis)) return CallOf(name, operand);
    if (optional) {
      Expr* field = ast_.NewText(name.offset, name.text);
      return Raised(ast_.NewCall(offset, "_?._", {operand, field}), {operand});
    }
    Expr* select = ast_.New(ExprKind::kSelect, offset);
    select->name = name.text;
    select->target = operand;
    return Raised(select, {operand});
  }

  Expr* Index(Expr* operand) {
    const uint32_t offset = Now().offset;
    ++at_;
    const bool optional = Take(TokenKind::kQuestion);
    Expr* index = Expression();
    if (index == nullptr || !Expect(TokenKind::kRightBracket, "']'")) return nullptr;
    return Raised(ast_.NewCall(offset, optional ? "_[?_]" : "_[_]", {operand, index}),
                  {operand, index});
  }

  // The parenthesis of name(args) or target.name(args) is next.
  Expr* CallOf(const Token& name, Expr* target) {
    WrittenCall call;
    call.offset = Now().offset;
    call.name = name.text;
    call.target = target;
    ++at_;
    uint16_t height = target == nullptr ? 0 : target->height;
    if (!Take(TokenKind::kRightParenthesis)) {
      do {
        Expr* arg = Expression();
        if (arg == nullptr) return nullptr;
        height = std::max(height, arg->height);
        call.args.push_back(arg);
      } while (Take(TokenKind::kComma));
      if (!Expect(TokenKind::kRightParenthesis, "',' or ')'")) return nullptr;
    }
    Expr* expr = ExpandMacro(ast_, errors_, call);
    if (expr == nullptr) expr = ast_.NewCall(call.offset, call.name, std::move(call.args), target);
    return WithHeight(expr, static_cast<uint16_t>(height + (target == nullptr ? 0 : 1)));
  }

  Expr* Primary() {
    switch (Now().kind) {
      case TokenKind::kLeftParenthesis:
        return Nested();
      case TokenKind::kLeftBracket:
        return List();
      case TokenKind::kLeftBrace:
        return Map(ExprKind::kMap, {});
      case TokenKind::kDot:
      case TokenKind::kIdentifier:
        return Name();
      default:
        return Literal();
    }
  }

  Expr* Nested() {
    ++at_;
    Expr* inner = Expression();
    if (inner == nullptr || !Expect(TokenKind::kRightParenthesis, "')'")) return nullptr;
    return inner;
  }

  Expr* Name() {
    const bool rooted = Take(TokenKind::kDot);
    if (!At(TokenKind::kIdentifier)) return Unexpected("a name");
    if (size_t end = at_; IsMessage(end)) return Message(end);
    const Token name = Now();
    ++at_;
    if (IsReserved(name.text)) {
      return Fail(name.offset, Concat("reserved identifier: ", name.text));
    }
    if (At(TokenKind::kLeftParenthesis)) return CallOf(name, nullptr);
    return ast_.NewIdent(name.offset, rooted ? Concat(".", name.text) : std::string(name.text));
  }

  // Whether names with dots and then '{' follow; `brace` becomes the place of the brace.
  bool IsMessage(size_t& brace) const {
    ++brace;
    while (tokens_[brace].kind == TokenKind::kDot &&
           tokens_[brace + 1].kind == TokenKind::kIdentifier) {
      brace += 2;
    }
    return tokens_[brace].kind == TokenKind::kLeftBrace;
  }

  Expr* Message(size_t brace) {
    std::string name;
    for (; at_ < brace; ++at_) Append(name, Now().text);
    return Map(ExprKind::kMessage, std::move(name));
  }

  Expr* List() {
    Expr* list = ast_.New(ExprKind::kList, Now().offset);
    ++at_;
    uint16_t height = 0;
    while (!At(TokenKind::kRightBracket) && !At(TokenKind::kComma)) {
      list->optional.push_back(Take(TokenKind::kQuestion));
      Expr* item = Expression();
      if (item == nullptr) return nullptr;
      height = std::max(height, item->height);
      list->args.push_back(item);
      if (!Take(TokenKind::kComma)) break;
      if (At(TokenKind::kComma)) return Unexpected("an item or ']'");
    }
    if (list->args.empty()) Take(TokenKind::kComma);
    if (!Expect(TokenKind::kRightBracket, "',' or ']'")) return nullptr;
    return WithHeight(list, height);
  }

  Expr* Map(ExprKind kind, std::string name) {
    Expr* map = ast_.New(kind, Now().offset);
    map->name = std::move(name);
    ++at_;
    uint16_t height = 0;
    while (!At(TokenKind::kRightBrace) && !At(TokenKind::kComma)) {
      if (!Entry(*map, height)) return nullptr;
      if (!Take(TokenKind::kComma)) break;
      if (At(TokenKind::kComma)) return Unexpected("an entry or '}'");
    }
    if (map->args.empty()) Take(TokenKind::kComma);
    if (!Expect(TokenKind::kRightBrace, "',' or '}'")) return nullptr;
    return WithHeight(map, height);
  }

  bool Entry(Expr& map, uint16_t& height) {
    map.optional.push_back(Take(TokenKind::kQuestion));
    Expr* key = Expression();
    if (key == nullptr || !Expect(TokenKind::kColon, "':'")) return false;
    Expr* value = Expression();
    if (value == nullptr) return false;
    height = std::max({height, key->height, value->height});
    map.args.push_back(key);
    map.args.push_back(value);
    return true;
  }

  Expr* Literal() {
    const uint32_t offset = Now().offset;
    const bool negative = Take(TokenKind::kMinus);
    const Token token = Now();
    switch (token.kind) {
      case TokenKind::kInt:
      case TokenKind::kUint:
      case TokenKind::kDouble:
        return Number(offset, token, negative);
      case TokenKind::kString:
      case TokenKind::kBytes:
        return Text(token);
      case TokenKind::kTrue:
      case TokenKind::kFalse:
        ++at_;
        return ast_.NewConstant(offset, Value::Bool(token.kind == TokenKind::kTrue));
      case TokenKind::kNull:
        ++at_;
        return ast_.NewConstant(offset, Value::Null());
      default:
        return Unexpected("a value, a name, '(', '[', '{', '-' or '!'");
    }
  }

  Expr* Number(uint32_t offset, const Token& token, bool negative) {
    ++at_;
    const std::optional<Value> number = NumberOf(token, negative);
    if (number) return ast_.NewConstant(offset, *number);
    const std::string_view kind = token.kind == TokenKind::kInt    ? "int"
                                  : token.kind == TokenKind::kUint ? "uint"
                                                                   : "double";
    return Fail(offset, Concat("invalid ", kind, " literal: it does not fit 64 bits"));
  }

  Expr* Text(const Token& token) {
    ++at_;
    std::string why;
    const std::optional<std::string> text = Unescape(token, why);
    if (!text) return Fail(token.offset, std::move(why));
    Expr* expr = ast_.NewText(token.offset, *text);
    if (token.kind == TokenKind::kBytes) expr->constant = Value::Bytes(expr->constant.text());
    return expr;
  }

  Ast& ast_;
  ErrorList& errors_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace

bool IsReserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

Expr* Parse(std::string_view text, Ast& ast, ErrorList& errors) {
  if (!IsValidUtf8(text)) {
    errors.Add(0, "the expression is not valid UTF-8");
    return nullptr;
  }
  const size_t characters = CountCodePoints(text);
  if (characters > kMostCharacters) {
    errors.Add(0, Concat("the expression has ", characters, " characters; at most ",
                         kMostCharacters, " are allowed"));
    return nullptr;
  }
  return Parser(text, ast, errors).Run();
}

}  // namespace outrigger::cel
