#include "devices/demand/match_cache.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace outrigger::devices {
namespace {

// More are forgotten all at once: pods of one template ask for the same.
constexpr size_t kMostRemembered = 1024;

std::string KeyOfQuery(const MatchQuery& query) {
  std::string key;
  const auto add = [&key](std::string_view part) {
    key += fmt::format("{}:{}", part.size(), part);
  };
  add(query.constraints);
  for (const ClassOption& option : query.options) {
    key += fmt::format("{}{} ", option.any_driver ? "*" : "=", option.drivers.size());
    for (const std::string& driver : option.drivers) add(driver);
    add(option.constraints);
  }
  return key;
}

}  // namespace

void MatchCache::Begin(const AttributeSets& sets, uint64_t epoch) {
  if (matches_.size() > kMostRemembered) matches_.clear();
  if (values_.size() > kMostRemembered) values_.clear();
  if (expressions_.size() > kMostRemembered) expressions_.clear();
  if (epoch != epoch_) {
    matches_.clear();
    values_.clear();
    for (auto& [text, expression] : expressions_) {
      expression.of.clear();
      expression.errors.clear();
    }
  }
  sets_ = &sets;
  epoch_ = epoch;
}

absl::StatusOr<MatchCache::Expression*> MatchCache::Compile(const std::string& text) {
  const auto [at, is_new] = expressions_.try_emplace(text);
  Expression& expression = at->second;
  if (is_new) {
    auto compiled = selectors_.Compile(text, Environment::kPrototype);
    if (compiled.ok()) {
      expression.selector = *std::move(compiled);
    } else {
      expression.fault = compiled.status();
    }
  }
  if (!expression.fault.ok()) return expression.fault;
  expression.of.resize(sets_->size(), Result::kUnknown);
  return &expression;
}

absl::Status MatchCache::Check(const std::string& text) {
  return text.empty() ? absl::OkStatus() : Compile(text).status();
}

MatchCache::Result MatchCache::Evaluate(Expression* expression, SetId set) {
  Result& result = expression->of[static_cast<size_t>(set)];
  if (result != Result::kUnknown) return result;
  const absl::StatusOr<bool> matches = expression->selector->Matches((*sets_)[set].View());
  if (!matches.ok()) {
    expression->errors.emplace(set, std::string(matches.status().message()));
    return result = Result::kFails;
  }
  return result = *matches ? Result::kTrue : Result::kFalse;
}

Match MatchCache::JudgeOption(const ClassOption& option, Expression* of_class, Expression* own,
                              SetId set, std::string* error) {
  const std::string& driver = (*sets_)[set].driver;
  if (!option.any_driver &&
      std::find(option.drivers.begin(), option.drivers.end(), driver) == option.drivers.end()) {
    return Match::kOtherDriver;
  }
  for (Expression* expression : {of_class, own}) {
    if (expression == nullptr) continue;
    switch (Evaluate(expression, set)) {
      case Result::kFalse:
        return expression == own ? Match::kOwnFalse : Match::kClassFalse;
      case Result::kFails:
        *error = expression->errors[set];
        return Match::kFails;
      default:
        break;
    }
  }
  return Match::kMatches;
}

// Of several options, the one that comes closest is named.
Match MatchCache::Judge(const MatchQuery& query, const std::vector<Expression*>& of_classes,
                        Expression* own, SetId set, std::string* error) {
  Match best = Match::kOtherDriver;
  for (size_t i = 0; i < query.options.size(); ++i) {
    const Match match = JudgeOption(query.options[i], of_classes[i], own, set, error);
    if (match == Match::kMatches) return match;
    if (match > best) best = match;
  }
  return best;
}

absl::StatusOr<std::shared_ptr<const Matches>> MatchCache::Find(const MatchQuery& query) {
  std::shared_ptr<const Matches>& known = matches_[KeyOfQuery(query)];
  if (known != nullptr && known->of.size() == sets_->size()) return known;
  const auto compile = [this](const std::string& text) -> absl::StatusOr<Expression*> {
    if (text.empty()) return nullptr;
    return Compile(text);
  };
  std::vector<Expression*> of_classes;
  for (const ClassOption& option : query.options) {
    auto compiled = compile(option.constraints);
    if (!compiled.ok()) return compiled.status();
    of_classes.push_back(*compiled);
  }
  const auto own = compile(query.constraints);
  if (!own.ok()) return own.status();
  auto matches = known == nullptr ? std::make_shared<Matches>() : std::make_shared<Matches>(*known);
  matches->of.reserve(sets_->size());
  for (size_t i = matches->of.size(); i < sets_->size(); ++i) {
    const auto set = static_cast<SetId>(i);
    std::string error;
    matches->of.push_back(Judge(query, of_classes, *own, set, &error));
    if (matches->of.back() == Match::kFails) matches->errors.emplace(set, std::move(error));
  }
  known = std::move(matches);
  return known;
}

std::shared_ptr<const ValueColumn> MatchCache::Values(std::string_view attribute) {
  std::shared_ptr<const ValueColumn>& known = values_[std::string(attribute)];
  if (known != nullptr && known->of.size() == sets_->size()) return known;
  auto column =
      known == nullptr ? std::make_shared<ValueColumn>() : std::make_shared<ValueColumn>(*known);
  column->attribute = std::string(attribute);
  column->of.reserve(sets_->size());
  for (size_t i = column->of.size(); i < sets_->size(); ++i) {
    const AttributeValue* value = FindValue((*sets_)[static_cast<SetId>(i)], attribute);
    if (value == nullptr) {
      column->of.push_back(-1);
    } else {
      column->of.push_back(column->ids.try_emplace(KeyOf(*value), column->values()).first->second);
    }
  }
  known = std::move(column);
  return known;
}

}  // namespace outrigger::devices
