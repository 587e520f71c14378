#include "gang/desk/plan_loop.h"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "gang/desk/nominations/life_signs.h"
#include "gang/desk/release/claim_holds.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/claims.h"
#include "gang/plan/room.h"
#include "outrigger/base/clock.h"
#include "outrigger/k8s/taint.h"

namespace outrigger::desk {
namespace {

using std::chrono::milliseconds;

// Changes come in bursts; a plan waits so long for the rest of one, and nine times as long as the
// last plan took, so that planning takes a tenth of a core: the scheduler and the API server, often
// on the same machine, have most to do just then. Of long plans it is half of one, so that answers
// do not grow old.
constexpr milliseconds kSettle{4};
constexpr milliseconds kLongPlan{6};
constexpr int kShare = 10;

// A gang whose places hold by nominations has them once these are written, and has lost them to
// others by then, or not at all.
constexpr milliseconds kSettles{1000};

// The reasons of pods may wait for what moves them.
constexpr size_t kReasonsAtOnce = 4;

// How often it is looked whether the view is still good, which nobody tells.
constexpr milliseconds kIdle{1000};

std::chrono::steady_clock::duration RestAfter(std::chrono::steady_clock::duration plan) {
  using Duration = std::chrono::steady_clock::duration;
  return std::max<Duration>(kSettle, plan + (kShare - 2) * std::min<Duration>(plan, kLongPlan));
}

// Where no pod asks for calls, and none has come yet, the scheduler is one that calls about each
// pod: else it would place members by themselves anyway.
bool AnyAsks(std::span<const PodPtr> pods) {
  return std::any_of(pods.begin(), pods.end(), [](const PodPtr& pod) {
    const plan::CallsAsked asked = plan::CallsAskedBy(*pod);
    return asked.in_cycle || asked.bind;
  });
}

PlanningOptions Completed(PlanningOptions options) {
  options.nominations.mode = options.release.mode = options.mode;
  options.release.hold_singles = options.hold;
  return options;
}

// Pods are being evicted for it.
bool IsPromised(std::span<const BoardPod* const> seats) {
  return std::any_of(seats.begin(), seats.end(),
                     [](const BoardPod* seat) { return !seat->kept_node.empty(); });
}

std::set<plan::UnitKey> AwaitingTurn(const Releases& releases) {
  std::set<plan::UnitKey> units;
  for (const HeldUnit& unit : releases.units) {
    if (unit.by == HeldBy::kWindow) units.insert(unit.key);
  }
  return units;
}

}  // namespace

void PlanPulse::Begin(const char* what) {
  what_ = what;
  began_ = now_();
}

std::chrono::milliseconds PlanPulse::UnderWay() const {
  const Time began = began_;
  if (began == Time()) return std::chrono::milliseconds(0);
  return std::chrono::duration_cast<std::chrono::milliseconds>(now_() - began);
}

absl::Status PlanPulse::Within(std::chrono::milliseconds longest) const {
  const std::chrono::milliseconds under_way = UnderWay();
  if (under_way <= longest) return absl::OkStatus();
  return absl::UnavailableError(fmt::format(
      "planning has taken {} s so far ({}), and the last plan is too old to use",
      std::chrono::duration_cast<std::chrono::seconds>(under_way).count(), what_.load()));
}

PlanLoop::PlanLoop(ClusterAccess* cluster, Leadership* leadership, Inbox* inbox,
                   std::vector<Participant*> participants, PlanningOptions options)
    : cluster_(cluster),
      leadership_(leadership),
      inbox_(inbox),
      participants_(std::move(participants)),
      options_(Completed(std::move(options))),
      memory_(options_.nominations),
      nominations_(
          cluster,
          {.may_write =
               [leadership](const CallLimits& limits) { return leadership->MayWrite(limits); },
           .answered = [this](const Nomination& nomination,
                              const absl::Status& status) { OnWritten(nomination, status); },
           .changed = [this] { Nudge(); }},
          options_.now),
      reasons_(kReasonsAtOnce,
               {.may_write =
                    [leadership](const CallLimits& limits) { return leadership->MayWrite(limits); },
                .write =
                    [cluster](const ShownReason& shown, const CallLimits& limits) {
                      return cluster->WriteUnscheduled(*shown.pod, shown.message, limits);
                    }},
               options_.now),
      gates_(cluster, options_.release,
             {.may_write =
                  [leadership](const CallLimits& limits) { return leadership->MayWrite(limits); },
              .answered = [this](const Release& release,
                                 const absl::Status& status) { OnReleased(release, status); },
              .changed = [this] { Nudge(); },
              .warn = options_.warn},
             options_.now),
      kept_nodes_(options_.reserve_after, kSettles),
      answers_(std::make_shared<Answers>(
          Answers{absl::UnavailableError("starting: there is no plan yet"), nullptr})),
      pulse_(options_.now) {
  pods_.LeaveOut(options_.checks);
}

PlanLoop::~PlanLoop() {
  Stop();
}

void PlanLoop::Start() {
  changes_ = cluster_->OnChange([this] { Nudge(); });
  nominations_.Start();
  reasons_.Start();
  gates_.Start();
  watcher_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void PlanLoop::StartByHand() {
  changes_ = cluster_->OnChange([this] { Nudge(); });
}

void PlanLoop::StepByHand() {
  {
    const MutexLock lock(mutex_);
    nudged_ = false;
  }
  Step();
}

std::optional<Time> PlanLoop::NextByHand() const {
  {
    const MutexLock lock(mutex_);
    if (nudged_) return options_.now();
  }
  return next_look();
}

void PlanLoop::Stop() {
  changes_.End();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  watcher_.request_stop();
  watcher_.join();
  nominations_.Stop();
  reasons_.Stop();
  gates_.Stop();
}

std::shared_ptr<const Answers> PlanLoop::Answer() const {
  const MutexLock lock(mutex_);
  return answers_;
}

absl::Status PlanLoop::InStep() const {
  if (!is_view_late_) return absl::OkStatus();
  return absl::UnavailableError(
      "pod updates from the API server arrive too late: our own writes are not visible yet");
}

void PlanLoop::Nudge() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(nudged_, true)) return;
  }
  wake_.notify_one();
}

