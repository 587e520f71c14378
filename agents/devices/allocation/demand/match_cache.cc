#include "devices/allocation/demand/match_cache.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace outrigger::devices {
namespace {

// In units of CEL's cost. What one query may cost in all: a second. Sensible ones cost 30 a device.
constexpr int64_t kMostOfQuery = 100'000'000;
constexpr size_t kManySets = 40'000;                    // from there on it is so much more
constexpr size_t kMostAskedBytes = size_t{256} << 10U;  // of expressions of one demand
constexpr int64_t kOfEvaluation = 100;  // the attributes are made ready, whatever the expression
constexpr int64_t kOfCompiling = 50;    // a byte
// Bytes of a distinct value of a column, and of a compiled byte of text.
constexpr size_t kOfValue = 100;
constexpr size_t kOfText = 50;

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

int64_t MostOfQuery(size_t sets) {
  const auto times = static_cast<double>(sets) / static_cast<double>(kManySets);
  return static_cast<int64_t>(static_cast<double>(kMostOfQuery) * std::max(times, 1.0));
}

bool Has(const ClassOption& option, const std::string& driver) {
  return option.any_driver ||
         std::find(option.drivers.begin(), option.drivers.end(), driver) != option.drivers.end();
}

}  // namespace

/// A query with its expressions, by which one set after the other is judged. Null: no expression.
struct MatchCache::Compiled {
  const MatchQuery& query;
  std::vector<std::shared_ptr<const Expression>> of_classes = {};
  std::shared_ptr<const Expression> own = nullptr;

  absl::Status Fault() const {
    for (const auto& one : of_classes) {
      if (one != nullptr && !one->fault.ok()) return one->fault;
    }
    return own == nullptr ? absl::OkStatus() : own->fault;
  }

  // Of several options, the one that comes closest is named.
  Match Judge(const AttributeSet& set, std::string* error, int64_t* cost) const {
    Match best = Match::kOtherDriver;
    for (size_t i = 0; i < of_classes.size(); ++i) {
      const Match match = JudgeOption(i, set, error, cost);
      if (match == Match::kMatches) return match;
      best = std::max(best, match);
    }
    return best;
  }

 private:
  Match JudgeOption(size_t option, const AttributeSet& set, std::string* error,
                    int64_t* cost) const {
    if (!Has(query.options[option], set.driver)) return Match::kOtherDriver;
    for (const Expression* expression : {of_classes[option].get(), own.get()}) {
      if (expression == nullptr) continue;
      const absl::StatusOr<bool> matches = expression->selector->Matches(set.View(), cost);
      *cost += kOfEvaluation;
      if (!matches.ok()) {
        *error = std::string(matches.status().message());
        return Match::kFails;
      }
      if (!*matches) return expression == own.get() ? Match::kOwnFalse : Match::kClassFalse;
    }
    return Match::kMatches;
  }
};

absl::Status MatchCache::FaultOf(const std::string& text, Unknown* unknown) const {
  if (text.empty()) return absl::OkStatus();
  const auto at = expressions_.find(text);
  if (at != expressions_.end()) return at->second->fault;
  unknown->texts.insert(text);
  return absl::OkStatus();
}

absl::Status MatchCache::Check(const std::string& text, Unknown* unknown) {
  const MutexLock lock(mutex_);
  return FaultOf(text, unknown);
}

absl::StatusOr<std::shared_ptr<const Matches>> MatchCache::Find(const MatchQuery& query,
                                                                const AttributeSets& sets,
                                                                Unknown* unknown) {
  static const auto kNone = std::make_shared<const Matches>();
  const std::string key = KeyOfQuery(query);
  if (unknown->asked.insert(key).second) unknown->asked_bytes += key.size();
  if (unknown->asked.size() > kMostAsked || unknown->asked_bytes > kMostAskedBytes) {
    return absl::InvalidArgumentError(
        fmt::format("the claims of the pod have more than {} different expressions, or {} bytes of "
                    "them",
                    kMostAsked, kMostAskedBytes));
  }
  const MutexLock lock(mutex_);
  for (const ClassOption& option : query.options) {
    absl::Status fault = FaultOf(option.constraints, unknown);
    if (!fault.ok()) return fault;
  }
  absl::Status fault = FaultOf(query.constraints, unknown);
  if (!fault.ok()) return fault;
  const auto known = answers_.find(key);
  const bool is_known = known != answers_.end();
  if (is_known && !known->second.fault.ok()) return known->second.fault;
  const size_t size = is_known ? known->second.matches->size() : 0;
  if (size == sets.size()) return is_known ? known->second.matches : kNone;
  const bool is_earlier = unknown->queries.empty() || size < unknown->first;
  if (is_earlier) {
    unknown->first = size;
    unknown->sets = sets.From(size);
  }
  unknown->queries.emplace(key, query);
  return kNone;
}

