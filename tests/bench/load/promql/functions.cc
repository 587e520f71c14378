#include "functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace outrigger::load_bench {
namespace {

constexpr std::array kRangeFunctions = {"rate",
                                        "increase",
                                        "irate",
                                        "avg_over_time",
                                        "sum_over_time",
                                        "count_over_time",
                                        "min_over_time",
                                        "max_over_time",
                                        "last_over_time",
                                        "first_over_time",
                                        "present_over_time",
                                        "stddev_over_time",
                                        "stdvar_over_time",
                                        "quantile_over_time"};

std::optional<double> InstantRate(std::span<const Sample> samples) {
  if (samples.size() < 2) return std::nullopt;
  const Sample& last = samples.back();
  const Sample& before = samples[samples.size() - 2];
  const double increase = last.value - (last.value < before.value ? 0 : before.value);
  return increase / (last.time - before.time);
}

// By the difference to the first value, which keeps the digits of values that are alike.
double Variance(std::span<const Sample> samples) {
  double sum = 0;
  double squares = 0;
  for (const Sample& sample : samples) {
    const double difference = sample.value - samples.front().value;
    sum += difference;
    squares += difference * difference;
  }
  const auto count = static_cast<double>(samples.size());
  return std::max(squares / count - (sum / count) * (sum / count), 0.0);
}

double QuantileOf(double share, std::span<const Sample> samples) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.value);
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<size_t>(std::floor(place));
  const size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (place - std::floor(place));
}

double OverTime(std::string_view name, std::span<const Sample> samples) {
  const auto less = [](const Sample& a, const Sample& b) { return a.value < b.value; };
  const auto count = static_cast<double>(samples.size());
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.value;
  if (name == "avg_over_time") return sum / count;
  if (name == "sum_over_time") return sum;
  if (name == "count_over_time") return count;
  if (name == "min_over_time") return std::min_element(samples.begin(), samples.end(), less)->value;
  if (name == "max_over_time") return std::max_element(samples.begin(), samples.end(), less)->value;
  if (name == "last_over_time") return samples.back().value;
  if (name == "first_over_time") return samples.front().value;
  if (name == "stddev_over_time") return std::sqrt(Variance(samples));
  if (name == "stdvar_over_time") return Variance(samples);
  return 1;  // present_over_time
}

}  // namespace

bool IsRangeFunction(std::string_view name) {
  return std::find(kRangeFunctions.begin(), kRangeFunctions.end(), name) != kRangeFunctions.end();
}

std::optional<double> RangeFunction(std::string_view name, std::span<const Sample> samples,
                                    const RangeContext& context) {
  if (samples.empty()) return std::nullopt;
  if (name == "irate") return InstantRate(samples);
  if (name == "rate" || name == "increase") {
    const auto rate = RateAt(samples, context.end, context.range);
    return rate && name == "increase" ? std::optional(*rate * context.range) : rate;
  }
  if (name == "quantile_over_time") {
    return QuantileOf(context.numbers.empty() ? 0 : context.numbers[0], samples);
  }
  return OverTime(name, samples);
}

std::optional<Engine::Vector> ValueFunction(std::string_view name,
                                            const std::vector<double>& numbers,
                                            Engine::Vector vector) {
  const double first = numbers.empty() ? 0 : numbers[0];
  const auto change = [&vector](const auto& of) {
    for (Engine::Point& point : vector.points) point.value = of(point.value);
    return vector;
  };
  if (name == "vector") {
    vector.is_scalar = false;
    return vector;
  }
  if (name == "scalar") {
    const bool is_one = vector.points.size() == 1;
    const double value = is_one ? vector.points[0].value : std::numeric_limits<double>::quiet_NaN();
    return Engine::Vector{.is_scalar = true, .points = {{0, value}}};
  }
  if (name == "abs") return change([](double v) { return std::abs(v); });
  if (name == "ceil") return change([](double v) { return std::ceil(v); });
  if (name == "floor") return change([](double v) { return std::floor(v); });
  if (name == "round") return change([](double v) { return std::floor(v + 0.5); });
  if (name == "sqrt") return change([](double v) { return std::sqrt(v); });
  if (name == "clamp_min") return change([first](double v) { return std::max(v, first); });
  if (name == "clamp_max") return change([first](double v) { return std::min(v, first); });
  if (name == "clamp" && numbers.size() == 2) {
    return change([&](double v) { return std::clamp(v, numbers[0], numbers[1]); });
  }
  return std::nullopt;
}

std::optional<double> Arithmetic(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "%") return std::fmod(a, b);
  if (op == "^") return std::pow(a, b);
  return std::nullopt;
}

bool Compares(std::string_view op, double a, double b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  return op == ">=" && a >= b;
}

}  // namespace outrigger::load_bench
