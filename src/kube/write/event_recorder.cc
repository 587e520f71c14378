#include "kube/write/event_recorder.h"

#include <algorithm>
#include <cctype>
#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "kube/transport/retry.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"

namespace outrigger::kube {
namespace {

// Unit separator: in none of the parts.
constexpr char kBetween = '\x1f';

std::string KeyOf(const EventObject& object) {
  return object.api_version + kBetween + object.kind + kBetween + object.namespace_ + kBetween +
         object.name + kBetween + object.uid;
}

// Notes are long, and thousands of events are remembered: of each there is a hash. Another note
// needs another object, as the API server lets nobody change that of one.
std::string KeyOf(const Event& event) {
  return KeyOf(event.regarding) + kBetween + (event.warning ? "Warning" : "Normal") + kBetween +
         event.reason + kBetween + event.action + kBetween +
         std::to_string(std::hash<std::string_view>()(event.note));
}

}  // namespace

EventSeries::EventSeries(const EventOptions& options)
    : burst_(std::max(options.burst, 1.0)),
      refill_(options.refill),
      series_(options.series),
      buckets_(options.remembered),
      entries_(options.remembered) {}

EventSeries::Entry* EventSeries::Admit(const Event& event, Clock::TimePoint now) {
  Bucket& bucket = buckets_[KeyOf(event.regarding)];
  if (!bucket.tokens) {
    bucket.tokens = burst_;
  } else {
    const std::chrono::duration<double> passed = now - bucket.filled;
    bucket.tokens =
        std::min(burst_, *bucket.tokens + passed / std::chrono::duration<double>(refill_));
  }
  bucket.filled = now;
  if (*bucket.tokens < 1) return nullptr;
  bucket.tokens = *bucket.tokens - 1;

  Entry& entry = entries_[KeyOf(event)];
  // A series that has ended stays as it is; what comes now begins another.
  if (entry.count > 0 && now - entry.last >= series_) entry = Entry();
  ++entry.count;
  entry.last = now;
  return &entry;
}

namespace {

using Json = nlohmann::json;

// The API server's limit, less the point and the 16 digits of a number.
constexpr size_t kLongestEventName = 253 - 17;

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// Whether `name` is an RFC 1123 subdomain, of any length: labels with points between.
bool IsSubdomain(std::string_view name) {
  bool inside = false;  // a label whose last character may end it
  for (size_t i = 0; i < name.size(); ++i) {
    const bool hyphen = name[i] == '-';
    if (name[i] == '.' ? !inside : hyphen ? i == 0 || name[i - 1] == '.' : !IsLowerOrDigit(name[i]))
      return false;
    inside = IsLowerOrDigit(name[i]);
  }
  return inside;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string EventName(const EventObject& about, uint64_t number) {
  std::string name = about.name.substr(0, kLongestEventName);
  while (!name.empty() && !IsLowerOrDigit(name.back())) name.pop_back();
  if (!IsSubdomain(name)) name = Lower(about.kind);
  if (!IsSubdomain(name)) name = "event";
  return fmt::format("{}.{:x}", name, number);
}

namespace {

using Json = nlohmann::json;

// The API server's limits.
constexpr size_t kLongestNote = 1024;
constexpr size_t kLongestWord = 128;
constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::seconds kPatienceAtEnd{1};

EventOptions Fitting(EventOptions options) {
  options.instance = Shortened(options.instance, kLongestWord);
  return options;
}

// Events live in a namespace; of objects without one, in this.
std::string NamespaceOf(const Event& event) {
  return event.regarding.namespace_.empty() ? "default" : event.regarding.namespace_;
}

class Recorder final : public EventRecorder {
 public:
  Recorder(Api* api, EventOptions options, Clock clock)
      : api_(*api),
        options_(Fitting(std::move(options))),
        clock_(std::move(clock)),
        series_(options_),
        thread_([this](const std::stop_token& stop) { Run(stop); }) {}
  ~Recorder() override;

  void Record(Event event) override;
  EventStats stats() const override;
  void Flush() override;

 private:
  void Run(const std::stop_token& stop);
  bool Write(const Event& event, std::chrono::milliseconds timeout);
  bool Told(const absl::Status& written, bool* failed_before) const;
  bool CreateNew(const Event& event, EventSeries::Entry* entry, const CallOptions& options);
  absl::Status CountOn(const EventSeries::Entry& entry, const CallOptions& options);
  Json ObjectOf(const Event& event, const std::string& name) const;

  Api& api_;
  const EventOptions options_;
  const Clock clock_;
  EventSeries series_;  // of the thread alone
  uint64_t numbered_ = 0;
  bool create_failed_ = false;  // the last time, as the next one
  bool count_failed_ = false;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Event> waiting_ ABSL_GUARDED_BY(mutex_);
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  EventStats stats_ ABSL_GUARDED_BY(mutex_);

  std::jthread thread_;  // last: uses all of the above
};

Recorder::~Recorder() {
  thread_.request_stop();
}

void Recorder::Record(Event event) {
  event.note = Shortened(event.note, kLongestNote);
  event.reason = Shortened(event.reason, kLongestWord);
  event.action = Shortened(event.action, kLongestWord);
  const MutexLock lock(mutex_);
  if (waiting_.size() >= options_.queue) {
    ++stats_.dropped;
    return;
  }
  waiting_.push_back(std::move(event));
  changed_.notify_all();
}

EventStats Recorder::stats() const {
  const MutexLock lock(mutex_);
  return stats_;
}

void Recorder::Flush() {
  MutexLock lock(mutex_);
  changed_.wait(
      lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return waiting_.empty() && !busy_; });
}

void Recorder::Run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  std::optional<Clock::TimePoint> end;
  for (;;) {
    changed_.wait(lock, stop,
                  [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !waiting_.empty(); });
    if (stop.stop_requested() && !end) end = clock_.now() + kPatienceAtEnd;
    if (waiting_.empty() || (end && clock_.now() >= *end)) return;
    const Event event = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    const bool written = Write(event, end ? std::chrono::milliseconds(kPatienceAtEnd) : kPatience);
    lock.lock();
    busy_ = false;
    ++(written ? stats_.written : stats_.dropped);
    changed_.notify_all();
  }
}

bool Recorder::Write(const Event& event, std::chrono::milliseconds timeout) {
  EventSeries::Entry* const entry = series_.Admit(event, clock_.now());
  if (entry == nullptr) return false;
  const CallOptions options{.timeout = timeout, .stop = {}, .rate_limited = true};
  if (!entry->name.empty()) {
    const absl::Status counted = CountOn(*entry, options);
    // What failed otherwise is counted by the next one; NotFound: events expire.
    if (!absl::IsNotFound(counted)) return Told(counted, &count_failed_);
  }
  return CreateNew(event, entry, options);
}

// Whether it was written; says why not, but not for every event that shares the fate of the last.
bool Recorder::Told(const absl::Status& written, bool* failed_before) const {
  const bool failed = !written.ok();
  if (failed && !*failed_before && options_.warn) {
    options_.warn("events are not written: " + std::string(written.message()));
  }
  *failed_before = failed;
  return !failed;
}

Json Recorder::ObjectOf(const Event& event, const std::string& name) const {
  const EventObject& of = event.regarding;
  Json regarding = {{"apiVersion", of.api_version},
                    {"kind", of.kind},
                    {"namespace", of.namespace_},
                    {"name", of.name},
                    {"uid", of.uid}};
  if (!of.resource_version.empty()) regarding["resourceVersion"] = of.resource_version;
  return {{"apiVersion", "events.k8s.io/v1"},
          {"kind", "Event"},
          {"metadata", {{"name", name}, {"namespace", NamespaceOf(event)}}},
          {"eventTime", MicroTime(clock_.wall())},
          {"reportingController", options_.controller},
          {"reportingInstance", options_.instance},
          {"action", event.action},
          {"reason", event.reason},
          {"type", event.warning ? "Warning" : "Normal"},
          {"note", event.note},
          {"regarding", std::move(regarding)}};
}

bool Recorder::CreateNew(const Event& event, EventSeries::Entry* entry,
                         const CallOptions& options) {
  const auto now = clock_.wall().time_since_epoch() / std::chrono::nanoseconds(1);
  entry->name = EventName(event.regarding, static_cast<uint64_t>(now) + numbered_++);
  entry->namespace_ = NamespaceOf(event);
  entry->count = 1;
  const std::string json =
      ObjectOf(event, entry->name).dump(-1, ' ', false, Json::error_handler_t::replace);
  const absl::Status created =
      kube::Create(api_, kEvents, entry->namespace_, json, options).status();
  if (Told(created, &create_failed_)) return true;
  // Where no answer came, or one that does not say what was done, the object may be there: the next
  // one looks.
  if (!IsTransient(created) && !absl::IsDeadlineExceeded(created)) entry->name.clear();
  return false;
}

absl::Status Recorder::CountOn(const EventSeries::Entry& entry, const CallOptions& options) {
  const Json patch = {
      {"series", {{"count", entry.count}, {"lastObservedTime", MicroTime(clock_.wall())}}}};
  return kube::Patch(api_, kEvents, {entry.namespace_, entry.name}, patch.dump(),
                     {.type = PatchType::kMerge, .field_manager = {}, .force = false}, options)
      .status();
}

}  // namespace

std::unique_ptr<EventRecorder> EventRecorder::Create(Api* api, EventOptions options, Clock clock) {
  return std::make_unique<Recorder>(api, std::move(options), std::move(clock));
}

}  // namespace outrigger::kube
