#include "pods/pod_history.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace outrigger::reward {
namespace {

constexpr std::string_view kEvicted = "Evicted";
constexpr std::string_view kNotAdmitted = "UnexpectedAdmissionError";  // of the kubelet: no device

// Of restarts between two looks: more than happen, so that no text steers a long loop.
constexpr int64_t kMostAtOnce = 16;

constexpr std::array<std::string_view, 12> kFailedStarts = {
    "ErrImagePull",         "ImagePullBackOff",           "InvalidImageName",
    "ErrImageNeverPull",    "ImageInspectError",          "RegistryUnavailable",
    "CreateContainerError", "CreateContainerConfigError", "RunContainerError",
    "PreCreateHookError",   "PreStartHookError",          "SignatureValidationFailed"};

bool IsFailedStart(std::string_view reason) {
  return std::ranges::find(kFailedStarts, reason) != kFailedStarts.end();
}

bool HasFailed(const ContainerEnd& end) {
  return end.exit_code != 0 || end.reason == "OOMKilled";
}

// A pod that the kubelet has ended for a reason that is not one of the node: DeadlineExceeded,
// Terminated, NodeShutdown, Preempting, OutOfcpu, ...
bool IsEndedByRule(const PodNow& pod) {
  return pod.phase == "Failed" && !pod.status_reason.empty() && pod.status_reason != kEvicted &&
         pod.status_reason != kNotAdmitted;
}

double RanFor(const ContainerEnd& end) {
  if (end.started == 0 || end.finished == 0) return 0;
  return static_cast<double>(std::max<Seconds>(0, end.finished - end.started));
}

// Since when all containers run. Those that have ended well are done, and have begun as well: the
// stretch does not go back when one ends. 0: not all run.
Seconds RunningSince(const PodNow& pod, Seconds now) {
  if (pod.phase != "Running" || pod.being_deleted) return 0;
  Seconds since = 0;
  for (const ContainerState& state : pod.containers) {
    if (state.init) continue;
    const bool is_done = state.end && !HasFailed(*state.end);
    if (!is_done && state.running_since == 0) return 0;
    since = std::max(since, is_done ? state.end->started : state.running_since);
  }
  return std::min(since, now);
}

Seconds LatestEnd(const PodNow& pod) {
  Seconds latest = 0;
  for (const ContainerState& state : pod.containers) {
    if (state.end) latest = std::max(latest, state.end->finished);
  }
  return latest;
}

int64_t Periods(Seconds since, Seconds until, double mttf) {
  if (until <= since) return 0;
  return static_cast<int64_t>(std::floor(static_cast<double>(until - since) / mttf));
}

}  // namespace

std::string_view WordOf(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kSuccess:
      return "success";
    case Outcome::Kind::kRunning:
      return "running";
    case Outcome::Kind::kExit:
      return "exit";
    case Outcome::Kind::kOom:
      return "oom";
    case Outcome::Kind::kEvicted:
      return "evicted";
    case Outcome::Kind::kNoStart:
      return "start";
  }
  return "";
}

// One look at a pod.
struct PodHistory::Counting {
  const PodNow& pod;
  const Look& look;
  CountedEnds* counted;
  std::vector<Outcome>* outcomes;
  bool takes = true;      // false: what has ended is marked as seen, and not counted
  bool is_first = false;  // nothing of this pod was seen before

  // An earlier process has counted.
  bool GoesOn() const { return look.is_first && counted->horizon() != CountedEnds::kNever; }

  // Counts what has its own number, unless it was counted. `time` is when it happened, 0 where that
  // is not known.
  void Count(const Container& container, int64_t run, Seconds time, Outcome outcome) const {
    if (!takes) return;
    const uint64_t key = CountedEnds::KeyOf({.uid = pod.uid,
                                             .container = container.name,
                                             .is_init = container.init,
                                             .is_success = !outcome.IsFailure(),
                                             .run = run});
    if (counted->Contains(key)) return;
    const Seconds happened = std::min(look.now, time != 0 ? time : pod.start_time);
    if (look.is_first && happened <= counted->horizon()) return;
    // The clocks of nodes differ: what happens under our eyes happens now.
    outcome.at = look.is_first && happened != 0 ? happened : look.now;
    counted->Add(key, std::max(time, outcome.at));
    outcomes->push_back(outcome);
  }
};

void PodHistory::OnPod(const PodNow& pod, const Look& look, CountedEnds* counted,
                       std::vector<Outcome>* outcomes) {
  Counting counting{.pod = pod,
                    .look = look,
                    .counted = counted,
                    .outcomes = outcomes,
                    .takes = !pod.being_deleted && !IsEndedByRule(pod),
                    .is_first = !is_seen_};
  OnWholePod(pod, &counting);
  for (Container& container : containers_) container.seen = false;
  for (const ContainerState& state : pod.containers) OnContainer(state, counting);
  // A kubelet that names other containers each time must not make this grow without end.
  has_dropped_ =
      std::erase_if(containers_, [](const auto& one) { return !one.seen; }) > 0 || has_dropped_;
  OnRunning(RunningSince(pod, look.now), look, outcomes);
  is_seen_ = true;
}

void PodHistory::OnWholePod(const PodNow& pod, Counting* counting) {
  if (pod.phase != "Failed") return;
  const bool is_evicted = pod.status_reason == kEvicted;
  if (!is_evicted && pod.status_reason != kNotAdmitted) return;
  if (!has_failed_ && is_evicted) CountEviction(*counting);
  if (!has_failed_ && !is_evicted) {
    counting->Count(Container(), 0, 0, {.kind = Outcome::Kind::kNoStart});
  }
  has_failed_ = true;
  counting->takes = false;
}