void PlanLoop::Publish(absl::Status usable, std::shared_ptr<const Board> board) {
  auto answers = std::make_shared<Answers>(Answers{std::move(usable), std::move(board)});
  const MutexLock lock(mutex_);
  answers_ = std::move(answers);
}

void PlanLoop::Run(const std::stop_token& stop) {
  bool nudged = false;
  while (Await(stop, &nudged)) Step(nudged);
}

// The thread that is stuck reports nothing by itself.
void PlanLoop::Watch(const std::stop_token& stop) {
  while (SleepFor(kIdle, stop)) {
    const auto under_way = pulse_.UnderWay();
    for (Participant* participant : participants_) participant->OnPulse(under_way);
  }
}

std::optional<Time> PlanLoop::next_look() const {
  std::optional<Time> next;
  if (!planned_) return next;  // what was to be looked at waits until there is a plan again
  const auto add = [&next](const std::optional<Time>& look) {
    if (look && (!next || *look < *next)) next = look;
  };
  add(memory_.next_look());
  add(stale_reasons_.next_look());
  add(gates_.next_look());
  add(rivals_.next_look());
  add(kept_nodes_.next_look());
  add(priority_waits_.next_look());
  add(part_times_.next_look());
  for (const Participant* participant : participants_) add(participant->next_look());
  return next;
}

/// False once stop is requested; true when it is time for a round.
bool PlanLoop::Await(const std::stop_token& stop, bool* nudged) {
  const Time now = options_.now();
  const Time next = std::min(next_look().value_or(now + kIdle), now + kIdle);
  const auto until_next = std::max(milliseconds(0), std::chrono::ceil<milliseconds>(next - now));
  MutexLock lock(mutex_);
  wake_.wait_for(lock, stop, until_next,
                 [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return nudged_; });
  if (stop.stop_requested()) return false;
  const auto look = next_look();
  *nudged = nudged_ || (look && *look <= options_.now());
  if (*nudged) {
    // What comes now belongs to the same burst.
    lock.unlock();
    std::this_thread::sleep_for(RestAfter(plan_took_));
    lock.lock();
  }
  nudged_ = false;
  return !stop.stop_requested();
}

