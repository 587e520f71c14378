#include "gang/desk/desk.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "gang/desk/calls/admission.h"
#include "gang/desk/calls/inbox.h"
#include "gang/desk/desk_settings.h"
#include "gang/desk/leadership.h"
#include "gang/desk/leadership/own_lease.h"
#include "gang/desk/leadership/scheduler_lease.h"
#include "gang/desk/pages.h"
#include "gang/desk/plan_loop.h"
#include "gang/desk/reasons.h"

namespace outrigger::desk {
namespace {

using Outcome = Admission::Outcome;

bool IsIn(Scope scope, const Board& board, const Pod& pod) {
  if (scope == Scope::kAll || scope == Scope::kNone) return scope == Scope::kAll;
  return (scope == Scope::kMembers) == IsMember(board, pod);
}

std::vector<std::string> NamesOf(const Request& request) {
  std::vector<std::string> passed;
  passed.reserve(request.nodes.size());
  for (const auto& node : request.nodes) passed.emplace_back(node.name);
  return passed;
}

}  // namespace

class Desk::State {
 public:
  State(ClusterAccess* access, std::function<void(std::string_view line)> log, DeskDrive how,
        SchedulerFacts known)
      : cluster(access), warn(std::move(log)), drive(std::move(how)), settings(std::move(known)) {
    options.now = drive.now;
    options.warn = warn;
  }

  void Build() {
    const auto changed = [this] { Nudge(); };
    if (settings.mode() == Mode::kAlone) {
      leadership = std::make_unique<OwnLease>(cluster, settings.OwnLease(), changed);
    } else {
      SchedulerLease::Options lease = settings.Lease();
      lease.now = drive.now;
      leadership = std::make_unique<SchedulerLease>(cluster, std::move(lease), changed, warn);
    }
    // Agent gang alone binds members together; with qos alone what fits starts.
    const auto joined = [this](std::string_view agent) {
      return std::find(agents.begin(), agents.end(), agent) != agents.end();
    };
    options.groups.all_or_none = joined("gang") || !joined("qos");
    loop = std::make_unique<PlanLoop>(cluster, leadership.get(), &inbox, participants, options);
    is_built.store(true, std::memory_order_release);
  }
  // Tells the planning thread what a filter call came to.
  void OnAnswered(const Request& request, const Admission& admission, Time now) {
    const auto asked = [&](bool rejected) {
      if (inbox.Asked(request.pod.uid, {.at = now, .rejected = rejected})) Nudge();
    };
    switch (admission.outcome) {
      case Outcome::kPasses:
        break;
      case Outcome::kReserved:
        asked(/*rejected=*/false);
        break;
      case Outcome::kWaits:
        asked(/*rejected=*/true);
        break;
      case Outcome::kMoved:
        asked(/*rejected=*/false);
        Nudge();
        break;
      case Outcome::kNotOffered:
        asked(/*rejected=*/true);
        if (request.pod.nominated_node_name == admission.node) {
          inbox.Refused({.pod = request.pod.namespace_ + "/" + request.pod.name,
                         .uid = request.pod.uid,
                         .node = admission.node,
                         .why = std::string(kNotPassed),
                         .passed = NamesOf(request)});
        }
        Nudge();
        break;
    }
  }

  // Calls, and threads of participants, may come before the desk starts: null then.
  PlanLoop* Loop() const { return is_built.load(std::memory_order_acquire) ? loop.get() : nullptr; }
  void Nudge() {
    if (PlanLoop* const running = Loop(); running != nullptr) running->Nudge();
  }

  ClusterAccess* const cluster;
  const std::function<void(std::string_view line)> warn;
  const DeskDrive drive;
  DeskSettings settings;
  PlanningOptions options;
  std::vector<Participant*> participants;
  std::vector<std::string> agents;
  std::vector<std::function<void(PlanningOptions* options)>> adjusts;
  size_t started = 0;
  std::set<std::string, std::less<>> stopped;

