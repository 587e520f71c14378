#include "kube/write/event_recorder.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "kube/errors.h"
#include "kube/micro_time.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "kube/transport/retry.h"
#include "kube/write/event_series.h"
#include "kube/write/event_text.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::kube {
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

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Event> waiting_;
  bool busy_ = false;
  EventStats stats_;

  std::jthread thread_;  // last: uses all of the above
};

Recorder::~Recorder() {
  thread_.request_stop();
}

void Recorder::Record(Event event) {
  event.note = Shortened(event.note, kLongestNote);
  event.reason = Shortened(event.reason, kLongestWord);
  event.action = Shortened(event.action, kLongestWord);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_.size() >= options_.queue) {
    ++stats_.dropped;
    return;
  }
  waiting_.push_back(std::move(event));
  changed_.notify_all();
}

EventStats Recorder::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

void Recorder::Flush() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
}

void Recorder::Run(const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  std::optional<Clock::TimePoint> end;
  for (;;) {
    changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
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