absl::Status PlanLoop::Acting() {
  absl::Status acting = leadership_->Now();
  const std::string epoch = leadership_->Epoch();
  for (Participant* participant : participants_) participant->OnActing(acting);
  if (acting.ok() && epoch != epoch_) {
    // Nothing listens any more to answers to calls of the instance before.
    if (!epoch_.empty()) {
      for (Participant* participant : participants_) participant->OnNewScheduler();
      nominations_.Drop();
      reasons_.Drop();
      inbox_->ForgetScheduler();
      memory_.ForgetScheduler(options_.now());
    }
    epoch_ = epoch;
  }
  return acting;
}

void PlanLoop::Step(bool nudged) {
  pulse_.Begin("reading the Lease");
  MakeRound(nudged);
  pulse_.End();
}

void PlanLoop::MakeRound(bool nudged) {
  TakeWritten();
  const absl::Status acting = Acting();
  auto view = cluster_->Take();
  const std::shared_ptr<const Answers> before = Answer();
  planned_ = acting.ok() && view.ok();
  if (!planned_) {
    nominations_.Drop();
    reasons_.Drop();
    gates_.Drop();
    memory_.Pause(options_.now());
    for (Participant* participant : participants_) {
      participant->Pause(options_.now(), leadership_->IsHeldByAnother());
    }
    return Publish(acting.ok() ? view.status() : acting, before->board);
  }
  if (!nudged && before->usable.ok()) return;
  const auto began = std::chrono::steady_clock::now();
  pulse_.GoOn("planning");
  Plan(*view);
  plan_took_ = std::chrono::steady_clock::now() - began;
}

std::map<plan::UnitKey, std::vector<Waiting>> PlanLoop::Waiters() const {
  std::map<plan::UnitKey, std::vector<Waiting>> all;
  for (const Participant* participant : participants_) all.merge(participant->Waiters());
  return all;
}

void PlanLoop::FailWaiter(const plan::UnitKey& gang, const std::string& uid,
                          const std::string& why) {
  for (Participant* participant : participants_) participant->FailWaiter(gang, uid, why);
}

// A waiter is a pod that is there, on a node that it may use: of another one the call fails now.
void PlanLoop::CheckWaiters(const ClusterSnapshot& snapshot, std::span<const PodPtr> pods) {
  const auto waiters = Waiters();
  if (waiters.empty()) return;
  absl::flat_hash_map<std::string_view, const Pod*> by_uid;
  for (const PodPtr& pod : pods) by_uid.emplace(pod->uid, pod.get());
  for (const auto& [gang, waiting] : waiters) {
    for (const Waiting& waiter : waiting) {
      const auto found = by_uid.find(waiter.uid);
      const Pod* pod = found == by_uid.end() ? nullptr : found->second;
      const auto room = plan::RoomOn(snapshot, waiter.node);
      std::string why;
      if (pod == nullptr) {
        why = "the pod is gone";
      } else if (pod->being_deleted) {
        why = "the pod is being deleted";
      } else if (!pod->node_name.empty()) {
        why = fmt::format("the pod is bound to {}", pod->node_name);
      } else if (!room) {
        why = fmt::format("node {} is gone", waiter.node);
      } else if (!room->schedulable && !ToleratesCordon(pod->tolerations)) {
        why = fmt::format("node {} is cordoned", waiter.node);
      }
      if (!why.empty()) FailWaiter(gang, waiter.uid, why);
    }
  }
}

