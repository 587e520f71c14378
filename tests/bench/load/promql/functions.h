#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "../rates.h"
#include "engine.h"

// What PromQL's functions and operators make of values.

namespace outrigger::load_bench {

/// What is around the samples of a range.
struct RangeContext {
  double end = 0;
  double range = 0;
  std::vector<double> numbers;  // the function's other arguments
};

bool IsRangeFunction(std::string_view name);
/// rate(), avg_over_time() and their like; nothing where it has no value.
std::optional<double> RangeFunction(std::string_view name, std::span<const Sample> samples,
                                    const RangeContext& context);

/// clamp_min() and its like, of a vector and numbers; nothing: there is no such function.
std::optional<Engine::Vector> ValueFunction(std::string_view name,
                                            const std::vector<double>& numbers,
                                            Engine::Vector vector);

/// Of + - * / % ^; nothing of other operators.
std::optional<double> Arithmetic(std::string_view op, double a, double b);
/// Of == != < > <= >=.
bool Compares(std::string_view op, double a, double b);

}  // namespace outrigger::load_bench
