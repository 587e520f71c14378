#include "kube/watch/reflector_state.h"

#include <algorithm>
#include <tuple>

#include "fmt/format.h"
#include "kube/watch/errors.h"

namespace outrigger::kube {
namespace {

using TimePoint = ReflectorState::TimePoint;

// Whole seconds: finer ones tell people nothing.
std::string Age(TimePoint since, TimePoint now) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - since);
  return fmt::format("{} s", std::max<int64_t>(age.count(), 0));
}

// Texts come from outside in part; a line stays a line.
std::string OneLine(absl::string_view text) {
  std::string line(text.data(), text.size());
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, ' ');
  return line;
}

}  // namespace

std::string Describe(const ReflectorState& state, TimePoint now) {
  if (state.failing_since) {
    return fmt::format("{}: {} for {}: {}", state.resource,
                       state.unreachable ? "no answer" : "failing", Age(*state.failing_since, now),
                       state.last_error);
  }
  if (!state.unknown_versions.empty()) {
    return fmt::format("{}: served in version {}, which is not supported", state.resource,
                       state.unknown_versions);
  }
  if (state.not_installed) return state.resource + ": not installed";
  if (!state.synced || !state.as_of) return state.resource + ": not listed yet";
  std::string line = fmt::format("{}: {} objects, as of {} ago", state.resource, state.objects,
                                 Age(*state.as_of, now));
  if (state.unreadable > 0) line += fmt::format(", {} of them unreadable", state.unreadable);
  return line;
}

template <typename Edit>
void ReflectorStatus::Change(const Edit& edit) {
  const auto outlook = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::tuple(state_.synced, state_.not_installed, state_.followed,
                      state_.last_error.empty(), state_.unknown_versions);
  };
  bool has_turned = false;
  {
    const MutexLock lock(mutex_);
    const auto before = outlook();
    edit();
    has_turned = outlook() != before;
  }
  if (has_turned && turned_) turned_();
}

ReflectorState ReflectorStatus::Get() const {
  const MutexLock lock(mutex_);
  return state_;
}

void ReflectorStatus::WatchBegins() {
  const MutexLock lock(mutex_);
  ++state_.watches;
}

void ReflectorStatus::AnsweredLocked() {
  state_.last_error.clear();
  state_.unreachable = false;
  state_.failing_since.reset();
}

void ReflectorStatus::Answered() {
  Change([this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { AnsweredLocked(); });
}

void ReflectorStatus::Failed(const absl::Status& status, TimePoint now) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    ++state_.failures;
    state_.last_error = OneLine(status.message());
    state_.unreachable = FailureOf(status) == Failure::kConnection;
    if (!state_.failing_since) state_.failing_since = now;
  });
}

void ReflectorStatus::Synced(std::string_view resource_version, TimePoint as_of) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    AnsweredLocked();
    ++state_.relists;
    state_.synced = true;
    state_.not_installed = false;
    state_.unknown_versions.clear();
    state_.resource_version = resource_version;
    state_.as_of = as_of;
  });
}

void ReflectorStatus::Event(std::string_view resource_version, TimePoint now) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    state_.followed = true;
    AnsweredLocked();
    ++state_.events;
    if (resource_version.empty()) return;
    state_.resource_version = resource_version;
    state_.as_of = now;
  });
}

void ReflectorStatus::ReadsVersion(std::string_view version) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { state_.version = version; });
}

void ReflectorStatus::NotInstalled(TimePoint now, std::string_view unknown) {
  Change([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    AnsweredLocked();
    state_.synced = false;
    state_.not_installed = true;
    state_.unknown_versions = unknown;
    state_.resource_version.clear();
    state_.as_of = now;
  });
}

void ReflectorStatus::Count(size_t objects, size_t unreadable) {
  const MutexLock lock(mutex_);
  state_.objects = objects;
  state_.unreadable = unreadable;
}

std::optional<TimePoint> ReflectorStatus::as_of() const {
  const MutexLock lock(mutex_);
  return state_.as_of;
}

std::optional<TimePoint> ReflectorStatus::failing_since() const {
  const MutexLock lock(mutex_);
  return state_.failing_since;
}

}  // namespace outrigger::kube