PodHistory::Container& PodHistory::Find(const ContainerState& state, const Counting& counting) {
  for (Container& container : containers_) {
    if (!container.seen && container.init == state.init && container.name == state.name) {
      return container;
    }
  }
  Container& made = containers_.emplace_back();
  made.name = state.name;
  made.init = state.init;
  made.restarts = state.restarts;
  if (counting.GoesOn()) made.next_run = std::max<int64_t>(0, state.restarts - 1);
  // It may be one that was counted before it was dropped.
  if (has_dropped_) made.next_run = std::max<int64_t>(0, state.restarts) + (state.end ? 1 : 0);
  return made;
}

void PodHistory::OnContainer(const ContainerState& state, const Counting& counting) {
  Container& container = Find(state, counting);
  container.seen = true;
  if (state.restarts < container.restarts) {  // the kubelet has begun at 0 again
    container.next_run = std::max<int64_t>(0, state.restarts);
    container.failed_start = -1;
  }
  container.restarts = state.restarts;
  if (container.next_run < state.restarts) OnRestarts(state, &container, counting);
  if (container.next_run > state.restarts) return;
  if (state.end) {
    CountEnd(*state.end, container, state.restarts, state.end->finished, counting);
    container.next_run = state.restarts + 1;
  } else if (IsFailedStart(state.waiting_reason) && container.failed_start != state.restarts) {
    CountStart(&container, counting);
  }
}

void PodHistory::OnRestarts(const ContainerState& state, Container* container,
                            const Counting& counting) {
  const int64_t from = std::max(container->next_run, state.restarts - kMostAtOnce);
  container->next_run = state.restarts;
  if (!state.last_end) return;
  const ContainerEnd& end = *state.last_end;
  // Of a long history, seen for the first time, only the end of the last run has a date.
  const Seconds span = std::max<Seconds>(0, end.finished - counting.pod.start_time);
  const Seconds each = span / state.restarts;
  for (int64_t run = from; run < state.restarts; ++run) {
    Seconds time = end.finished;
    if (time != 0 && counting.pod.start_time != 0) time -= each * (state.restarts - 1 - run);
    CountEnd(end, *container, run, time, counting);
  }
}

void PodHistory::CountEnd(const ContainerEnd& end, const Container& container, int64_t run,
                          Seconds time, const Counting& counting) {
  const bool has_failed = HasFailed(end);
  if (has_failed && container.failed_start == run) return;  // as a start that failed
  if (!has_failed && container.init) return;                // only a step of the start
  Outcome outcome;
  if (has_failed) {
    outcome.kind = end.reason == "OOMKilled" ? Outcome::Kind::kOom : Outcome::Kind::kExit;
    outcome.ran = RanFor(end);
  }
  counting.Count(container, run, time, outcome);
}

void PodHistory::CountStart(Container* container, const Counting& counting) {
  container->failed_start = container->restarts;
  counting.Count(*container, container->restarts, 0, {.kind = Outcome::Kind::kNoStart});
}

void PodHistory::CountEviction(const Counting& counting) {
  const Seconds end = LatestEnd(counting.pod);
  Seconds since = running_since_ != 0 ? running_since_ : counting.pod.start_time;
  if (since == 0) since = end;
  const Seconds until = end != 0 ? end : counting.is_first ? since : counting.look.now;
  counting.Count(Container(), 0, end,
                 {.kind = Outcome::Kind::kEvicted,
                  .ran = static_cast<double>(std::max<Seconds>(0, until - since))});
}

void PodHistory::OnRunning(Seconds since, const Look& look, std::vector<Outcome>* outcomes) {
  if (since != running_since_) {
    OnTime(look, outcomes);  // what was left of the stretch that is over
    BeginStretch(since, look);
  }
  OnTime(look, outcomes);
}

// Where the end of a container has no date, `since` may go back to what is paid already, or to
// before a time in which not all ran.
void PodHistory::BeginStretch(Seconds since, const Look& look) {
  Seconds begin = look.is_first ? look.paid_until : since;
  const bool was_interrupted = running_since_ == 0 && since < paid_to_;
  if (since == 0 || was_interrupted) begin = look.now;
  paid_to_ = std::min(std::max(paid_to_, begin), look.now);
  paid_ = since == 0 ? 0 : Periods(since, paid_to_, look.mttf);
  running_since_ = since;
}

void PodHistory::OnTime(const Look& look, std::vector<Outcome>* outcomes) {
  if (running_since_ == 0) return;
  const int64_t all = Periods(running_since_, look.now, look.mttf);
  if (all <= paid_) return;
  Outcome outcome{.kind = Outcome::Kind::kRunning, .periods = all - paid_};
  outcome.at = running_since_ + static_cast<Seconds>(static_cast<double>(all) * look.mttf);
  outcomes->push_back(outcome);
  paid_ = all;
  // Rounded up, so that it is the end of as many periods again.
  const double length = std::ceil(static_cast<double>(all) * look.mttf);
  paid_to_ = std::max(paid_to_, running_since_ + static_cast<Seconds>(length));
}

void PodHistory::SkipUntil(const Look& look) {
  paid_to_ = look.now;
  if (running_since_ == 0) return;
  paid_ = Periods(running_since_, look.now, look.mttf);
}

Seconds PodHistory::NextDue(const Look& look) const {
  if (running_since_ == 0) return 0;
  const double due = static_cast<double>(paid_ + 1) * look.mttf;
  return running_since_ + static_cast<Seconds>(std::ceil(due));
}

}  // namespace outrigger::reward
