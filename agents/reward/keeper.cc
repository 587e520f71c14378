#include "keeper.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "reward_metrics.h"

namespace outrigger::reward {
namespace {

constexpr std::chrono::milliseconds kAgain{1000};      // after an error
constexpr std::chrono::milliseconds kLongest{60'000};  // of a wait
constexpr std::chrono::milliseconds kTicks{5000};      // what only time brings is collected
constexpr std::chrono::milliseconds kLastStore{3000};  // when the term is over
constexpr size_t kLeastRoom = size_t{64} * 1024;

// A write that may have been made, or not.
bool MayBeStored(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsCancelled(status);
}

CallLimits Limits(const std::stop_token& stop) {
  return {.timeout = std::chrono::seconds(10), .stop = stop};
}

}  // namespace

Keeper::Keeper(const AgentDeps& deps, Method* method, StateStore* store)
    : deps_(deps), cluster_(deps.cluster), method_(method), store_(store) {}

// ---- While this process leads ----

void Keeper::Lead(const std::stop_token& term) {
  const Subscription changes =
      cluster_->OnChange([this] { pace_.Wake(); }, ChangeScope::kAllAndStates);
  SetLeads(true);
  phase_ = Phase::kUnread;
  stored_at_ = 0;
  while (!term.stop_requested()) {
    Round(term);
    deps_.clock.sleep(kBetweenLooks, term);
    if (!term.stop_requested()) pace_.Wait(UntilNext(NowOf(deps_.clock)), term);
  }
  if (phase_ != Phase::kUnread && IsToBeStored()) {
    OnError("store", Store({.timeout = kLastStore}));
  }
  SetLeads(false);
}

void Keeper::SetLeads(bool leads) {
  const MutexLock lock(show_mutex_);
  leads_ = leads;
  shown_version_.reset();
  deps_.metrics->Set(metric::kLeading, "", leads ? 1 : 0);
}

absl::Status Keeper::Begin(const std::stop_token& term) {
  absl::StatusOr<StoredState> loaded = store_->Load(Limits(term));
  if (absl::IsDataLoss(loaded.status())) {
    Report({fmt::format("{}: what was counted begins with nothing",
                        std::string(loaded.status().message()))});
    loaded = StoredState();
  }
  if (!loaded.ok()) return loaded.status();
  stored_ = *std::move(loaded);
  Report(method_->Begin(stored_.data[std::string(method_->Key())], NowOf(deps_.clock)));
  phase_ = Phase::kCounting;
  is_unstored_ = false;
  next_.reset();
  return absl::OkStatus();
}

void Keeper::Round(const std::stop_token& term) {
  if (phase_ == Phase::kUnread) OnError("load", Begin(term));
  if (phase_ == Phase::kUnread) return;
  const absl::StatusOr<ClusterView> view = cluster_->Take();
  OnError("view", view.status());
  const Moment now = NowOf(deps_.clock);
  if (view.ok()) OnProgress(method_->Look(view->snapshot, now), now);
  if (IsTimeToStore(now)) OnError("store", Store(Limits(term)));
}

void Keeper::OnProgress(const Progress& progress, Moment now) {
  for (const auto& [kind, count] : progress.outcomes) {
    deps_.metrics->Add(metric::kOutcomes, kind, static_cast<double>(count));
  }
  if (!progress.note.empty()) deps_.warn(progress.note);
  next_ = progress.next;
  is_unstored_ = is_unstored_ || progress.has_changes;
  if (stored_at_ > now.wall) stored_at_ = now.wall;  // the clock was set
  if (progress.has_changes) {
    deps_.metrics->Set(metric::kPairs, "", static_cast<double>(method_->Pairs()));
  }
}

bool Keeper::IsTimeToStore(Moment now) const {
  return IsToBeStored() && now.wall >= StoreDue();
}

std::chrono::milliseconds Keeper::UntilNext(Moment now) const {
  if (phase_ == Phase::kUnread) return kAgain;
  std::chrono::milliseconds time = kLongest;
  if (next_) {
    time = std::min<std::chrono::milliseconds>(
        time, std::max<std::chrono::milliseconds>(kTicks, std::chrono::seconds(*next_ - now.wall)));
  }
  if (IsToBeStored()) {
    const std::chrono::seconds left(StoreDue() - now.wall);
    time = std::min<std::chrono::milliseconds>(time,
                                               std::max<std::chrono::milliseconds>(kAgain, left));
  }
  return time;
}

absl::Status Keeper::Store(const CallLimits& limits) {
  stored_at_ = NowOf(deps_.clock).wall;
  if (phase_ != Phase::kUnsure) return Save(limits);
  absl::Status settled = Settle(limits);
  if (!settled.ok() || phase_ != Phase::kCounting || !is_unstored_) return settled;
  return Save(limits);
}

absl::Status Keeper::Settle(const CallLimits& limits) {
  absl::StatusOr<StoredState> loaded = store_->Load(limits);
  if (absl::IsDataLoss(loaded.status())) loaded = StoredState();
  if (!loaded.ok()) return loaded.status();
  const std::string_view key = method_->Key();
  if (loaded->version == stored_.version) {  // it was not stored
    phase_ = Phase::kCounting;
    is_unstored_ = true;
  } else if (const auto text = loaded->data.find(key);
             text != loaded->data.end() && text->second == stored_.data.find(key)->second) {
    phase_ = Phase::kCounting;
    stored_ = *std::move(loaded);
  } else {
    OnOverwritten();
  }
  return absl::OkStatus();
}

// A person has edited or deleted it, or an earlier leader was late: that is what counts now.
void Keeper::OnOverwritten() {
  phase_ = Phase::kUnread;
  deps_.log(fmt::format("{} was written by another one: it is read again", store_->Place()));
}

absl::Status Keeper::Save(const CallLimits& limits) {
  const std::string key(method_->Key());
  size_t others = 0;
  for (const auto& [name, text] : stored_.data) {
    if (name != key) others += name.size() + text.size();
  }
  if (others + kLeastRoom > kMostStateBytes) {  // not ours
    std::erase_if(stored_.data, [&](const auto& entry) { return entry.first != key; });
    others = 0;
  }
  size_t left_out = 0;
  std::string& text = stored_.data[key];
  text = method_->Text(kMostStateBytes - others - key.size(), &left_out);
  deps_.metrics->Set(metric::kLeftOut, "", static_cast<double>(left_out));
  deps_.metrics->Set(metric::kBytes, "", static_cast<double>(text.size()));
  absl::StatusOr<std::string> version = store_->Save(stored_, limits);
  if (absl::IsAborted(version.status())) {
    OnOverwritten();
    return absl::OkStatus();
  }
  if (!version.ok() && !MayBeStored(version.status())) return version.status();
  is_unstored_ = false;
  if (!version.ok()) {
    phase_ = Phase::kUnsure;
    return version.status();
  }
  stored_.version = *std::move(version);
  return absl::OkStatus();
}

// ---- While another process leads ----

void Keeper::Follow(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    OnError("load", ReadAgain(stop));
    deps_.clock.sleep(kReadAgain, stop);
  }
}

absl::Status Keeper::ReadAgain(const std::stop_token& stop) {
  if (leads_) return absl::OkStatus();
  absl::StatusOr<StoredState> loaded = store_->Load(Limits(stop));
  if (absl::IsCancelled(loaded.status())) return absl::OkStatus();
  if (!loaded.ok()) return loaded.status();
  const MutexLock lock(show_mutex_);
  if (leads_ || shown_version_ == loaded->version) return absl::OkStatus();
  shown_version_ = loaded->version;
  Report(method_->Show(loaded->data[std::string(method_->Key())], NowOf(deps_.clock)));
  deps_.metrics->Set(metric::kPairs, "", static_cast<double>(method_->Pairs()));
  return absl::OkStatus();
}

// ---- Reports ----

void Keeper::Report(const std::vector<std::string>& findings) {
  for (const std::string& finding : findings) {
    deps_.warn(fmt::format("{}: {}", store_->Place(), finding));
  }
}

void Keeper::OnError(std::string_view call, const absl::Status& status) {
  if (absl::IsCancelled(status)) return;
  if (!status.ok()) deps_.metrics->Add(metric::kErrors, call, 1);
  const MutexLock lock(errors_mutex_);
  std::string& last = errors_[std::string(call)];
  const std::string text(status.message());
  if (last == text) return;
  if (!status.ok()) deps_.warn(fmt::format("{}: {}", call, text));
  last = text;
}

}  // namespace outrigger::reward
