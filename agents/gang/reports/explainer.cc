#include "reports/explainer.h"

#include <utility>

#include "fmt/format.h"

namespace outrigger::gang {
namespace {

// The pod by itself, on these nodes only.
plan::Unit Alone(const Offers::Offer& offer) {
  plan::Unit unit;
  unit.key = {plan::Dialect::kNone, offer.pod->namespace_, offer.pod->name, offer.pod->uid};
  plan::Member& member = unit.members.emplace_back();
  member.pod = offer.pod;
  NodeSelector& nodes = member.pinned.emplace_back();
  for (const std::string& node : offer.nodes) {
    nodes.terms.emplace_back().match_fields.push_back(
        {"metadata.name", SelectorOperator::kIn, {node}});
  }
  return unit;
}

// Alone() makes the nodes those of a claim.
std::string CauseOf(const plan::Cause& cause) {
  if (cause.kind != plan::Cause::Class::kClaims) return TextOf(cause);
  return cause.detail.empty() ? "selector, affinity or taint" : cause.detail;
}

}  // namespace

void Explainer::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Explainer::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

bool Explainer::IsIdle() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !job_ && !is_working_ && !explained_;
}

void Explainer::Begin(Job job) {
  if (!thread_.joinable()) {
    explained_ = Work(job, {});
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    job_ = std::move(job);
  }
  wake_.notify_one();
}

std::optional<Explainer::Explained> Explainer::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(explained_, std::nullopt);
}

void Explainer::Run(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return job_.has_value(); })) return;
      job = *std::exchange(job_, std::nullopt);
      is_working_ = true;
    }
    Explained explained = Work(job, stop);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_working_ = false;
      explained_ = std::move(explained);
    }
    if (changed_ && !stop.stop_requested()) changed_();
  }
}

Explainer::Explained Explainer::Work(const Job& job, const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  if (!job.offered.empty()) {
    std::string refused = RefusedAlone(job);
    return {.gang = job.gang,
            .text = std::move(refused),
            .judged = true,
            .took = std::chrono::steady_clock::now() - began};
  }
  plan::Shortfall shortfall =
      planner_.Explain(job.snapshot, job.units, job.index, job.options, stop);
  return {.gang = job.units[job.index].key,
          .word = job.word,
          .kept = job.kept,
          .text = std::move(shortfall.text),
          .took = std::chrono::steady_clock::now() - began};
}

// The first pod that the plan refuses on nodes that kube-scheduler has let pass.
std::string Explainer::RefusedAlone(const Job& job) {
  for (const Offers::Offer& offer : job.offered) {
    const plan::Unit unit = Alone(offer);
    const plan::Plan plan = planner_.Run(job.snapshot, {&unit, 1}, job.options);
    if (plan.units[0].fits) continue;
    return fmt::format("pod {}/{} on node {} ({})", offer.pod->namespace_, offer.pod->name,
                       offer.nodes[0], CauseOf(plan.units[0].cause));
  }
  return "";
}

}  // namespace outrigger::gang
