#include "outrigger/k8s/selector.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger {
namespace {

constexpr std::array<std::pair<std::string_view, SelectorOperator>, 6> kOperators = {{
    {"In", SelectorOperator::kIn},
    {"NotIn", SelectorOperator::kNotIn},
    {"Exists", SelectorOperator::kExists},
    {"DoesNotExist", SelectorOperator::kDoesNotExist},
    {"Gt", SelectorOperator::kGt},
    {"Lt", SelectorOperator::kLt},
}};

// As Go's strconv.ParseInt(text, 10, 64).
std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with the values of a requirement, or nullptr.
const char* ValuesFault(SelectorOperator op, const std::vector<std::string>& values) {
  switch (op) {
    case SelectorOperator::kIn:
    case SelectorOperator::kNotIn:
      if (values.empty()) return "In and NotIn need one or more values";
      break;
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist:
      if (!values.empty()) return "Exists and DoesNotExist allow no values";
      break;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      if (values.size() != 1 || !ParseInt(values.front())) return "Gt and Lt need one integer";
      break;
  }
  const bool valid = std::all_of(values.begin(), values.end(), IsLabelValue);
  return valid ? nullptr
               : "a value is empty or up to 63 of [A-Za-z0-9_.-], alphanumeric at its ends";
}

const char* Fault(const SelectorRequirement& requirement) {
  if (!IsLabelKey(requirement.key)) {
    return "a key is a name of up to 63 of [A-Za-z0-9_.-], after an optional DNS subdomain and '/'";
  }
  return ValuesFault(requirement.op, requirement.values);
}

// An invalid requirement spoils the whole selector, whatever the others say. It is looked for last,
// since most selectors do not match most objects.
bool AllMatch(const std::vector<SelectorRequirement>& requirements, const StringMap& labels) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const auto& requirement) { return requirement.Matches(labels); }) &&
         std::all_of(requirements.begin(), requirements.end(),
                     [](const auto& requirement) { return Fault(requirement) == nullptr; });
}

bool Contains(const StringMap& labels, const StringMap& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const StringMap::Entry& entry) {
    const std::string* value = labels.Find(entry.first);
    return value != nullptr && *value == entry.second;
  });
}

// Upstream knows metadata.name; every other field has the empty value.
bool FieldMatches(const SelectorRequirement& requirement, const Node& node) {
  if (requirement.values.size() != 1) return false;
  std::string_view value;
  if (requirement.key == "metadata.name") value = node.name;
  if (requirement.op == SelectorOperator::kIn) return value == requirement.values.front();
  if (requirement.op == SelectorOperator::kNotIn) return value != requirement.values.front();
  return false;
}

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

bool SelectorRequirement::Matches(const StringMap& labels) const {
  const std::string* label = labels.Find(key);
  const auto listed = [&] {
    return std::find(values.begin(), values.end(), *label) != values.end();
  };
  switch (op) {
    case SelectorOperator::kIn:
      return label != nullptr && listed();
    case SelectorOperator::kNotIn:
      return label == nullptr || !listed();
    case SelectorOperator::kExists:
      return label != nullptr;
    case SelectorOperator::kDoesNotExist:
      return label == nullptr;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      break;
  }
  if (label == nullptr || values.size() != 1) return false;
  const std::optional<int64_t> left = ParseInt(*label);
  const std::optional<int64_t> right = ParseInt(values.front());
  if (!left || !right) return false;
  return op == SelectorOperator::kGt ? *left > *right : *left < *right;
}

absl::Status SelectorRequirement::Validate() const {
  const char* fault = Fault(*this);
  if (fault == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("selector requirement \"{}\": {}", key, fault));
}

absl::Status ParseSelectorOperator(std::string_view text, SelectorOperator* op) {
  for (const auto& [name, value] : kOperators) {
    if (name == text) {
      *op = value;
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(fmt::format(
      "selector operator \"{}\": expected In, NotIn, Exists, DoesNotExist, Gt or Lt", text));
}

bool LabelSelector::Matches(const StringMap& labels) const {
  return Contains(labels, match_labels) && AllMatch(match_expressions, labels);
}

bool NodeSelectorTerm::Matches(const Node& node) const {
  if (match_expressions.empty() && match_fields.empty()) return false;
  return AllMatch(match_expressions, node.labels) &&
         std::all_of(match_fields.begin(), match_fields.end(),
                     [&](const auto& field) { return FieldMatches(field, node); });
}

bool NodeSelector::Matches(const Node& node) const {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const NodeSelectorTerm& term) { return term.Matches(node); });
}

bool MatchesNodeSelectorAndAffinity(const Pod& pod, const Node& node) {
  if (!Contains(node.labels, pod.node_selector)) return false;
  return !pod.affinity.required_node || pod.affinity.required_node->Matches(node);
}

// A copy of the lexer and the recursive descent of upstream's labels.Parse, so that both accept the
// same texts: "in" and "notin" are words of the language only where an operator stands.

absl::Status ParseLabelSelector(std::string_view text, LabelSelector* selector) {
  LabelSelector parsed;
  if (absl::Status status = SelectorParser(text).Parse(&parsed.match_expressions); !status.ok()) {
    return status;
  }
  *selector = std::move(parsed);
  return absl::OkStatus();
}

}  // namespace outrigger
