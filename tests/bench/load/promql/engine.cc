#include "engine.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "functions.h"

namespace outrigger::load_bench {
namespace {

using Kind = Expression::Kind;

constexpr double kLookback = 300;
constexpr size_t kUnknown = ~size_t{0};
const std::string kName = "__name__";

absl::Status Unsupported(std::string_view what) {
  return absl::UnimplementedError(fmt::format("{} is not supported", what));
}

double Folded(std::string_view name, const std::vector<double>& values) {
  if (name == "count") return static_cast<double>(values.size());
  if (name == "group") return 1;
  if (name == "min") return *std::min_element(values.begin(), values.end());
  if (name == "max") return *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return name == "avg" ? sum / static_cast<double>(values.size()) : sum;
}

}  // namespace

size_t Engine::NumberOf(const LabelSet& labels) {
  const auto [entry, is_new] = numbers_.emplace(labels, label_sets_.size());
  if (is_new) {
    label_sets_.push_back(&entry->first);
    without_name_.push_back(kUnknown);
  }
  return entry->second;
}

size_t Engine::WithoutName(size_t labels) {
  if (without_name_[labels] == kUnknown) {
    LabelSet rest = *label_sets_[labels];
    rest.erase(kName);
    const size_t number = NumberOf(rest);
    without_name_[labels] = number;
  }
  return without_name_[labels];
}

const std::vector<size_t>& Engine::Places(const Expression& selector) {
  Found& found = places_[selector.name + selector.text];
  for (; found.among < store_.all().size(); ++found.among) {
    const LabelSet& labels = store_.all()[found.among].labels;
    const auto accepts = [&labels](const Matcher& matcher) {
      const auto label = labels.find(matcher.label);
      return matcher.Accepts(label == labels.end() ? "" : label->second);
    };
    if (!selector.name.empty() && labels.at(kName) != selector.name) continue;
    if (std::all_of(selector.matchers.begin(), selector.matchers.end(), accepts)) {
      found.places.push_back(found.among);
    }
  }
  return found.places;
}

Engine::Result Engine::At(const Expression& expression, double time) {
  switch (expression.kind) {
    case Kind::kNumber:
      return Vector{.is_scalar = true, .points = {{NumberOf({}), expression.number}}};
    case Kind::kSelector:
      return Select(expression, time);
    case Kind::kCall:
      return Call(expression, time);
    case Kind::kAggregate:
      return Aggregate(expression, time);
    case Kind::kBinary:
      return Binary(expression, time);
    case Kind::kRange:
    case Kind::kSubquery:
      break;
  }
  return absl::InvalidArgumentError("a range has no value at one time: " + expression.text);
}

Engine::Result Engine::Select(const Expression& selector, double time, bool wants_times) {
  Vector vector;
  const double at = time - selector.offset;
  for (const size_t place : Places(selector)) {
    const SeriesStore::Series& series = store_.all()[place];
    const auto seen = Between(series.samples, at - kLookback, at);
    if (seen.empty()) continue;
    vector.points.push_back(
        {NumberOf(series.labels), wants_times ? seen.back().time : seen.back().value});
  }
  return vector;
}

absl::StatusOr<std::vector<Engine::RangeOf>> Engine::RangeAt(const Expression& expression,
                                                             double time) {
  const double end = time - expression.offset;
  if (expression.kind == Kind::kSubquery) return Subquery(expression, end);
  if (expression.kind != Kind::kRange) {
    return absl::InvalidArgumentError("a range is expected: " + expression.text);
  }
  const Expression& selector = *expression.arguments[0];
  std::vector<RangeOf> ranges;
  for (const size_t place : Places(selector)) {
    const SeriesStore::Series& series = store_.all()[place];
    const auto seen =
        Between(series.samples, end - expression.range - selector.offset, end - selector.offset);
    if (!seen.empty()) {
      ranges.push_back({NumberOf(series.labels), {seen.begin(), seen.end()}});
    }
  }
  return ranges;
}

absl::StatusOr<const Engine::Vector*> Engine::Remembered(const Expression& expression,
                                                         double time) {
  auto& values = remembered_[expression.text];
  const auto at = static_cast<int64_t>(std::llround(time * 1000));
  if (const auto known = values.find(at); known != values.end()) return &known->second;
  Result value = At(expression, time);
  if (!value.ok()) return value.status();
  // References to values of an unordered_map stay valid.
  return &remembered_[expression.text].emplace(at, *std::move(value)).first->second;
}

// Points are at multiples of the step, as in Prometheus.
absl::StatusOr<std::vector<Engine::RangeOf>> Engine::Subquery(const Expression& subquery,
                                                              double end) {
  const Expression& inner = *subquery.arguments[0];
  double first = end;
  for (const SeriesStore::Series& series : store_.all()) {
    if (!series.samples.empty()) first = std::min(first, series.samples.front().time);
  }
  const double from = std::max(end - subquery.range, first - subquery.step);
  std::map<size_t, std::vector<Sample>> by_labels;
  double time = std::floor(from / subquery.step) * subquery.step;
  if (time <= end - subquery.range) time += subquery.step;
  for (; time <= end; time += subquery.step) {
    const auto value = Remembered(inner, time);
    if (!value.ok()) return value.status();
    for (const Point& point : (*value)->points) {
      by_labels[point.labels].push_back({time, point.value});
    }
  }
  std::vector<RangeOf> ranges;
  for (auto& [labels, samples] : by_labels) ranges.push_back({labels, std::move(samples)});
  return ranges;
}

Engine::Result Engine::Call(const Expression& call, double time) {
  if (call.name == "time") {
    return Vector{.is_scalar = true, .points = {{NumberOf({}), time}}};
  }
  const bool is_of_selector =
      call.arguments.size() == 1 && call.arguments[0]->kind == Kind::kSelector;
  if (call.name == "timestamp" && is_of_selector) {
    Result times = Select(*call.arguments[0], time, /*wants_times=*/true);
    if (!times.ok()) return times;
    for (Point& point : times->points) point.labels = WithoutName(point.labels);
    return times;
  }
  std::vector<double> numbers;
  const Expression* ranged = nullptr;
  Vector vector;
  for (const auto& argument : call.arguments) {
    if (argument->kind == Kind::kRange || argument->kind == Kind::kSubquery) {
      ranged = argument.get();
      continue;
    }
    Result value = At(*argument, time);
    if (!value.ok()) return value;
    if (value->is_scalar && call.name != "vector") {
      numbers.push_back(value->points[0].value);
    } else {
      vector = *std::move(value);
    }
  }
  if (ranged == nullptr) {
    for (Point& point : vector.points) point.labels = WithoutName(point.labels);
    const auto made = ValueFunction(call.name, numbers, std::move(vector));
    return made ? Result(*made) : Result(Unsupported(call.name + "()"));
  }
  auto ranges = RangeAt(*ranged, time);
  if (!ranges.ok()) return ranges.status();
  const RangeContext context{time - ranged->offset, ranged->range, numbers};
  Vector made;
  if (!IsRangeFunction(call.name)) return Unsupported(call.name + "()");
  for (const RangeOf& range : *ranges) {
    const auto value = RangeFunction(call.name, range.samples, context);
    if (value) made.points.push_back({WithoutName(range.labels), *value});
  }
  return made;
}

Engine::Result Engine::Aggregate(const Expression& aggregate, double time) {
  const Result of = At(*aggregate.arguments[0], time);
  if (!of.ok()) return of;
  std::map<size_t, size_t> group_of;  // of label sets
  std::map<size_t, std::vector<double>> groups;
  for (const Point& point : of->points) {
    const auto [entry, is_new] = group_of.emplace(point.labels, 0);
    if (is_new) {
      const LabelSet& labels = *label_sets_[point.labels];
      LabelSet kept;
      for (const auto& [label, value] : labels) {
        const bool named = std::find(aggregate.labels.begin(), aggregate.labels.end(), label) !=
                           aggregate.labels.end();
        if (named != aggregate.is_without && label != kName) kept.emplace(label, value);
      }
      entry->second = NumberOf(kept);
    }
    groups[entry->second].push_back(point.value);
  }
  Vector made;
  for (const auto& [labels, values] : groups) {
    made.points.push_back({labels, Folded(aggregate.name, values)});
  }
  return made;
}

Engine::Result Engine::Binary(const Expression& binary, double time) {
  const Result left = At(*binary.arguments[0], time);
  if (!left.ok()) return left;
  const Result right = At(*binary.arguments[1], time);
  if (!right.ok()) return right;
  if (PrecedenceOf(binary.name) <= 2) return SetOperation(binary, *left, *right);
  if (!left->is_scalar && !right->is_scalar) return Matched(binary, *left, *right);
  Vector made{.is_scalar = left->is_scalar && right->is_scalar, .points = {}};
  const bool by_left = !left->is_scalar;
  for (const Point& point : by_left ? left->points : right->points) {
    const double a = by_left ? point.value : left->points[0].value;
    const double b = by_left ? right->points[0].value : point.value;
    if (const auto value = Arithmetic(binary.name, a, b)) {
      made.points.push_back({WithoutName(point.labels), *value});
    } else if (Compares(binary.name, a, b)) {
      made.points.push_back(point);
    }
  }
  return made;
}

size_t Engine::KeyOf(const Expression& binary, size_t labels) {
  if (!binary.has_matching) return WithoutName(labels);
  LabelSet kept;
  for (const auto& [label, value] : *label_sets_[labels]) {
    const bool named =
        std::find(binary.labels.begin(), binary.labels.end(), label) != binary.labels.end();
    if (named != binary.is_without && label != kName) kept.emplace(label, value);
  }
  return NumberOf(kept);
}

Engine::Result Engine::SetOperation(const Expression& binary, const Vector& left,
                                    const Vector& right) {
  const auto keys_of = [&](const Vector& of) {
    std::set<size_t> keys;
    for (const Point& point : of.points) keys.insert(KeyOf(binary, point.labels));
    return keys;
  };
  const bool is_or = binary.name == "or";
  Vector made = is_or ? left : Vector();
  const std::set<size_t> keys = keys_of(is_or ? left : right);
  for (const Point& point : is_or ? right.points : left.points) {
    const bool there = keys.contains(KeyOf(binary, point.labels));
    if (there == (binary.name == "and")) made.points.push_back(point);
  }
  return made;
}

Engine::Result Engine::Matched(const Expression& binary, const Vector& left, const Vector& right) {
  const bool many_right = binary.many_right;
  const Vector& many = many_right ? right : left;
  const Vector& one = many_right ? left : right;
  std::map<size_t, double> by_key;
  for (const Point& point : one.points) {
    if (!by_key.emplace(KeyOf(binary, point.labels), point.value).second) {
      return absl::InvalidArgumentError("several series match one: " + binary.text);
    }
  }
  Vector made;
  for (const Point& point : many.points) {
    const size_t key = KeyOf(binary, point.labels);
    const auto other = by_key.find(key);
    if (other == by_key.end()) continue;
    const double a = many_right ? other->second : point.value;
    const double b = many_right ? point.value : other->second;
    const bool keeps = binary.many_left || binary.many_right || !binary.has_matching;
    const size_t labels = keeps ? WithoutName(point.labels) : key;
    if (const auto value = Arithmetic(binary.name, a, b)) {
      made.points.push_back({labels, *value});
    } else if (Compares(binary.name, a, b)) {
      made.points.push_back(point);
    }
  }
  return made;
}

}  // namespace outrigger::load_bench
