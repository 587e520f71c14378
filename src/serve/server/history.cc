#include "serve/server/history.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stop_token>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "codec/json/text.h"
#include "fmt/format.h"

namespace outrigger::server {
namespace {

constexpr int kVersion = 1;

void AppendKey(std::string_view key, std::string_view text, std::string* out) {
  *out += fmt::format("\"{}\":", key);
  json::AppendString(text, out);
  *out += ',';
}

/// The labels of a series other than `agent`, several joined by commas.
struct OwnLabel {
  std::string agent;
  std::string name;
  std::string value;
};

OwnLabel OwnLabelOf(const ShownFamily::Series& series) {
  OwnLabel own;
  for (const auto& [name, value] : series.labels) {
    if (name == "agent") {
      own.agent = value;
      continue;
    }
    const std::string_view comma = own.name.empty() ? "" : ",";
    own.name += fmt::format("{}{}", comma, name);
    own.value += fmt::format("{}{}", comma, value);
  }
  return own;
}

std::string HeadOf(const ShownFamily& family, const OwnLabel& own) {
  std::string head = "{";
  AppendKey("name", family.name, &head);
  AppendKey("agent", own.agent, &head);
  AppendKey("label", own.name, &head);
  AppendKey("value", own.value, &head);
  AppendKey("kind", family.is_counter ? "counter" : "gauge", &head);
  AppendKey("help", family.help, &head);
  return head;
}

}  // namespace

void SampleRing::Add(int64_t unix_seconds, std::span<const ShownFamily> families) {
  const bool replaces = samples_ > 0 && unix_seconds <= times_[(samples_ - 1) % kSamples];
  if (!replaces) times_[samples_++ % kSamples] = unix_seconds;
  for (auto& [key, series] : series_) series.values[(samples_ - 1) % kSamples] = kAbsent;
  truncated_ = false;
  // Families of few series first: one of many does not take the room of the others.
  std::vector<const ShownFamily*> sorted;
  sorted.reserve(families.size());
  for (const ShownFamily& family : families) sorted.push_back(&family);
  std::ranges::stable_sort(sorted, {}, [](const ShownFamily* f) { return f->series.size(); });
  for (const ShownFamily* family : sorted) {
    for (const ShownFamily::Series& series : family->series) AddSeries(*family, series);
  }
  std::erase_if(series_,
                [this](const auto& entry) { return entry.second.seen + kSamples <= samples_; });
}

void SampleRing::AddSeries(const ShownFamily& family, const ShownFamily::Series& series) {
  const OwnLabel own = OwnLabelOf(series);
  std::string key = fmt::format("{}\n{}\n{}", family.name, own.agent, own.value);
  auto found = series_.find(key);
  if (found == series_.end()) {
    if (series_.size() >= kMaxSeries ||
        key.size() + own.name.size() + family.help.size() > kMaxText) {
      truncated_ = true;
      return;
    }
    found = series_.try_emplace(std::move(key)).first;
    found->second.head = HeadOf(family, own);
  }
  found->second.values[(samples_ - 1) % kSamples] = series.value;
  found->second.seen = samples_;
}

void SampleRing::AppendJson(std::string* out) const {
  const uint64_t first = samples_ - std::min<uint64_t>(samples_, kSamples);
  const auto append_all = [&](const auto& append) {
    *out += '[';
    for (uint64_t i = first; i < samples_; ++i) {
      if (i > first) *out += ',';
      append(i % kSamples);
    }
    *out += ']';
  };
  *out += "\"times\":";
  append_all([&](size_t slot) { fmt::format_to(std::back_inserter(*out), "{}", times_[slot]); });
  *out += fmt::format(",\"truncated\":{},\"series\":[", truncated_);
  std::string_view separator = "\n";
  for (const auto& entry : series_) {
    const Series& series = entry.second;
    *out += separator;
    *out += series.head;
    *out += "\"values\":";
    append_all([&](size_t slot) {
      const double value = series.values[slot];
      // JSON has no infinity.
      if (std::isfinite(value)) {
        fmt::format_to(std::back_inserter(*out), "{}", value);
      } else {
        *out += "null";
      }
    });
    *out += '}';
    separator = ",\n";
  }
  *out += "\n]";
}

History::History(const Metrics& metrics, Clock clock)
    : metrics_(metrics), clock_(std::move(clock)), began_(clock_.now()), started_(clock_.wall()) {
  Sample();
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (clock_.sleep(kEvery, stop)) Sample();
  });
}

/// As the steady clock counts, so that times ascend.
int64_t History::Now() const {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - began_);
  return std::chrono::floor<std::chrono::seconds>(started_).time_since_epoch().count() +
         age.count();
}

void History::Sample() {
  const std::vector<ShownFamily> families = metrics_.Read();
  const MutexLock lock(mutex_);
  ring_.Add(Now(), families);
}

std::string History::Json() const {
  const std::vector<ShownFamily> families = metrics_.Read();
  SampleRing ring = [this] {
    const MutexLock lock(mutex_);
    return ring_;
  }();
  ring.Add(Now(), families);
  std::string json = fmt::format(
      "{{\"version\":{},\"everySeconds\":{},\"started\":\"{}\",", kVersion, kEvery.count(),
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(started_), absl::UTCTimeZone()));
  ring.AppendJson(&json);
  return json + "}\n";
}

}  // namespace outrigger::server