// A pod without a group is kube-scheduler's then, as one that asks for too much by itself.
void PlanLoop::LeaveOutUnlike(std::vector<plan::Unit>* units) {
  const std::string_view reason = plan::TermLimit::Reason();
  for (plan::Unit& unit : terms_.TakeOut(units)) {
    if (unit.key.dialect != plan::Dialect::kNone) {
      resting_.push_back(
          {std::move(unit), std::string(reason), TextOf(plan::GroupCause::kTooMuch)});
    } else {
      notes_.Add(plan::NoteKind::kTooMuch, TextOf(unit.key), reason);
    }
  }
}

// A new pointer only where they change: the planner compares pointers.
void PlanLoop::TakeChecks(const ClusterObjects& objects) {
  if (checks_ != nullptr && checks_->device_resources == objects.device_resources) return;
  auto checks = std::make_shared<plan::SchedulerChecks>(options_.checks);
  checks->device_resources = objects.device_resources;
  checks_ = std::move(checks);
}

plan::GroupOptions PlanLoop::GroupsOf(const ClusterView& view) const {
  plan::GroupOptions groups = options_.groups;
  groups.served = view.objects->served;
  groups.unknown_versions = view.objects->unknown_versions;
  groups.priority_classes = view.objects->priority_classes;
  return groups;
}

// What is refused for claims waits outside of the plan.
void PlanLoop::SeeWithoutCalls(const ClusterView& view, Draft* draft) {
  if (life_.HasBound(draft->pods, draft->groups)) memory_.SeeWork(draft->now);
  bool is_settled = false;  // only where a claim is missing at all
  const auto is_released = [&](const std::string& uid) {
    if (!std::exchange(is_settled, true)) gates_.Settle(draft->now);
    return gates_.IsReleased(uid);
  };
  draft->refused_claims =
      HoldForClaims(*view.objects->claims, is_released, &table_.made().units, &resting_);
}

void PlanLoop::Prepare(const ClusterView& view, Draft* draft) {
  const Time now = draft->now;
  draft->groups = GroupsOf(view);
  TakeChecks(*view.objects);
  draft->options.checks = checks_;
  draft->options.share_kept = true;
  for (Participant* participant : participants_) {
    participant->Prepare(&draft->groups, &draft->options);
  }
  table_.Update(draft->pods, view.objects->pod_groups, draft->groups, &notes_);
  part_times_.Limit(now, &table_.made());
  std::vector<plan::Unit>& units = table_.made().units;
  plan::PinToClaims(*view.objects->claims, units);
  resting_.clear();
  if (options_.mode == Mode::kAlone) SeeWithoutCalls(view, draft);
  memory_.Prepare(Waiters(), *view.snapshot, now, &units, &resting_);
  LeaveOutUnlike(&units);
  kept_nodes_.Prepare(units, now, &draft->options);
}

void PlanLoop::RunPlanner(const ClusterView& view, Draft* draft) {
  std::vector<plan::Unit>& units = table_.made().units;
  const bool alone = options_.mode == Mode::kAlone;
  plan::Plan& planned = draft->plan;
  planned = planner_.Run(view.snapshot, units, draft->options);
  if (kept_nodes_.Adopt(units, planned, *view.snapshot, &draft->options) ||
      (alone && GiveRefusedNodes(planned, units))) {
    planned = planner_.Run(view.snapshot, units, draft->options);
  }
  memory_.KeepAhead(units, draft->now, &planned);
  kept_nodes_.OnPlan(planned, draft->options);
  if (!options_.hold) return;
  priority_waits_.OnPlan(units, *view.snapshot, checks_.get(), !alone, draft->now, &planned);
}

std::shared_ptr<const Board> PlanLoop::MakeBoard(const ClusterView& view, const Draft& draft) {
  const plan::PlanOptions& options = draft.options;
  const std::shared_ptr<const Board> before = Answer()->board;
  return std::make_shared<const Board>(
      Board::Input{.units = table_.made().units,
                   .resting = resting_,
                   .plan = draft.plan,
                   .groups = table_.made().groups,
                   .pods = table_.members(),
                   .snapshot = view.snapshot,
                   .kept_for = options.reserve_for ? &*options.reserve_for : nullptr,
                   .options = options,
                   .hold = options_.hold,
                   .by_priority = draft.groups.order_by_pod_priority,
                   .before = before.get()});
}