  Inbox inbox;
  std::unique_ptr<Leadership> leadership;
  std::unique_ptr<PlanLoop> loop;
  std::atomic<bool> is_built = false;  // guards the two before
};

std::shared_ptr<Desk> Desk::Of(const AgentDeps& deps) {
  const auto make = [&deps] {
    return std::make_shared<Desk>(deps.cluster, deps.warn, DeskDrive(), deps.scheduler);
  };
  return deps.shared == nullptr ? make() : deps.shared->GetOrMake<Desk>(make);
}

Desk::Desk(ClusterAccess* cluster, std::function<void(std::string_view line)> warn, DeskDrive drive,
           SchedulerFacts scheduler)
    : state_(std::make_unique<State>(cluster, std::move(warn), std::move(drive),
                                     std::move(scheduler))) {}

Desk::~Desk() {
  for (const std::string& agent : state_->agents) Stop(agent);
}

absl::Status Desk::Join(const DeskTerms& terms) {
  absl::Status joined = state_->settings.Add(terms);
  if (!joined.ok()) return joined;
  if (terms.adjust) state_->adjusts.push_back(terms.adjust);
  // What an agent has adjusted stays, whichever joins after it.
  state_->settings.Apply(&state_->options);
  for (const auto& adjust : state_->adjusts) adjust(&state_->options);
  PlanningOptions& options = state_->options;
  options.mode = terms.mode;
  state_->agents.push_back(terms.agent);
  if (terms.participant != nullptr) state_->participants.push_back(terms.participant);
  return absl::OkStatus();
}

bool Desk::HasJoined(std::string_view agent) const {
  return std::find(state_->agents.begin(), state_->agents.end(), agent) != state_->agents.end();
}

// Participants have their threads by then.
absl::Status Desk::Start() {
  if (state_->cluster == nullptr) {
    return absl::FailedPreconditionError(
        "needs the API server: set --kubeconfig FILE, or run in a pod");
  }
  if (++state_->started < state_->agents.size()) return absl::OkStatus();
  state_->Build();
  if (state_->drive.by_hand) {
    state_->loop->StartByHand();
    return absl::OkStatus();
  }
  absl::Status leads = state_->leadership->Start();
  if (leads.ok()) state_->loop->Start();
  return leads;
}

void Desk::Stop(std::string_view agent) {
  if (state_->Loop() == nullptr) return;
  state_->stopped.emplace(agent);
  state_->loop->Stop();
  const bool is_last =
      std::all_of(state_->agents.begin(), state_->agents.end(),
                  [this](const std::string& joined) { return state_->stopped.contains(joined); });
  if (is_last) state_->leadership->Stop();
}

void Desk::Step() {
  state_->loop->StepByHand();
}

std::optional<Time> Desk::NextStep() const {
  return state_->loop->NextByHand();
}

absl::StatusOr<std::shared_ptr<const Board>> Desk::Plan() const {
  const PlanLoop* const loop = state_->Loop();
  if (loop == nullptr) return absl::UnavailableError("starting: there is no plan yet");
  const auto answers = loop->Answer();
  if (absl::Status may = loop->MayAnswerBy(*answers); !may.ok()) return may;
  return answers->board;
}

absl::Status Desk::Live() const {
  const PlanLoop* const loop = state_->Loop();
  return loop == nullptr ? absl::OkStatus() : loop->pulse().Live();
}

absl::Status Desk::Filter(const Request& request, Scope scope, std::span<Verdict> verdicts) {
  const auto now = state_->drive.now();
  state_->inbox.Called(now, request.pod);
  const auto board = Plan();
  if (!board.ok()) return board.status();
  const Pod& pod = request.pod;
  if (!IsIn(scope, **board, pod)) return absl::OkStatus();
  const Admission admission = Admit(**board, request, verdicts, &state_->inbox.moves);
  state_->OnAnswered(request, admission, now);
  return absl::OkStatus();
}

bool Desk::MayBindAt(const Board& board, const BoardPod& seat, std::string_view node) const {
  return state_->inbox.moves.PlaceOf(board, seat) == node;
}

void Desk::ChooseVictims(const Board& board, const PreemptRequest& request,
                         std::vector<NodeVictims>* chosen) {
  desk::ChooseVictims(board, request, chosen);
}

void Desk::OnNoVictims(const Board& board, const Pod& pod) {
  const bool awaited = state_->inbox.Asked(pod.uid, {.at = state_->drive.now(), .rejected = true});
  if (awaited) Nudge();
  // The scheduler looks for victims after it has looked at the node for which it was nominated.
  const BoardPod* const seat = board.Find(pod.uid);
  if (seat == nullptr || seat->node.empty() || pod.nominated_node_name != seat->node) return;
  state_->inbox.Refused(
      {pod.namespace_ + "/" + pod.name, pod.uid, seat->node, std::string(kNotPassed)});
  Nudge();
}

std::vector<PageSpec> Desk::PagesOf(std::string_view agent) const {
  const std::string_view offers = HasJoined("qos") ? "qos" : "gang";
  return agent == offers ? DeskPages() : std::vector<PageSpec>();
}

absl::Status Desk::FillPage(std::string_view page, PageTable* table) const {
  const auto board = Plan();
  if (!board.ok()) return board.status();
  const auto why = [this](const plan::UnitKey& gang, std::string_view word) {
    std::string text;
    for (const Participant* participant : state_->participants) {
      if (text.empty()) text = participant->WhyWaits(gang, word);
    }
    return text;
  };
  return FillDeskPage(page, **board, why, table);
}

void Desk::OnGaveUp(const plan::UnitKey& gang, std::chrono::milliseconds after) {
  state_->inbox.GaveUp(gang, after);
  Nudge();
}

void Desk::Nudge() {
  state_->Nudge();
}

absl::Status Desk::InStep() const {
  const auto loop = state_->Loop();
  return loop == nullptr ? absl::UnavailableError("starting: not in charge yet") : loop->InStep();
}

absl::Status Desk::MayAct(const CallLimits& limits) const {
  absl::Status in_step = InStep();
  return in_step.ok() ? state_->leadership->Ask(limits) : in_step;
}

absl::StatusOr<WritePermit> Desk::MayWrite(const CallLimits& limits) const {
  if (state_->Loop() == nullptr) return absl::UnavailableError("starting: not in charge yet");
  return state_->leadership->MayWrite(limits);
}

bool Desk::AnotherActs() const {
  return state_->Loop() != nullptr && state_->leadership->IsHeldByAnother();
}

}  // namespace outrigger::desk
