#include "pod_ledger.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "absl/strings/string_view.h"
#include "fmt/format.h"

namespace outrigger::safe {
namespace {

constexpr double kPause = 1;    // seconds between readings without a call
constexpr double kStep = 0.05;  // and between snapshots

absl::string_view Key(std::string_view name) {
  return {name.data(), name.size()};
}

}  // namespace

PodLedger::PodLedger(ClusterReader* cluster, Options options)
    : cluster_(cluster), options_(std::move(options)) {
  subscription_ = cluster_->OnChange([this] { OnChange(); }, ChangeScope::kAllAndStates);
}

double PodLedger::Now() const {
  return std::chrono::duration<double>(options_.clock.wall().time_since_epoch()).count();
}

PodLedger::Look PodLedger::Begin(double now) {
  looked_at_ = now;
  const double skipped_at = std::exchange(skipped_at_, 0);
  return {.now = now, .changed = skipped_at > 0 ? std::min(skipped_at, now) : now};
}

void PodLedger::CatchUp() {
  const double now = Now();
  Look look;
  {
    const MutexLock lock(mutex_);
    look = Begin(now);
  }
  auto view = cluster_->Take();  // without the lock, since it may call OnChange()
  const MutexLock lock(mutex_);
  if (!view.ok()) return Lose(view.status());
  Advance(std::move(view->snapshot), look);
  if (!is_lost_) return;
  is_lost_ = false;
  changes_.all = true;
}

// A snapshot says later what was there at this moment. It costs little, but pods change thousands
// of times in a second.
void PodLedger::OnChange() {
  const double now = Now();
  Look look;
  {
    const MutexLock lock(mutex_);
    if (now >= looked_at_ && now - looked_at_ < kStep) {
      skipped_at_ = now;
      return;
    }
    look = Begin(now);
  }
  auto view = cluster_->Take();
  if (!view.ok()) return;  // CatchUp() says so
  const MutexLock lock(mutex_);
  if (now - read_at_ >= kPause || now < read_at_) return Advance(std::move(view->snapshot), look);
  if (held_ != nullptr && held_->Generation() > view->snapshot->Generation()) return;
  held_ = std::move(view->snapshot);
  held_at_ = now;
}

void PodLedger::Lose(const absl::Status& status) {
  if (is_lost_) return;
  is_lost_ = true;
  changes_.all = true;
  options_.warn(fmt::format("pods that came or went are not counted until this is over: {}",
                            std::string(status.message())));
}

void PodLedger::Advance(SnapshotPtr snapshot, const Look& look) {
  if (IsNew(held_.get()) && held_->Generation() < snapshot->Generation()) {
    Read(std::move(held_), {.now = held_at_, .changed = held_at_});
  }
  if (!IsNew(snapshot.get())) return;
  held_ = nullptr;
  Read(std::move(snapshot), look);
}

bool PodLedger::IsNew(const ClusterSnapshot* snapshot) const {
  return snapshot != nullptr &&
         (snapshot_ == nullptr || snapshot->Generation() > snapshot_->Generation());
}

void PodLedger::Read(SnapshotPtr snapshot, const Look& look) {
  const NodeAccount::Moment at{.snapshot = *snapshot,
                               .now = look.now,
                               .changed = look.changed,
                               .estimate = options_.estimate,
                               .window = options_.window};
  std::vector<std::pair<size_t, NodeView>> changed;
  size_t nodes = 0;
  const std::vector<NodeView>* const seen = &seen_;
  snapshot->ForEachNode([&](const NodeView& view) {
    if (nodes >= seen->size() || !IsSameState((*seen)[nodes], view))
      changed.emplace_back(nodes, view);
    ++nodes;
  });
  // Else one has taken the place of another, or there are fewer.
  bool are_the_same = nodes >= seen_.size();
  for (const auto& [i, view] : changed) {
    are_the_same = are_the_same && (i >= seen_.size() || seen_[i].Name() == view.Name());
    Update(view, at);
    if (i < seen_.size()) {
      seen_[i] = view;
    } else {
      seen_.push_back(view);
    }
  }
  seen_.erase(seen_.begin() + static_cast<std::ptrdiff_t>(nodes), seen_.end());
  if (!are_the_same) DropMissing(*snapshot);
  if (snapshot_ == nullptr) AddFinished(at);
  snapshot_ = std::move(snapshot);
  read_at_ = look.now;
}

void PodLedger::Update(const NodeView& view, const NodeAccount::Moment& at) {
  std::unique_ptr<NodeAccount>& account = accounts_[view.Name()];
  if (account == nullptr) account = std::make_unique<NodeAccount>();
  const uint64_t version = account->version();
  account->Update(view, at);
  if (account->version() != version) Tell(*account);
}

void PodLedger::DropMissing(const ClusterSnapshot& snapshot) {
  for (auto at = accounts_.begin(); at != accounts_.end();) {
    const auto next = std::next(at);
    if (!snapshot.FindNode(at->first).has_value()) accounts_.erase(at);
    at = next;
  }
}

// They finished before the first look, and measurements may still hold them.
void PodLedger::AddFinished(const NodeAccount::Moment& at) {
  const auto* const accounts = &accounts_;
  at.snapshot.ForEachPod([&](const PodView& pod) {
    if (!pod.IsFinished() || pod.EndTime() == 0) return;
    const auto found = accounts->find(Key(pod.NodeName()));
    if (found != accounts->end()) found->second->AddFinished(pod, at);
  });
  changes_.all = true;
}

void PodLedger::Tell(const NodeAccount& account) {
  if (changes_.all) return;
  changes_.revisions.push_back(account.node().node().revision);
  if (changes_.revisions.size() <= 2 * accounts_.size()) return;
  changes_ = {.all = true, .revisions = {}};  // there are no calls
}

std::optional<NodeNews> PodLedger::Find(std::string_view node) const {
  const MutexLock lock(mutex_);
  if (is_lost_) return std::nullopt;
  const auto found = accounts_.find(Key(node));
  if (found == accounts_.end()) return std::nullopt;
  const NodeAccount& account = *found->second;
  return NodeNews{.revision = account.node().node().revision,
                  .measured = account.measured(),
                  .correction = account.correction()};
}

ChangedNodes PodLedger::TakeChanges() {
  const MutexLock lock(mutex_);
  return std::exchange(changes_, {});
}

}  // namespace outrigger::safe
