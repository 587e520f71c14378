#include "prometheus.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "fmt/format.h"

namespace outrigger::load_bench {
namespace {

using usage::Answered;
using usage::Asked;

LabelSet LabelsFor(const char* metric, size_t node) {
  return {{"__name__", metric}, {"instance", AddressOf(node) + ":9100"}, {"job", "node-exporter"}};
}

std::string PointText(double wall, double value) {
  return fmt::format(R"([{:.3f},"{}"])", wall, value);
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

std::string AddressOf(size_t node) {
  return fmt::format("10.0.{}.{}", node / 250, node % 250 + 1);
}

Prometheus::Prometheus(const Trace* trace, const Exporter* exporter)
    : trace_(*trace), exporter_(*exporter), nodes_(trace->nodes.size()) {
  for (size_t node = 0; node < nodes_.size(); ++node) AddSeries(node);
  server_ = std::make_unique<usage::ScriptedPrometheus>(
      [this](const Asked& asked) { return Answer(asked); });
}

void Prometheus::AddSeries(size_t node) {
  Node& series = nodes_[node];
  const auto cores = static_cast<size_t>(trace_.nodes[node].capacity.cpu / 1000);
  for (size_t cpu = 0; cpu < cores; ++cpu) {
    LabelSet labels = LabelsFor("node_cpu_seconds_total", node);
    labels["cpu"] = std::to_string(cpu);
    labels["mode"] = "idle";
    series.idle.push_back(store_.Add(labels));
    labels["mode"] = "user";
    series.busy.push_back(store_.Add(labels));
  }
  series.available = store_.Add(LabelsFor("node_memory_MemAvailable_bytes", node));
  series.total = store_.Add(LabelsFor("node_memory_MemTotal_bytes", node));
  LabelSet name = LabelsFor("node_uname_info", node);
  name["nodename"] = trace_.nodes[node].name;
  series.name = store_.Add(std::move(name));
}

void Prometheus::Advance(double run, double wall) {
  const std::lock_guard lock(mutex_);
  wall_ = wall;
  epoch_ = wall - run;
  for (size_t node = 0; node < nodes_.size(); ++node) Take(node);
}

void Prometheus::Take(size_t node) {
  Node& series = nodes_[node];
  const auto idle = exporter_.idle(node);
  const auto busy = exporter_.busy(node);
  const auto available = exporter_.available(node);
  const auto cores = static_cast<double>(series.idle.size());
  for (; series.taken < idle.size(); ++series.taken) {
    const double time = idle[series.taken].time + epoch_;
    for (size_t cpu = 0; cpu < series.idle.size(); ++cpu) {
      store_.Append(series.idle[cpu], {time, idle[series.taken].value / cores});
      store_.Append(series.busy[cpu], {time, busy[series.taken].value / cores});
    }
    store_.Append(series.available, {time, available[series.taken].value});
    store_.Append(series.total, {time, trace_.nodes[node].capacity.memory});
    store_.Append(series.name, {time, 1});
  }
}

absl::StatusOr<const Expression*> Prometheus::Parsed(const std::string& query) {
  std::unique_ptr<Expression>& known = parsed_[query];
  if (known == nullptr) {
    auto parsed = ParsePromQl(query);
    if (!parsed.ok()) return parsed.status();
    known = *std::move(parsed);
  }
  return known.get();
}

std::string Prometheus::LabelsText(size_t labels) const {
  std::string text;
  for (const auto& [label, value] : engine_.LabelsOf(labels)) {
    AddTo(&text, fmt::format(R"("{}":"{}")", label, value));
  }
  return text;
}

absl::StatusOr<std::string> Prometheus::Instant(const Expression& expression, double time) {
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

absl::StatusOr<std::string> Prometheus::Range(const Expression& expression, const Asked& asked) {
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

Answered Prometheus::Answer(const Asked& asked) {
  const std::lock_guard lock(mutex_);
  const auto expression = Parsed(asked.query);
  if (!expression.ok()) {
    return usage::ErrorAnswer(400, "bad_data", std::string(expression.status().message()));
  }
  const bool is_range = asked.path == "/api/v1/query_range";
  const double time = asked.time.empty() ? wall_ : std::atof(asked.time.c_str());
  const auto body = is_range ? Range(**expression, asked) : Instant(**expression, time);
  if (body.ok()) return {200, *body};
  return usage::ErrorAnswer(422, "execution", std::string(body.status().message()));
}

}  // namespace outrigger::load_bench
