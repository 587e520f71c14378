#include "pod_ledger.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/string_view.h"
#include "fmt/format.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::safe {
namespace {

auto KeyOf(const PodView& pod) {
  return std::tuple(pod.Namespace(), pod.Name());
}

// Since when a pod uses its node. A time that lies in the future is another clock's: then it came
// just now.
double BeginOf(const PodView& pod, double now) {
  if (pod.IsAssumed()) return Stay::kNever;
  for (const int64_t time : {pod.StartTime(), pod.ScheduledTime()}) {
    const auto begin = static_cast<double>(time);
    if (time > 0 && begin <= now) return begin;
  }
  const bool in_future = pod.StartTime() > 0 || pod.ScheduledTime() > 0;
  return in_future ? now : std::min(static_cast<double>(pod.CreationTime()), now);
}

double EndOf(const PodView& pod, const NodeAccount::Moment& at) {
  const auto end = static_cast<double>(pod.EndTime());
  return end > 0 ? std::min(end, at.now) : at.changed;
}

// The two in one that lasts from the begin of the first to the end of the last, and has used as
// much in sum.
Stay Joined(const Stay& a, const Stay& b) {
  Stay both{.begin = std::min(a.begin, b.begin), .end = std::max(a.end, b.end)};
  const double length = both.end - both.begin;
  if (length <= 0) return both;
  for (size_t i = 0; i < both.expected.size(); ++i) {
    both.expected[i] = (a.expected[i] * std::max(a.end - a.begin, 0.0) +
                        b.expected[i] * std::max(b.end - b.begin, 0.0)) /
                       length;
  }
  return both;
}

// Quantity::MilliValue() is 0 for absurd amounts, as upstream's is.
double InUnits(Resource resource, const Quantity& quantity) {
  return resource == kCpuResource ? quantity.ToDouble() * 1000 : quantity.ToDouble();
}

absl::StatusOr<double> Amount(std::string_view setting, Resource resource,
                              const std::string& text) {
  const auto quantity = Quantity::Parse(text);
  if (!quantity.ok() || *quantity < Quantity()) {
    return absl::InvalidArgumentError(
        fmt::format("{}={}: expected a quantity of 0 or more, such as {}", setting, text,
                    resource == kCpuResource ? "100m" : "200Mi"));
  }
  return std::min(InUnits(resource, *quantity), kMostExpected);
}

void PutLimits(const ResourceList& limits, ResourceList* requests) {
  for (const std::string_view name : {kCpu, kMemory}) {
    if (const Quantity limit = limits.Get(name); !limit.IsZero()) requests->Set(name, limit);
  }
}

// Sums limits up by the rules for requests.
ResourceList LimitsOf(Pod pod) {
  for (Container& container : pod.containers) PutLimits(container.limits, &container.requests);
  for (Container& container : pod.init_containers) PutLimits(container.limits, &container.requests);
  if (pod.pod_limits) {
    if (!pod.pod_requests) pod.pod_requests.emplace();
    PutLimits(*pod.pod_limits, &*pod.pod_requests);
  }
  return PodRequests(pod);
}

}  // namespace

// What a node requests in sum lies in its state, of which there is one for each state of the node
// and its pods.
bool IsSameState(const NodeView& a, const NodeView& b) {
  return &a.Requested() == &b.Requested();
}

void NodeAccount::Update(const NodeView& node, const Moment& at) {
  const std::optional<NodeView> before = node_;
  if (before && IsSameState(*before, node)) return;
  node_ = node;
  if (!before || before->node().revision != node.node().revision) ReadNode(at);
  if (before) FindGone(before->Pods(), node.Pods(), at);
  FindYoung(node.Pods(), at);
  Settle(at.estimate);
}

void NodeAccount::AddFinished(const PodView& pod, const Moment& at) {
  AddGone(pod, at);
  Settle(at.estimate);
}

void NodeAccount::ReadNode(const Moment& at) {
  const Node& node = node_->node();
  std::string statistics = StatisticsText(node);
  if (changed_ == 0 || statistics != statistics_) {
    statistics_ = std::move(statistics);
    changed_ = at.changed;
    read_ = at.now;
  }
  const auto stated = ParseMeasured(node.annotations.Get(kMeasuredAnnotation));
  const Window measured{.end = stated ? std::min(stated->end, read_) : changed_,
                        .length = stated ? stated->length : at.window};
  if (measured == measured_) return;
  measured_ = measured;
  ++version_;
}

// Both are sorted in the same way.
void NodeAccount::FindGone(const PodRange& before, const PodRange& after, const Moment& at) {
  size_t j = 0;
  for (const PodView pod : before) {
    while (j < after.size() && KeyOf(after[j]) < KeyOf(pod)) ++j;
    const bool stays = j < after.size() && KeyOf(after[j]) == KeyOf(pod) &&
                       (after[j] == pod || after[j].Uid() == pod.Uid());
    if (!stays) AddGone(pod, at);
  }
}

