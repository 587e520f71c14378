#include "load/usage/prometheus_pass.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "load/usage/forecast.h"
#include "load/usage/node_values.h"
#include "load/usage/original.h"
#include "load/usage/prometheus_client.h"
#include "load/usage/queries.h"
#include "load/usage/units.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/parallel.h"
#include "outrigger/base/text.h"

namespace outrigger::usage {
namespace {

// One node alone may be too much, with very many series.
constexpr int kMostRefusedAlone = 2;

}  // namespace

void QueryFates::Note(size_t target, size_t nodes, Outcome outcome, const absl::Status& status) {
  const MutexLock lock(mutex_);
  Target& entry = targets_[target];
  const bool is_silent = outcome == Outcome::kTooSlow || outcome == Outcome::kSilent;
  silent_ = is_silent ? silent_ + 1 : 0;
  if (is_silent) why_silent_ = std::string(status.message());
  was_slow_ = was_slow_ || outcome == Outcome::kTooSlow;
  if (outcome == Outcome::kAnswered) {
    entry.answered = true;
    return;
  }
  if (first_failure_.ok() && target < kAside) first_failure_ = status;
  if (outcome != Outcome::kTooMuch) return;
  entry.refused = true;
  entry.why = std::string(status.message());
  if (nodes == 1) ++entry.refused_alone;
}

std::optional<std::string> QueryFates::WhyNotAsk(size_t target) const {
  const MutexLock lock(mutex_);
  if (silent_ >= most_silent_) {
    return fmt::format("skipped, since {} calls in a row timed out: {}", silent_, why_silent_);
  }
  const auto entry = targets_.find(target);
  if (entry == targets_.end() || entry->second.answered) return std::nullopt;
  if (entry->second.refused_alone < kMostRefusedAlone) return std::nullopt;
  return entry->second.why;
}

bool QueryFates::are_smaller_better() const {
  const MutexLock lock(mutex_);
  return was_slow_ || std::any_of(targets_.begin(), targets_.end(), [](const auto& target) {
           return target.second.refused && target.second.answered;
         });
}

absl::Status QueryFates::NothingAnswered() const {
  const MutexLock lock(mutex_);
  const bool is_one_answered = std::any_of(
      targets_.begin(), targets_.end(),
      [](const auto& target) { return target.first < kAside && target.second.answered; });
  return is_one_answered ? absl::OkStatus() : first_failure_;
}

namespace {

using std::chrono::milliseconds;

constexpr size_t kScrapedNodes = 8;
// Of an answer, so that its JSON stays near 16 MB.
constexpr size_t kMostPoints = 500'000;
// Prometheus refuses ranges of more than 11 000 points.
constexpr int64_t kMostPointsOfARange = 10'000;
constexpr milliseconds kNotedSkew{30'000};
constexpr size_t kMaxDetail = 300;
constexpr size_t kMostNotes = 20;

/// Idle cpus of a node, and its memory and one more for what the query makes of them.
double SeriesOf(const NodeQuestion& node) {
  return std::ceil(std::max(node.cpu, 0.0) / 1000) + 3;
}

std::string MatchersText(std::string_view matchers) {
  const std::string_view text = Trimmed(matchers);
  if (text.empty()) return {};
  return std::string(text) + (text.ends_with(',') ? "" : ",");
}

std::string Message(const absl::Status& status) {
  return Shortened(std::string(status.message()), kMaxDetail);
}

int64_t UnixMs(const Clock& clock) {
  return std::chrono::duration_cast<milliseconds>(clock.wall().time_since_epoch()).count();
}

}  // namespace

PrometheusPass::PrometheusPass(const PrometheusOptions& options, const PrometheusClient& client,
                               std::span<const NodeQuestion> nodes, double most_samples,
                               std::stop_token stop)
    : options_(options),
      client_(client),
      nodes_(nodes),
      most_samples_(most_samples),
      stop_(std::move(stop)),
      index_(nodes, options.exporter_port),
      spacing_(SpacingOf(options.window, options.step, milliseconds(0))),
      fates_(options.most_calls) {}

absl::StatusOr<Reading> PrometheusPass::Run() {
  reading_.window = spacing_.window;
  if (absl::Status status = FindSeries(); !status.ok()) return status;
  MeasureScrapes();
  SetGaps();
  const std::vector<Job> jobs = Jobs();
  size_t done = 0;
  ParallelFor(jobs.size(), options_.most_calls, [&](size_t i) {
    if (stop_.stop_requested()) return;
    AskBatch(jobs[i].target, jobs[i].batch);
    const MutexLock lock(mutex_);
    if (options_.progress) options_.progress(++done, jobs.size());
  });
  if (stop_.stop_requested()) return absl::CancelledError("a stop was requested");
  if (absl::Status none = fates_.NothingAnswered(); !none.ok()) return none;
  for (const Target& target : Targets()) CheckUnit(target);
  for (size_t i = 0; i < nodes_.size() && !options_.original_arithmetic; ++i) {
    TakeReserved(i);
    SetKnown(i);
  }
  reading_.notes = TakeNotes();
  return std::move(reading_);
}

absl::Status PrometheusPass::FindSeries() {
  const std::string query = Expand(options_.queries.nodes, TermsOf({}));
  QueryResult result = client_.Ask(query, {.end_ms = {}, .step = {}, .points = 0}, stop_);
  if (result.outcome != Outcome::kAnswered) return result.status;
  reading_.end_ms = UnixMs(options_.clock);
  const std::vector<Series>& series = result.answer.series;
  if (!series.empty() && !series.front().points.empty()) {
    const auto theirs = static_cast<int64_t>(std::floor(series.front().points.back().time * 1000));
    const milliseconds ahead(theirs - reading_.end_ms);
    if (std::chrono::abs(ahead) > kNotedSkew) {
      Note(fmt::format("the clock of Prometheus is {} s {} that of this program",
                       std::abs(ahead.count()) / 1000,
                       ahead.count() > 0 ? "ahead of" : "later than"));
    }
    reading_.end_ms = theirs;
  }
  matches_ = index_.Match(series);
  const auto is_missing = [](const NodeMatch& match) { return match.gap == Gap::kNoSeries; };
  if (!series.empty() && std::any_of(matches_.begin(), matches_.end(), is_missing)) {
    LearnNames();
    matches_ = index_.Match(series);
  }
  if (series.empty()) {
    Note(
        fmt::format("the query of nodes returns no series: {}. Check that Prometheus scrapes "
                    "node_exporter, and --prometheus-matchers or --query-nodes",
                    query));
  }
  return absl::OkStatus();
}

void PrometheusPass::LearnNames() {
  const std::string query = Expand(options_.queries.names, TermsOf({}));
  const QueryResult result = client_.Ask(query, TimeOf(Kind::kInstant), stop_);
  if (result.outcome == Outcome::kAnswered) {
    index_.LearnNames(result.answer.series);
  } else {
    Note(fmt::format("query of names: {}", Message(result.status)));
  }
}

void PrometheusPass::MeasureScrapes() {
  const std::vector<double> weights(matches_.size(), 0);
  const std::vector<Batch> batches = BatchesOf(matches_, weights, 0, kScrapedNodes);
  if (batches.empty()) return;
  const std::string query = Expand(options_.queries.scrapes, TermsOf(batches.front()));
  const QueryResult result = client_.Ask(query, TimeOf(Kind::kInstant), stop_);
  if (result.outcome != Outcome::kAnswered) {
    Note(fmt::format("query of scrapes: {}", Message(result.status)));
    return;
  }
  const milliseconds interval = ScrapeInterval(result.answer.series);
  spacing_ = SpacingOf(options_.window, options_.step, interval);
  if (interval.count() > 0) return;
  Note(fmt::format("query of scrapes: no series has two samples, so rates use {}: {}",
                   DurationText(spacing_.range), query));
}

void PrometheusPass::SetGaps() {
  reading_.nodes.resize(nodes_.size());
  for (std::vector<Value>& values : machines_) values.resize(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    NodeReading& node = reading_.nodes[i];
    const NodeMatch& match = matches_[i];
    if (match.selector) node.matched_by = match.selector->Text();
    const Value gap = match.selector ? Value::Missing(Gap::kFailed, "it was not requested")
                                     : Value::Missing(match.gap, match.detail);
    node.further.assign(options_.further.size(), gap);
    if (options_.original_arithmetic) node.original = {.now = gap, .least = gap};
    for (Free* const free : {&node.cpu, &node.memory}) {
      free->mean = free->deviation = gap;
      // The original forecast memory only.
      const bool has_forecast = !options_.original_arithmetic || free == &node.memory;
      if (options_.forecast && has_forecast) free->forecast = gap;
    }
  }
}

std::vector<PrometheusPass::Target> PrometheusPass::Targets() const {
  using Queries = PrometheusQueries;
  std::vector<Target> targets;
  const auto add = [&](Kind kind, Resource resource, Value Free::*part, std::string_view name,
                       std::string Queries::*query) {
    targets.push_back({.kind = kind,
                       .resource = resource,
                       .part = part,
                       .further = 0,
                       .number = targets.size(),
                       .name = name,
                       .query = &(options_.queries.*query),
                       .is_given = IsGiven(query)});
  };
  const Resource cpu = Resource::kCpu;
  const Resource memory = Resource::kMemory;
  add(Kind::kInstant, cpu, &Free::mean, "cpu-mean", &Queries::cpu_mean);
  add(Kind::kInstant, cpu, &Free::deviation, "cpu-deviation", &Queries::cpu_deviation);
  if (options_.original_arithmetic) {
    add(Kind::kOriginalMemory, memory, &Free::mean, "memory-series", &Queries::memory_series);
  } else {
    add(Kind::kInstant, memory, &Free::mean, "memory-mean", &Queries::memory_mean);
    add(Kind::kInstant, memory, &Free::deviation, "memory-deviation", &Queries::memory_deviation);
    if (options_.forecast) {
      add(Kind::kForecast, cpu, &Free::forecast, "cpu-series", &Queries::cpu_series);
      add(Kind::kForecast, memory, &Free::forecast, "memory-series", &Queries::memory_series);
    }
  }
  if (!options_.original_arithmetic) AddMachineTargets(&targets);
  for (size_t i = 0; i < options_.further.size(); ++i) {
    targets.push_back({.kind = Kind::kInstant,
                       .resource = cpu,
                       .part = nullptr,
                       .further = i,
                       .number = targets.size(),
                       .name = options_.further[i].annotation,
                       .query = &options_.further[i].query});
  }
  return targets;
}

bool PrometheusPass::IsGiven(std::string PrometheusQueries::*query) const {
  const PrometheusQueries defaults =
      options_.original_arithmetic ? WithOriginals({}) : WithDefaults({});
  return options_.queries.*query != defaults.*query;
}

void PrometheusPass::AddMachineTargets(std::vector<Target>* targets) const {
  const MachineQueries& queries = QueriesOfMachines();
  const auto add = [targets](Machine machine, std::string_view name, const std::string* query) {
    targets->push_back({.machine = machine,
                        .number = QueryFates::kAside + targets->size(),
                        .name = name,
                        .query = query});
  };
  add(Machine::kKnown, "known window", &queries.known);
  add(Machine::kCpus, "cpus", &queries.cpus);
  add(Machine::kMemory, "memory in all", &queries.memory);
}

std::vector<PrometheusPass::Job> PrometheusPass::Jobs() const {
  std::vector<double> weights;
  weights.reserve(nodes_.size());
  for (const NodeQuestion& node : nodes_) {
    weights.push_back(SeriesOf(node) * spacing_.SamplesOfASeries());
  }
  std::vector<Job> jobs;
  for (const Target& target : Targets()) {
    if (!HasNodes(*target.query)) {
      jobs.push_back({.target = target, .batch = {}});
      continue;
    }
    const size_t points = std::max<size_t>(TimeOf(target.kind).points, 1);
    const size_t most_nodes = std::max<size_t>(kMostPoints / points, 1);
    for (Batch& batch : BatchesOf(matches_, weights, most_samples_, most_nodes)) {
      jobs.push_back({.target = target, .batch = std::move(batch)});
    }
  }
  return jobs;
}

QueryTerms PrometheusPass::TermsOf(const Batch& batch) const {
  return {.label = batch.label.empty() ? "instance" : batch.label,
          .nodes = NodesOf(batch, matches_),
          .matchers = MatchersText(options_.matchers),
          .window = spacing_.window,
          .step = spacing_.step,
          .range = spacing_.range,
          .chunk = spacing_.chunk};
}

QueryTime PrometheusPass::TimeOf(Kind kind) const {
  QueryTime time{.end_ms = reading_.end_ms, .step = milliseconds(0), .points = 0};
  if (kind == Kind::kForecast) {
    time.step = spacing_.chunk;
    time.points = spacing_.chunks;
  } else if (kind == Kind::kOriginalMemory) {
    time.step = std::max(spacing_.step, spacing_.window / kMostPointsOfARange);
    time.points = static_cast<size_t>(spacing_.window / time.step) + 1;
  }
  return time;
}

void PrometheusPass::AskBatch(const Target& target, const Batch& batch) {
  if (stop_.stop_requested()) return;
  if (const auto why = fates_.WhyNotAsk(target.number)) return Fail(target, batch, *why);
  const std::string query = Expand(*target.query, TermsOf(batch));
  const QueryResult result = client_.Ask(query, TimeOf(target.kind), stop_);
  if (stop_.stop_requested()) return;
  fates_.Note(target.number, batch.nodes.size(), result.outcome, result.status);
  switch (result.outcome) {
    case Outcome::kAnswered:
      for (const std::string& warning : result.answer.warnings) {
        Note(fmt::format("{}: Prometheus warns: {}", target.name,
                         Shortened(Printable(warning), kMaxDetail)));
      }
      return Fill(target, batch, result.answer);
    case Outcome::kTooMuch:
      if (batch.nodes.size() < 2) break;
      for (const bool first : {true, false}) AskBatch(target, HalfOf(batch, first));
      return;
    case Outcome::kTooSlow:
    case Outcome::kSilent:
    case Outcome::kFailed:
      break;
  }
  Fail(target, batch, Message(result.status));
}

void PrometheusPass::Fail(const Target& target, const Batch& batch, const std::string& why) {
  const Value gap = Value::Missing(Gap::kFailed, why);
  for (const size_t node : batch.nodes) Lose(target, node, gap);
  for (size_t node = 0; batch.nodes.empty() && node < nodes_.size(); ++node) {
    Lose(target, node, gap);
  }
  Note(fmt::format("{}: {}", target.name, why));
}

void PrometheusPass::Lose(const Target& target, size_t node, const Value& gap) {
  *SlotOf(target, node) = gap;
  if (target.kind != Kind::kOriginalMemory) return;
  NodeReading& reading = reading_.nodes[node];
  reading.memory.deviation = gap;
  if (options_.forecast) reading.memory.forecast = gap;
  reading.original = {.now = gap, .least = gap};
}

void PrometheusPass::CheckUnit(const Target& target) {
  if (!target.is_given) return;
  std::vector<UnitSample> samples;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const double has = target.resource == Resource::kCpu ? nodes_[i].cpu : nodes_[i].memory;
    const std::optional<double> value = SlotOf(target, i)->value;
    if (value && has > 0) {
      samples.push_back({.node = &nodes_[i].name, .value = *value, .allocatable = has});
    }
  }
  const UnitVerdict verdict = JudgeUnit(target.resource, target.part == &Free::deviation, samples);
  if (verdict.why.empty()) return;
  const std::string why = fmt::format("--query-{} {}", target.name, verdict.why);
  Note(why);
  for (size_t i = 0; verdict.is_impossible && i < nodes_.size(); ++i) {
    if (SlotOf(target, i)->value) Lose(target, i, Value::Missing(Gap::kUnit, why));
  }
}

// What the kubelet keeps for the system is no room for pods, and what the system uses counts: the
// same basis as that of metrics.k8s.io. Queries of a user are taken as they are.
void PrometheusPass::TakeReserved(size_t node) {
  using Query = std::string PrometheusQueries::*;
  const auto take = [&](const Value& total, double unit, double allocatable, Query query,
                        Value* value) {
    if (IsGiven(query) || !value->value) return;
    // Of another basis the node would look emptier than it is.
    if (total.gap == Gap::kFailed) *value = total;
    if (!total.value || allocatable <= 0) return;
    const double reserved = std::max(*total.value * unit - allocatable, 0.0);
    *value->value = std::max(*value->value - reserved, 0.0);
  };
  NodeReading& reading = reading_.nodes[node];
  const NodeQuestion& asked = nodes_[node];
  const Value& cpus = machines_[static_cast<size_t>(Machine::kCpus)][node];
  const Value& memory = machines_[static_cast<size_t>(Machine::kMemory)][node];
  take(cpus, 1000, asked.cpu, &PrometheusQueries::cpu_mean, &reading.cpu.mean);
  take(cpus, 1000, asked.cpu, &PrometheusQueries::cpu_series, &reading.cpu.forecast);
  take(memory, 1, asked.memory, &PrometheusQueries::memory_mean, &reading.memory.mean);
  take(memory, 1, asked.memory, &PrometheusQueries::memory_series, &reading.memory.forecast);
}

void PrometheusPass::SetKnown(size_t node) {
  const Value& age = machines_[static_cast<size_t>(Machine::kKnown)][node];
  const double window = std::chrono::duration<double, std::milli>(spacing_.window).count();
  const double known = age.value ? std::min(*age.value * 1000, window) : window;
  reading_.nodes[node].known = milliseconds(static_cast<int64_t>(known));
}

void PrometheusPass::Fill(const Target& target, const Batch& batch, const QueryAnswer& answer) {
  const BatchPlaces places(batch, matches_, index_);
  const auto node_of = [&places](const Labels& labels) { return places.Of(labels); };
  const size_t count = batch.nodes.empty() ? nodes_.size() : batch.nodes.size();
  const QueryTime time = TimeOf(target.kind);
  const double end = static_cast<double>(reading_.end_ms) / 1000;
  std::vector<NodeSeries> series = SeriesOfNodes(answer, count, node_of);
  for (size_t place = 0; place < count; ++place) {
    const size_t node = batch.nodes.empty() ? place : batch.nodes[place];
    if (series[place].gap == Gap::kNoSeries && target.query->find("$range") != std::string::npos) {
      series[place].detail +=
          fmt::format("; a rate needs two samples in {}", DurationText(spacing_.range));
    }
    switch (target.kind) {
      case Kind::kInstant:
        *SlotOf(target, node) =
            LastValue(series[place], /*signed_ok=*/target.part == nullptr && !target.machine);
        break;
      case Kind::kForecast:
        *SlotOf(target, node) = ForecastValue(
            series[place], end, static_cast<double>(time.step.count()) / 1000, time.points);
        break;
      case Kind::kOriginalMemory:
        FillOriginal(target, node, series[place]);
        break;
    }
  }
}

void PrometheusPass::FillOriginal(const Target& target, size_t node, const NodeSeries& series) {
  NodeReading& reading = reading_.nodes[node];
  const NodeQuestion& question = nodes_[node];
  std::vector<double> values;
  if (series.gap == Gap::kNone) {
    for (const Point& point : series.series->points) values.push_back(point.value);
  }
  if (options_.use_requests) {
    values = RaisedToUnrequested(values, question.memory, question.requested_memory);
  }
  const std::optional<OriginalStatistics> statistics = OriginalStatisticsOf(values);
  if (!statistics) {
    const Value gap = Value::Missing(series.gap, series.detail);
    return Lose(target, node, gap);
  }
  reading.memory.mean = Checked(statistics->mean, /*signed_ok=*/false);
  reading.memory.deviation = Checked(statistics->deviation, /*signed_ok=*/false);
  reading.original = {.now = LastValue(series, /*signed_ok=*/false),
                      .least = Checked(statistics->least, /*signed_ok=*/false)};
  if (!options_.forecast) return;
  const std::optional<double> next = ForecastNext(OriginalChunkMeans(values));
  reading.memory.forecast = next ? Checked(*next, /*signed_ok=*/false)
                                 : Value::Missing(Gap::kNotFinite, "the series is not finite");
}

Value* PrometheusPass::SlotOf(const Target& target, size_t node) {
  NodeReading& reading = reading_.nodes[node];
  if (target.machine) return &machines_[static_cast<size_t>(*target.machine)][node];
  if (target.part == nullptr) return &reading.further[target.further];
  return &((target.resource == Resource::kCpu ? reading.cpu : reading.memory).*target.part);
}

void PrometheusPass::Note(std::string note) {
  const MutexLock lock(mutex_);
  // Each once: batches fail in the same way.
  if (std::find(notes_.begin(), notes_.end(), note) != notes_.end()) return;
  if (notes_.size() < kMostNotes) {
    notes_.push_back(std::move(note));
  } else {
    ++left_out_;
  }
}

std::vector<std::string> PrometheusPass::TakeNotes() {
  const MutexLock lock(mutex_);
  if (left_out_ > 0) notes_.push_back(fmt::format("{} further notes are omitted", left_out_));
  return std::move(notes_);
}

}  // namespace outrigger::usage