std::shared_ptr<const MatchCache::Expression> MatchCache::ExpressionOf(const std::string& text,
                                                                       Effort* effort) {
  if (text.empty()) return nullptr;
  {
    const MutexLock lock(mutex_);
    const auto at = expressions_.find(text);
    if (at != expressions_.end()) return at->second;
  }
  const auto expression = std::make_shared<Expression>();
  auto compiled = selectors_.Compile(text, Environment::kPrototype);
  effort->left -= static_cast<int64_t>(text.size()) * kOfCompiling;
  if (compiled.ok()) {
    expression->selector = *std::move(compiled);
  } else {
    expression->fault = compiled.status();
  }
  const MutexLock lock(mutex_);
  return expressions_.emplace(text, expression).first->second;
}

MatchCache::Answer MatchCache::AnswerOf(const std::string& key) const {
  const MutexLock lock(mutex_);
  const auto at = answers_.find(key);
  return at == answers_.end() ? Answer{std::make_shared<const Matches>(), 0, {}} : at->second;
}

absl::Status MatchCache::Extend(const std::string& key, const MatchQuery& query,
                                const Unknown& unknown, Effort* effort) {
  Compiled compiled{query};
  for (const ClassOption& option : query.options) {
    compiled.of_classes.push_back(ExpressionOf(option.constraints, effort));
  }
  compiled.own = ExpressionOf(query.constraints, effort);
  if (!compiled.Fault().ok()) return absl::OkStatus();  // Find() has the fault
  Answer answer = AnswerOf(key);
  const size_t end = unknown.first + unknown.sets.size();
  const size_t begin = answer.matches->size();
  // Another caller found more than was missing here; or what was known is forgotten.
  if (begin >= end || begin < unknown.first) return absl::OkStatus();
  auto matches = std::make_shared<Matches>(*answer.matches);
  matches->Reserve(end);
  const int64_t most = MostOfQuery(end);
  for (size_t i = begin; i < end && effort->left > 0 && answer.cost < most; ++i) {
    if (effort->stop.stop_requested()) break;
    std::string error;
    int64_t cost = 0;
    const Match match = compiled.Judge(*unknown.sets[i - unknown.first], &error, &cost);
    matches->Add(match, error);
    answer.cost += cost;
    effort->left -= cost;
  }
  if (matches->size() < end && answer.cost >= most) {
    answer.fault = absl::InvalidArgumentError(fmt::format(
        "expression costs too much: {} on {} of {} kinds of devices, at most {} on all; make it "
        "shorter",
        answer.cost, matches->size(), end, most));
  }
  const bool is_done = matches->size() == end || !answer.fault.ok();
  answer.matches = std::move(matches);
  {
    const MutexLock lock(mutex_);
    answers_.insert_or_assign(key, std::move(answer));
  }
  if (is_done) return absl::OkStatus();
  return effort->stop.stop_requested() ? absl::CancelledError("the caller disconnected")
                                       : absl::ResourceExhaustedError("effort is used up");
}

void MatchCache::Forget(const Unknown& unknown) {
  const bool is_large = bytes() > kMostBytes;
  const MutexLock lock(mutex_);
  if (is_large || answers_.size() + unknown.queries.size() > kMostRemembered) answers_.clear();
  if (is_large || expressions_.size() + unknown.texts.size() > kMostRemembered) {
    expressions_.clear();
  }
  if (is_large) values_.clear();
}

absl::Status MatchCache::FindOut(const Unknown& unknown, Effort* effort) {
  const MutexLock working(finding_out_);
  Forget(unknown);
  for (const std::string& text : unknown.texts) {
    if (effort->stop.stop_requested()) return absl::CancelledError("the caller disconnected");
    if (effort->left <= 0) return absl::ResourceExhaustedError("effort is used up");
    (void)ExpressionOf(text, effort);
  }
  for (const auto& [key, query] : unknown.queries) {
    absl::Status status = Extend(key, query, unknown, effort);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::shared_ptr<const ValueColumn> MatchCache::Values(std::string_view attribute,
                                                      const AttributeSets& sets) {
  const MutexLock lock(mutex_);
  if (values_.size() > 2 * kMostAttributes) values_.clear();
  std::shared_ptr<const ValueColumn>& known = values_[std::string(attribute)];
  if (known != nullptr && known->of.size() == sets.size()) return known;
  auto column =
      known == nullptr ? std::make_shared<ValueColumn>() : std::make_shared<ValueColumn>(*known);
  column->attribute = std::string(attribute);
  column->of.reserve(sets.size());
  for (size_t i = column->of.size(); i < sets.size(); ++i) {
    const AttributeValue* value = FindValue(sets[static_cast<SetId>(i)], attribute);
    if (value == nullptr) {
      column->of.push_back(-1);
    } else {
      column->of.push_back(column->ids.try_emplace(KeyOf(*value), column->values()).first->second);
    }
  }
  known = std::move(column);
  return known;
}

size_t MatchCache::bytes() const {
  const MutexLock lock(mutex_);
  size_t bytes = 0;
  for (const auto& [key, answer] : answers_) bytes += key.size() + answer.matches->bytes();
  for (const auto& [text, expression] : expressions_) bytes += kOfText * text.size();
  for (const auto& [attribute, column] : values_) {
    bytes += column->of.size() * sizeof(int32_t) + column->ids.size() * kOfValue;
  }
  return bytes;
}

}  // namespace outrigger::devices
