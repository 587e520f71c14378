#include "kube/view/custom_watch.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "codec/json/reader.h"
#include "kube/stream/object_head.h"
#include "kube/view/cluster_watch.h"
#include "kube/watch/object_sink.h"
#include "kube/write/custom_object.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;

// With `version` the API server is asked what it serves before a 404 is believed: one of several
// servers may not know yet of a definition that was just applied.
ReflectorOptions OptionsFor(const CustomWatchOptions& options,
                            std::span<const std::string_view> version) {
  ReflectorOptions reflector = ListedInTime(options.reflector, options.max_staleness);
  reflector.may_be_missing = true;
  reflector.versions = version;
  reflector.missing_retry = std::min(reflector.missing_retry, options.max_staleness / 2);
  reflector.turned = {};
  return reflector;
}

}  // namespace

/// Hands the bytes of objects on.
class CustomWatch::RawSink final : public ObjectSink {
 public:
  explicit RawSink(CustomObjectSink* sink) : sink_(*sink) {}

  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override {
    std::string_view bytes;
    const auto error = object.raw_json().get(bytes);
    if (error != simdjson::SUCCESS) return json::Broken(at, error);
    // Of what is stepped over only the brackets have been looked at.
    if (!IsJson(bytes)) return json::Invalid(at, "broken JSON");
    return sink_.Upsert({.namespace_ = head.namespace_,
                         .name = head.name,
                         .uid = {},
                         .resource_version = head.resource_version},
                        Trimmed(bytes));
  }
  void Remove(const ObjectHead& gone) override {
    sink_.Remove({.namespace_ = gone.namespace_,
                  .name = gone.name,
                  .uid = {},
                  .resource_version = gone.resource_version});
  }
  void BeginReplace() override { sink_.BeginReplace(); }
  void EndReplace(std::string_view version) override { sink_.EndReplace(version); }

 private:
  CustomObjectSink& sink_;
};

/// A kind that is followed. Thread-safe but for Start().
class CustomWatch::Entry {
 public:
  Entry(Api* api, const CustomKind& kind, CustomObjectSink* sink, const CustomWatchOptions& options)
      : kind_(kind),
        version_{kind.version},
        max_staleness_(options.max_staleness),
        now_(options.reflector.timing.now),
        sink_(sink),
        reflector_(api, ResourceOf(kind), &sink_, OptionsFor(options, version_)) {}

  void Start() { reflector_.Start(); }
  void Stop() {
    const MutexLock lock(stopping_);
    reflector_.Stop();
  }
  ReflectorState State() const { return reflector_.State(); }
  absl::Status Usable() const {
    const ReflectorState state = State();
    absl::Status usable = UsableAt(state, max_staleness_, now_());
    return usable.ok() && state.not_installed ? NotServed(kind_, state.unknown_versions) : usable;
  }

 private:
  const CustomKind kind_;
  const std::array<std::string_view, 1> version_;
  const milliseconds max_staleness_;
  const SteadyNow now_;
  RawSink sink_;
  Mutex stopping_;
  Reflector reflector_;  // last: its thread uses the sink
};

class CustomWatch::Followed final : public FollowedKind {
 public:
  Followed(CustomWatch* watch, std::shared_ptr<Entry> entry)
      : watch_(watch), entry_(std::move(entry)) {}
  ~Followed() override {
    watch_->Forget(entry_);
    entry_->Stop();
  }
  absl::Status Usable() const override { return entry_->Usable(); }

 private:
  CustomWatch* const watch_;
  const std::shared_ptr<Entry> entry_;
};

CustomWatch::CustomWatch(Api* api, CustomWatchOptions options)
    : api_(api), options_(std::move(options)) {}

CustomWatch::~CustomWatch() {
  Stop();
}

std::unique_ptr<FollowedKind> CustomWatch::Follow(const CustomKind& kind, CustomObjectSink* sink) {
  auto entry = std::make_shared<Entry>(api_, kind, sink, options_);
  {
    const MutexLock lock(mutex_);
    if (!is_stopped_) entry->Start();
    entries_.push_back(entry);
  }
  return std::make_unique<Followed>(this, std::move(entry));
}

void CustomWatch::Forget(const std::shared_ptr<Entry>& entry) {
  const MutexLock lock(mutex_);
  std::erase(entries_, entry);
}

void CustomWatch::Stop() {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    entries = entries_;
  }
  for (const auto& entry : entries) entry->Stop();
}

std::vector<ReflectorState> CustomWatch::States() const {
  const MutexLock lock(mutex_);
  std::vector<ReflectorState> states;
  for (const auto& entry : entries_) {
    ReflectorState state = entry->State();
    const bool is_known =
        std::any_of(states.begin(), states.end(),
                    [&](const ReflectorState& other) { return other.resource == state.resource; });
    if (!is_known) states.push_back(std::move(state));
  }
  return states;
}

}  // namespace outrigger::kube