void NodeAccount::AddGone(const PodView& pod, const Moment& at) {
  if (pod.IsAssumed()) return;  // it never came
  const auto last = at.snapshot.FindPod(pod.Namespace(), pod.Name());
  const bool is_known = last.has_value() && last->Uid() == pod.Uid();
  Stay stay{.begin = BeginOf(is_known ? *last : pod, at.now),
            .end = is_known ? EndOf(*last, at) : at.changed};
  if (IsPast(measured_, stay)) return;
  stay.expected = ExpectedUse(pod, at.estimate);
  Keep(stay);
}

void NodeAccount::Keep(const Stay& gone) {
  const auto place = std::upper_bound(gone_.begin(), gone_.end(), gone,
                                      [](const Stay& a, const Stay& b) { return a.end < b.end; });
  gone_.insert(place, gone);
  if (gone_.size() > kMostGone) JoinTwo();
}

// Those that are shortest together: what is held stays as exact as it can be.
void NodeAccount::JoinTwo() {
  const auto length = [&](size_t i) {
    return gone_[i + 1].end - std::min(gone_[i].begin, gone_[i + 1].begin);
  };
  size_t best = 0;
  for (size_t i = 1; i + 1 < gone_.size(); ++i) {
    if (length(i) < length(best)) best = i;
  }
  gone_[best] = Joined(gone_[best], gone_[best + 1]);
  gone_.erase(gone_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
}

void NodeAccount::FindYoung(const PodRange& pods, const Moment& at) {
  std::vector<Young> young;
  size_t known = 0;
  for (const PodView pod : pods) {
    Stay stay{.begin = BeginOf(pod, at.now)};
    if (IsPast(measured_, stay)) continue;
    while (known < young_.size() && KeyOf(young_[known].pod) < KeyOf(pod)) ++known;
    if (known < young_.size() && young_[known].pod == pod) {
      stay = young_[known].stay;  // with the use that was worked out, and when it came
    } else {
      stay.expected = ExpectedUse(pod, at.estimate);
    }
    young.push_back({pod, stay});
  }
  young_ = std::move(young);
}

// A pod that has gone is taken off at its part of what was measured: what it used by itself is not
// known, but pods that ask for more than they use are seen to, together.
Amounts NodeAccount::UsedShare(const Estimate& estimate, const Amounts& gone,
                               const Amounts& missing) const {
  Amounts shares = {1, 1};
  if (estimate.basis != Estimate::Basis::kRequests) return shares;
  for (const Resource resource : {kCpuResource, kMemoryResource}) {
    const std::optional<double> used = MeasuredUse(node_->node(), resource);
    const double requested = InUnits(resource, node_->Requested());
    const double held =
        std::max(estimate.factors[resource] * requested - missing[resource] + gone[resource],
                 gone[resource]);
    if (used && held > 0) shares[resource] = std::min(*used / held, 1.0);
  }
  return shares;
}

void NodeAccount::Settle(const Estimate& estimate) {
  std::erase_if(gone_, [this](const Stay& stay) { return IsPast(measured_, stay); });
  const Amounts left = Correction(measured_, gone_);
  Amounts missing = {};
  for (const Young& young : young_) {
    const Amounts more = Correction(measured_, {&young.stay, 1});
    for (size_t i = 0; i < missing.size(); ++i) missing[i] += more[i];
  }
  const Amounts shares =
      gone_.empty() ? Amounts{1, 1} : UsedShare(estimate, {-left[0], -left[1]}, missing);
  Amounts correction = {};
  for (size_t i = 0; i < correction.size(); ++i) correction[i] = left[i] * shares[i] + missing[i];
  if (correction == correction_) return;
  correction_ = correction;
  ++version_;
}

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
  options_.warn(fmt::format("pod changes are not counted until this error is resolved: {}",
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

absl::StatusOr<Estimate> EstimateFrom(const Settings& settings) {
  Estimate estimate;
  if (settings.estimate == "limits") estimate.basis = Estimate::Basis::kLimits;
  for (const Resource resource : {kCpuResource, kMemoryResource}) {
    estimate.factors[resource] = settings.estimate_factor * kUsedOfRequests[resource];
  }
  const auto cpu = Amount("default-cpu", kCpuResource, settings.default_cpu);
  if (!cpu.ok()) return cpu.status();
  const auto memory = Amount("default-memory", kMemoryResource, settings.default_memory);
  if (!memory.ok()) return memory.status();
  estimate.defaults = {*cpu, *memory};
  return estimate;
}

Amounts ExpectedUse(const PodView& pod, const Estimate& estimate) {
  ResourceList limits;
  const bool by_limits = estimate.basis == Estimate::Basis::kLimits;
  if (by_limits) limits = LimitsOf(pod.Unpack());
  Amounts expected = {};
  for (const Resource resource : {kCpuResource, kMemoryResource}) {
    const Quantity stated = by_limits ? limits.Get(Name(resource)) : pod.Request(Name(resource));
    const double use = stated.IsZero() ? estimate.defaults[resource]
                                       : InUnits(resource, stated) * estimate.factors[resource];
    expected[resource] = std::clamp(use, 0.0, kMostExpected);
  }
  return expected;
}

}  // namespace outrigger::safe
