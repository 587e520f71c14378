#include "load/usage/prometheus_answer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/json/body.h"
#include "codec/json/parser.h"
#include "codec/json/path.h"
#include "codec/json/reader.h"
#include "codec/json/token_budget.h"
#include "outrigger/base/text.h"

namespace outrigger::usage {
namespace {

using json::Field;

// The year 5138, in seconds since 1970: times in milliseconds, and differences of them, fit int64.
constexpr double kLatestTime = 1e11;

/// Counts what is kept of an answer, roughly: 256 MiB of "{}," would be 4 GB of series.
class Budget {
 public:
  explicit Budget(size_t most_bytes) : left_(most_bytes) {}

  absl::Status Take(size_t bytes) {
    if (bytes > left_) {
      return absl::ResourceExhaustedError(
          "the response has too many series, labels, points or other values");
    }
    left_ -= bytes;
    return absl::OkStatus();
  }

 private:
  size_t left_;
};

absl::Status ReadNumber(std::string_view text, const json::Path& at, double* number) {
  // Go writes +Inf, which from_chars does not take.
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  if (error == std::errc::result_out_of_range && stop == end) {
    *number = std::numeric_limits<double>::quiet_NaN();  // no amount: too large or too small
    return absl::OkStatus();
  }
  return error == std::errc() && stop == end
             ? absl::OkStatus()
             : json::Invalid(at, "expected a number, found other text");
}

absl::Status ReadTimestamp(json::Value value, const json::Path& at, double* seconds) {
  const std::string_view token = json::Token(value);
  if (!json::IsNumber(token)) return json::Expected(at, "a timestamp (a number)", value);
  absl::Status status = ReadNumber(token, at, seconds);
  if (status.ok() && !(std::abs(*seconds) < kLatestTime)) {
    return json::Invalid(at, "expected a timestamp, found an invalid number");
  }
  return status;
}

absl::Status ReadValueText(json::Value value, const json::Path& at, double* number) {
  std::string_view text;
  absl::Status status = json::Read(value, at, &text);
  return status.ok() ? ReadNumber(text, at, number) : status;
}

/// Reads [1795657441.309, "7000000000"].
absl::Status ReadPoint(json::Value value, const json::Path& at, Point* point) {
  size_t count = 0;
  absl::Status status =
      json::ForEachElement(value, at, [&](json::Value element, const json::Path& place) {
        switch (count++) {
          case 0:
            return ReadTimestamp(element, place, &point->time);
          case 1:
            return ReadValueText(element, place, &point->value);
          default:
            return json::Invalid(place, "expected a timestamp and a value, found more");
        }
      });
  if (status.ok() && count < 2) {
    return json::Invalid(at, "expected a timestamp and a value, found less");
  }
  return status;
}

absl::Status ReadLabels(json::Value value, const json::Path& at, Budget* budget, Labels* labels) {
  return json::ForEachField(value, at, [&](std::string_view key, json::Value text) {
    absl::Status status = budget->Take(sizeof(Labels::value_type));
    if (!status.ok()) return status;
    auto& [name, label] = labels->emplace_back(key, std::string());
    return json::Read(text, at.Key(name), &label);
  });
}

absl::Status ReadPoints(json::Value value, const json::Path& at, Budget* budget,
                        std::vector<Point>* points) {
  return json::ForEachElement(value, at, [&](json::Value point, const json::Path& place) {
    absl::Status status = budget->Take(sizeof(Point));
    return status.ok() ? ReadPoint(point, place, &points->emplace_back()) : status;
  });
}

absl::Status ReadSeries(json::Value value, const json::Path& at, Budget* budget, Series* series) {
  absl::Status status = budget->Take(sizeof(Series));
  if (!status.ok()) return status;
  return json::ReadObject(value, at,
                          Field{"metric",
                                [&](json::Value metric, const json::Path& place) {
                                  return ReadLabels(metric, place, budget, &series->labels);
                                }},
                          Field{"value",
                                [&](json::Value point, const json::Path& place) {
                                  return ReadPoint(point, place, &series->points.emplace_back());
                                }},
                          Field{"values", [&](json::Value points, const json::Path& place) {
                                  return ReadPoints(points, place, budget, &series->points);
                                }});
}

/// Reads the result of a vector or matrix, or [timestamp, "value"] of a scalar, which begins with a
/// number.
absl::Status ReadResult(json::Value value, const json::Path& at, Budget* budget,
                        QueryAnswer* answer) {
  Point scalar;
  size_t numbers = 0;
  return json::ForEachElement(value, at, [&](json::Value element, const json::Path& place) {
    switch (json::Token(element).front()) {
      case '{':
        return ReadSeries(element, place, budget, &answer->series.emplace_back());
      case '"':
        if (numbers != 1) return json::Expected(place, "a series", element);
        ++numbers;
        answer->series.push_back({.labels = {}, .points = {scalar}});
        return ReadValueText(element, place, &answer->series.back().points.front().value);
      default:
        if (numbers++ != 0) return json::Expected(place, "a series", element);
        return ReadTimestamp(element, place, &scalar.time);
    }
  });
}

absl::Status ReadData(json::Value value, const json::Path& at, Budget* budget,
                      QueryAnswer* answer) {
  return json::ReadObject(value, at,
                          Field{"result", [&](json::Value result, const json::Path& place) {
                                  return ReadResult(result, place, budget, answer);
                                }});
}

absl::Status ReadRoot(json::Object root, Budget* budget, QueryAnswer* answer) {
  const json::Path at("answer");
  std::string outcome;
  bool has_data = false;
  bool is_partial = false;  // VictoriaMetrics
  absl::Status status =
      json::ReadObject(root, at, Field{"status", &outcome}, Field{"errorType", &answer->error_type},
                       Field{"error", &answer->error}, Field{"warnings", &answer->warnings},
                       Field{"isPartial", &is_partial},
                       Field{"data", [&](json::Value data, const json::Path& place) {
                               has_data = true;
                               return ReadData(data, place, budget, answer);
                             }});
  if (!status.ok()) return status;
  if (is_partial) answer->warnings.emplace_back("the response is partial");
  if (outcome == "success") {
    answer->error.clear();
    return has_data ? absl::OkStatus()
                    : json::Invalid(at.Key("data"), "expected an object, found nothing");
  }
  if (outcome != "error") {
    return json::Invalid(at.Key("status"), "expected success or error, found another text or none");
  }
  if (answer->error.empty()) answer->error = "no cause is given";
  return absl::OkStatus();
}

constexpr size_t kMostListed = 4;
constexpr size_t kMostBytes = 200;

/// Returns the names of the labels whose values differ, the metric's name among them.
std::set<std::string_view> DifferentNames(const std::vector<const Labels*>& series) {
  std::set<std::string_view> names;
  for (const Labels* labels : series) {
    for (const auto& [name, value] : *labels) {
      const auto differs = [&key = name, &text = value](const Labels* other) {
        return LabelOf(*other, key) != text;
      };
      if (std::any_of(series.begin(), series.end(), differs)) names.insert(name);
    }
  }
  return names;
}

}  // namespace

absl::StatusOr<QueryAnswer> ReadQueryAnswer(std::string* body, size_t most_memory) {
  Budget budget(most_memory);
  // simdjson's index has them all before anything is read.
  absl::Status fits = budget.Take(json::CountTokens(*body) * sizeof(uint32_t));
  if (!fits.ok()) return fits;
  const size_t size = body->size();
  body->append(json::kPadding, ' ');
  const json::ParserLease parser;
  json::Object root;
  QueryAnswer answer;
  absl::Status status = parser->Open({body->data(), size}, &root);
  if (status.ok()) status = ReadRoot(root, &budget, &answer);
  if (status.ok()) status = parser->Close();
  body->resize(size);
  if (!status.ok()) return status;
  return answer;
}

std::string_view LabelOf(const Labels& labels, std::string_view name) {
  const auto found = std::find_if(labels.begin(), labels.end(),
                                  [name](const auto& label) { return label.first == name; });
  return found == labels.end() ? std::string_view() : found->second;
}

std::string DifferencesOf(const std::vector<const Labels*>& series) {
  const std::set<std::string_view> names = DifferentNames(series);
  if (names.empty()) return "the same labels";
  // The first label that differs is enough to see what the series are of.
  std::string text;
  for (size_t i = 0; i < std::min(series.size(), kMostListed); ++i) {
    if (i > 0) text += ", ";
    text.append(*names.begin()).append("=").append(LabelOf(*series[i], *names.begin()));
  }
  if (series.size() > kMostListed) text += ", ...";
  return Shortened(Printable(text), kMostBytes);
}

}  // namespace outrigger::usage