Releases PlanLoop::LetGo(const ClusterView& view, const Draft& draft, const Board& board) {
  rivals_.OnPlan(&board, view.snapshot.get(), draft.now);
  const auto keeps_gate = [&](const BoardUnit& unit, std::span<const BoardPod* const> gated) {
    const bool may_keep = kept_nodes_.MayKeepFor(unit.key) || IsPromised(gated);
    return may_keep && rivals_.AnyFor(unit.key, gated);
  };
  Releases releases = gates_.OnPlan({.board = board,
                                     .pods = draft.pods,
                                     .groups = draft.groups,
                                     .nominated = memory_.nominated(),
                                     .refused_claims = draft.refused_claims,
                                     .asks_about_all = draft.calls.asks_about_all,
                                     .keeps_gate = keeps_gate},
                                    draft.now);
  is_view_late_ = gates_.is_view_late();
  memory_.SetAwaitingTurn(AwaitingTurn(releases));
  return releases;
}

void PlanLoop::Plan(const ClusterView& view) {
  Draft draft{.now = options_.now(), .pods = pods_.Of(*view.snapshot), .calls = inbox_->Take()};
  CheckWaiters(*view.snapshot, draft.pods);
  if (options_.asks_about_all) draft.calls.asks_about_all = *options_.asks_about_all;
  const bool asks_about_all = draft.calls.asks_about_all;
  if (!options_.asks_about_all && !asks_about_all) {
    draft.calls.asks_about_all = !AnyAsks(draft.pods);
  }
  memory_.Take(draft.calls, view.snapshot, draft.now);
  Prepare(view, &draft);
  RunPlanner(view, &draft);
  const std::shared_ptr<const Board> board = MakeBoard(view, draft);
  Publish(absl::OkStatus(), board);
  inbox_->moves.OnBoard(*board, draft.calls.moves);
  nominations_.Offer(memory_.Learn(*board, *view.snapshot, draft.now));
  TakeWritten();
  const Releases releases = LetGo(view, draft, *board);
  TakeWritten();
  ShowReasons(*board, draft.now);
  inbox_->AwaitAsks(memory_.awaits_asks());
  kept_nodes_.OnBoard(*board, draft.now);
  const Round round{.view = view,
                    .units = table_.made().units,
                    .options = draft.options,
                    .plan = draft.plan,
                    .board = board,
                    .pods = draft.pods,
                    .notes = notes_.Take(),
                    .timed_out = memory_.TakeTimedOut(),
                    .releases = releases,
                    .mode = options_.mode,
                    .asks_about_all = asks_about_all,
                    .now = draft.now,
                    .goes_on_with = [this](const char* what) { pulse_.GoOn(what); }};
  for (Participant* participant : participants_) participant->OnPlan(round);
}

void PlanLoop::OnWritten(const Nomination& nomination, const absl::Status& status) {
  for (Participant* participant : participants_) participant->OnNomination(nomination, status);
}

void PlanLoop::OnReleased(const Release& release, const absl::Status& status) {
  for (Participant* participant : participants_) participant->OnRelease(release, status);
}

// Before calls are: the scheduler may have asked because of what was written.
void PlanLoop::TakeWritten() {
  NominationWriter::Content content = nominations_.Take();
  const Time now = options_.now();
  for (const NominationWriter::Result& result : content.results) {
    memory_.Nominated(result.nomination, result.written, now, result.began);
  }
  memory_.SetUnderWay(std::move(content.under_way));
  gates_.TakeWritten(now);
}

void PlanLoop::ShowReasons(const Board& board, Time now) {
  for (const auto& result : reasons_.Take().results) {
    stale_reasons_.OnWritten(result.wish.pod->uid, now);
  }
  reasons_.Offer(stale_reasons_.OnPlan(board, now));
}

}  // namespace outrigger::desk
