#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "outrigger/k8s/selector.h"

// A copy of the lexer and the recursive descent of upstream's labels.Parse, so that both accept the
// same texts: "in" and "notin" are words of the language only where an operator stands.
namespace outrigger {
namespace {

enum class Kind : uint8_t { kEnd, kWord, kNot, kOpen, kClose, kComma, kOperator };

struct Token {
  Kind kind = Kind::kEnd;
  std::string_view text;
};

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool IsSymbol(char c) {
  return std::string_view("=!(),><").find(c) != std::string_view::npos;
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : rest_(text) { Advance(); }

  absl::Status Parse(std::vector<SelectorRequirement>* requirements);

 private:
  void Advance();
  Token Take() {
    const Token taken = next_;
    Advance();
    return taken;
  }
  bool At(Kind kind) const { return next_.kind == kind; }
  absl::Status Expected(std::string_view what) const;

  absl::Status ParseRequirement(SelectorRequirement* requirement);
  absl::Status ParseOperator(SelectorRequirement* requirement);
  absl::Status ParseSet(std::vector<std::string>* values);

  std::string_view rest_;
  Token next_;
};

size_t SymbolLength(std::string_view text) {
  return text.starts_with("==") || text.starts_with("!=") ? 2 : 1;
}

Kind KindOf(std::string_view symbol) {
  if (symbol == "!") return Kind::kNot;
  if (symbol == "(") return Kind::kOpen;
  if (symbol == ")") return Kind::kClose;
  if (symbol == ",") return Kind::kComma;
  return Kind::kOperator;
}

void SelectorParser::Advance() {
  const auto begin = std::find_if_not(rest_.begin(), rest_.end(), IsBlank);
  rest_.remove_prefix(static_cast<size_t>(begin - rest_.begin()));
  next_ = {};
  if (rest_.empty()) return;
  size_t length = 0;
  if (IsSymbol(rest_.front())) {
    length = SymbolLength(rest_);
    next_.kind = KindOf(rest_.substr(0, length));
  } else {
    const auto end =
        std::find_if(rest_.begin(), rest_.end(), [](char c) { return IsBlank(c) || IsSymbol(c); });
    length = static_cast<size_t>(end - rest_.begin());
    next_.kind = Kind::kWord;
  }
  next_.text = rest_.substr(0, length);
  rest_.remove_prefix(length);
}

absl::Status SelectorParser::Expected(std::string_view what) const {
  return absl::InvalidArgumentError(
      fmt::format("label selector: expected {}, found {}", what,
                  At(Kind::kEnd) ? "its end" : fmt::format("\"{}\"", next_.text)));
}

absl::Status SelectorParser::Parse(std::vector<SelectorRequirement>* requirements) {
  if (At(Kind::kEnd)) return absl::OkStatus();
  while (true) {
    if (!At(Kind::kWord) && !At(Kind::kNot)) return Expected("a key or '!'");
    SelectorRequirement requirement;
    if (absl::Status status = ParseRequirement(&requirement); !status.ok()) return status;
    if (absl::Status status = requirement.Validate(); !status.ok()) return status;
    requirements->push_back(std::move(requirement));
    if (At(Kind::kEnd)) return absl::OkStatus();
    if (!At(Kind::kComma)) return Expected("',' or the end");
    Advance();
  }
}

absl::Status SelectorParser::ParseRequirement(SelectorRequirement* requirement) {
  const bool absent = At(Kind::kNot);
  if (absent) Advance();
  if (!At(Kind::kWord)) return Expected("a key");
  requirement->key = Take().text;
  if (absent) {
    requirement->op = SelectorOperator::kDoesNotExist;
    return absl::OkStatus();
  }
  if (At(Kind::kEnd) || At(Kind::kComma)) {
    requirement->op = SelectorOperator::kExists;
    return absl::OkStatus();
  }
  return ParseOperator(requirement);
}

absl::Status SelectorParser::ParseOperator(SelectorRequirement* requirement) {
  const std::string_view word = next_.text;
  if (word == "in" || word == "notin") {
    requirement->op = word == "in" ? SelectorOperator::kIn : SelectorOperator::kNotIn;
    Advance();
    return ParseSet(&requirement->values);
  }
  if (!At(Kind::kOperator)) return Expected("one of = == != in notin > <");
  requirement->op = word == "!="  ? SelectorOperator::kNotIn
                    : word == ">" ? SelectorOperator::kGt
                    : word == "<" ? SelectorOperator::kLt
                                  : SelectorOperator::kIn;
  Advance();
  // "a=" is a with the empty value.
  if (!At(Kind::kEnd) && !At(Kind::kComma) && !At(Kind::kWord)) return Expected("a value");
  requirement->values.emplace_back(At(Kind::kWord) ? Take().text : "");
  return absl::OkStatus();
}

// Every place around a comma is a value, possibly the empty one: "(a,)" has two, "()" has one.
absl::Status SelectorParser::ParseSet(std::vector<std::string>* values) {
  if (!At(Kind::kOpen)) return Expected("'('");
  do {
    Advance();
    values->emplace_back(At(Kind::kWord) ? Take().text : "");
  } while (At(Kind::kComma));
  if (!At(Kind::kClose)) return Expected("',' or ')'");
  Advance();
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseLabelSelector(std::string_view text, LabelSelector* selector) {
  LabelSelector parsed;
  if (absl::Status status = SelectorParser(text).Parse(&parsed.match_expressions); !status.ok()) {
    return status;
  }
  *selector = std::move(parsed);
  return absl::OkStatus();
}

}  // namespace outrigger
