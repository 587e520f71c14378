#include "store_answers.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "fmt/format.h"

namespace outrigger::load_bench {
namespace {

using usage::Answered;
using usage::Asked;

// As Go writes them.
std::string ValueText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string PointText(double wall, double value) {
  return fmt::format(R"([{:.3f},"{}"])", wall, ValueText(value));
}

std::string SeriesText(const std::string& labels, const char* key, const std::string& values) {
  return fmt::format(R"({{"metric":{{{}}},"{}":{}}})", labels, key, values);
}

std::string ResultText(const char* type, const std::string& series) {
  return fmt::format(R"({{"status":"success","data":{{"resultType":"{}","result":[{}]}}}})", type,
                     series);
}

void AddTo(std::string* list, const std::string& one) {
  if (!list->empty()) *list += ',';
  *list += one;
}

}  // namespace

absl::StatusOr<const Expression*> StoreAnswers::Parsed(const std::string& query) {
  std::unique_ptr<Expression>& known = parsed_[query];
  if (known == nullptr) {
    auto parsed = ParsePromQl(query);
    if (!parsed.ok()) return parsed.status();
    known = *std::move(parsed);
  }
  return known.get();
}

std::string StoreAnswers::LabelsText(size_t labels) const {
  std::string text;
  for (const auto& [label, value] : engine_.LabelsOf(labels)) {
    AddTo(&text, fmt::format(R"("{}":"{}")", label, value));
  }
  return text;
}

absl::StatusOr<std::string> StoreAnswers::Instant(const Expression& expression, double time) {
  std::string series;
  if (expression.kind == Expression::Kind::kRange) {
    const auto ranges = engine_.RangeAt(expression, time);
    if (!ranges.ok()) return ranges.status();
    for (const Engine::RangeOf& range : *ranges) {
      std::string values;
      for (const Sample& sample : range.samples)
        AddTo(&values, PointText(sample.time, sample.value));
      AddTo(&series, SeriesText(LabelsText(range.labels), "values", "[" + values + "]"));
    }
    return ResultText("matrix", series);
  }
  const auto vector = engine_.At(expression, time);
  if (!vector.ok()) return vector.status();
  for (const Engine::Point& point : vector->points) {
    AddTo(&series, SeriesText(LabelsText(point.labels), "value", PointText(time, point.value)));
  }
  return ResultText("vector", series);
}

absl::StatusOr<std::string> StoreAnswers::Range(const Expression& expression, const Asked& asked) {
  const double start = std::atof(asked.start.c_str());
  const double end = std::atof(asked.end.c_str());
  const double step = std::atof(asked.step.c_str());
  std::map<size_t, std::string> values;
  const auto points = static_cast<int>(std::llround((end - start) / step));
  for (int i = 0; i <= points; ++i) {
    const double time = start + step * i;
    const auto vector = engine_.At(expression, time);
    if (!vector.ok()) return vector.status();
    for (const Engine::Point& point : vector->points) {
      AddTo(&values[point.labels], PointText(time, point.value));
    }
  }
  std::string series;
  for (const auto& [labels, texts] : values) {
    AddTo(&series, SeriesText(LabelsText(labels), "values", "[" + texts + "]"));
  }
  return ResultText("matrix", series);
}

usage::Answered StoreAnswers::Answer(const Asked& asked, double now) {
  const auto expression = Parsed(asked.query);
  if (!expression.ok()) {
    return usage::ErrorAnswer(400, "bad_data", std::string(expression.status().message()));
  }
  const bool is_range = asked.path == "/api/v1/query_range";
  const double time = asked.time.empty() ? now : std::atof(asked.time.c_str());
  const auto body = is_range ? Range(**expression, asked) : Instant(**expression, time);
  if (body.ok()) return {200, *body};
  return usage::ErrorAnswer(422, "execution", std::string(body.status().message()));
}

}  // namespace outrigger::load_bench
