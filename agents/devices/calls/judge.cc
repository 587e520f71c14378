#include "calls/judge.h"

#include <string>
#include <utility>
#include <variant>

namespace outrigger::devices::agent {
namespace {

// One node has the reason: so the message stays small at any number of nodes.
void RejectAll(const Verdict& verdict, std::span<Verdict> verdicts) {
  for (size_t i = 0; i < verdicts.size(); ++i) {
    verdicts[i] = i == 0 ? verdict : Verdict::LeftOut();
  }
}

std::string WhyOf(const outrigger::Request& request, const Scores& scores) {
  return request.Why("packing {:.3g}, intact {:.3g}, choice {:.3g}", scores.packing, scores.intact,
                     scores.choice);
}

// Open claims that hold something all the same: an allocation that was begun.
std::vector<std::string> Begun(const Contents& contents, const PodDemand& demand) {
  std::vector<std::string> names = demand.OpenHolders();
  std::erase_if(names, [&](const std::string& name) { return contents.HeldBy(name).empty(); });
  return names;
}

}  // namespace

absl::Status Judge::Usable(Verdict* verdict) const {
  absl::Status usable = store_.Usable();
  if (!absl::IsNotFound(usable)) return usable;
  *verdict = Verdict::Unresolvable("not served", "{} (apply deploy/devices)",
                                   std::string(usable.message()));
  return absl::OkStatus();
}

Judge::Look Judge::Ask(const Contents& contents, const PodDemand& demand, Call judge) const {
  const Inventory& inventory = contents.inventory();
  auto resolved = allocator_.TryResolve(inventory, demand.Open());
  if (auto* pending = std::get_if<Pending>(&resolved)) {
    return {.verdict = {}, .is_done = false, .pending = std::move(*pending)};
  }
  const auto& of_claims = std::get<Demand>(resolved);
  if (!of_claims.invalid().empty()) {
    return {allocator_.Allocate(inventory, of_claims, "", Parts::kVerdict).verdict};
  }
  return {.verdict = Verdict::Fits(), .is_done = judge(inventory, demand, of_claims)};
}

Judge::Look Judge::LookAt(const Contents& contents, Contents* alone, const Wanted& wanted,
                          Call judge) const {
  const PodDemand demand = DemandOf(contents, wanted);
  if (!demand.verdict.fits()) return {.verdict = demand.verdict};
  std::vector<std::string> begun = Begun(contents, demand);
  if (begun.empty()) return Ask(contents, demand, judge);
  if (alone == nullptr) return {.verdict = {}, .is_done = false, .has_begun = true};
  const Contents::Without aside(alone, std::move(begun));
  return Ask(contents, demand, judge);
}

absl::StatusOr<Verdict> Judge::With(const Wanted& wanted, const std::stop_token& stop,
                                    Call judge) const {
  Look look;
  for (int evaluations = 0; !stop.stop_requested();) {
    if (look.has_begun) {
      store_.LookAlone(
          [&](Contents* contents) { look = LookAt(*contents, contents, wanted, judge); });
    } else {
      store_.Look([&](const Contents& contents) {
        look = LookAt(contents, /*alone=*/nullptr, wanted, judge);
      });
    }
    if (look.has_begun) continue;
    if (!look.pending.has_value()) {
      if (look.is_done) return look.verdict;
      evaluations = 0;
      continue;
    }
    if (++evaluations > kMostEvaluations) {
      return absl::UnavailableError("devices change faster than expressions can be evaluated");
    }
    absl::Status found = allocator_.FindOut(*look.pending, stop);
    if (!found.ok()) return found;
  }
  return absl::CancelledError("the caller disconnected");
}

absl::StatusOr<Verdict> Judge::AskNodes(
    const outrigger::Request& request, Parts parts,
    absl::FunctionRef<void(size_t node, Answer answer)> take) const {
  Wanted wanted = WantedBy(request.pod);
  if (!wanted.verdict.fits() || wanted.claims.empty()) return wanted.verdict;
  const absl::Status usable = Usable(&wanted.verdict);
  if (!usable.ok()) return usable;
  if (!wanted.verdict.fits()) return wanted.verdict;
  Nodes nodes(allocator_, request.nodes.size(), &first_);
  return With(wanted, request.abandoned,
              [&](const Inventory& inventory, const PodDemand& demand, const Demand& resolved) {
                return nodes.Next([&](size_t i, int64_t budget) -> int64_t {
                  const std::string& node = request.nodes[i].name;
                  Answer answer;
                  answer.verdict = demand.VerdictOf(node);
                  if (answer.verdict.fits()) {
                    answer = allocator_.Allocate(inventory, resolved, node, parts, budget);
                  }
                  const int64_t steps = answer.steps;
                  take(i, std::move(answer));
                  return steps;
                });
              });
}

absl::Status Judge::Filter(const outrigger::Request& request, std::span<Verdict> verdicts,
                           bool* unresolved) const {
  const auto all = AskNodes(request, Parts::kVerdict, [&](size_t i, Answer answer) {
    verdicts[i] = std::move(answer.verdict);
  });
  if (!all.ok()) return all.status();
  *unresolved = !all->fits();
  if (*unresolved) RejectAll(*all, verdicts);
  return absl::OkStatus();
}

absl::Status Judge::Score(const outrigger::Request& request, std::span<NodeScore> scores) const {
  return AskNodes(request, Parts::kScores,
                  [&](size_t i, const Answer& answer) {
                    if (!answer.verdict.fits()) return;
                    scores[i].value = answer.scores.total;
                    scores[i].why = WhyOf(request, answer.scores);
                  })
      .status();
}

}  // namespace outrigger::devices::agent
