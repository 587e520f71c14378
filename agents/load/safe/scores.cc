// The scores of the safe agent; see the class comment for the formulas.
#include <algorithm>
#include <cmath>
#include <string>

#include "beta_risk.h"
#include "fmt/format.h"
#include "safe.h"

namespace outrigger::safe {
namespace {

constexpr std::array kBothStages = {kCpuResource, kMemoryResource};

double Power(double base, double root) {
  if (root == 1) return base;
  return root == 2 ? std::sqrt(base) : std::pow(base, 1 / root);
}

// "+1200m" of cpu, "-64 MiB" of memory.
std::string Signed(Resource resource, const ResourceStatistics& statistics) {
  if (resource == kCpuResource) return fmt::format("{:+.0f}m", statistics.correction);
  return fmt::format("{:+.0f} MiB", statistics.correction / (1 << 20));
}

}  // namespace

double Safe::OverloadScore(double risk) const {
  const double limit = settings_.max_risk;
  if (limit == 0) return risk == 0 ? 1 : 0;
  const double share = std::min(risk / limit, 1.0);
  // Tenths are whole points of the wire, so nothing is left to round there.
  return std::trunc((1 - std::sqrt(share)) * 10) / 10;
}

double Safe::BalanceScore(const Utilization& utilization) const {
  const double deviation = Power(utilization.deviation, settings_.sensitivity);
  const double variability = std::min(settings_.margin * deviation, 1.0);
  return 1 - (utilization.mean + variability) / 2;
}

double Safe::NodeValue(Assessment* assessment, const Amounts& demand, double overload_share) const {
  bool known = false;
  double overload = 1;
  double balance = 1;
  for (const Resource resource : kBothStages) {
    const ResourceStatistics& statistics = assessment->statistics[resource];
    if (!statistics.known) continue;
    known = true;
    if (overload_share > 0) {
      overload = std::min(overload, OverloadScore(RiskOf(assessment, resource, demand[resource])));
    }
    if (overload_share < 1) {
      balance = std::min(balance, BalanceScore(UtilizationWith(statistics, demand[resource])));
    }
  }
  if (!known) return settings_.no_statistics_score / 10;
  if (overload_share == 1) return overload;
  if (overload_share == 0) return balance;
  return overload_share * overload + (1 - overload_share) * balance;
}

std::string Safe::Figures(Assessment* assessment, const Amounts& demand) const {
  std::string figures;
  for (const Resource resource : kBothStages) {
    if (!figures.empty()) figures += "; ";
    figures += FiguresOf(assessment, resource, demand[resource]);
  }
  if (!assessment->measured) return figures;
  const Window& measured = *assessment->measured;
  return figures + fmt::format("; measured {:.0f} s ago over {:.0f} s{}", Now() - measured.end,
                               measured.length, assessment->is_stale ? ", too old" : "");
}

std::string Safe::FiguresOf(Assessment* assessment, Resource resource, double demand) const {
  const ResourceStatistics& statistics = assessment->statistics[resource];
  if (!statistics.known) return fmt::format("{}: no statistics", Name(resource));
  const Utilization with_pod = UtilizationWith(statistics, demand);
  std::string text = fmt::format("{}: use {:.1f} % +- {:.1f} %", Name(resource),
                                 with_pod.mean * 100, with_pod.deviation * 100);
  if (statistics.correction != 0) {
    text += fmt::format(" with {} for pods that came or went", Signed(resource, statistics));
  }
  if (const auto shape = ShapeOf(with_pod.mean, with_pod.deviation)) {
    text += fmt::format(", alpha {:.3g}, beta {:.3g}", shape->alpha, shape->beta);
  }
  return text + fmt::format(", risk {:.3g}, balance {:.2f}", RiskOf(assessment, resource, demand),
                            BalanceScore(with_pod));
}

void Safe::ScoreAll(const Request& request, double overload_share,
                    std::span<NodeScore> scores) const {
  const Amounts demand = DemandOf(request.pod);
  const Question question{
      .kind = Question::Kind::kScore, .demand = demand, .overload_share = overload_share};
  AssessmentCache::Session cache = Open(request, question);
  const bool figures_wanted = request.explaining || settings_.print_table;
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    const double* const known = cache.Answer(i);
    if (known != nullptr && !figures_wanted) {
      scores[i].value = *known;
      continue;
    }
    Assessment& assessment = Assess(request, i, &cache);
    scores[i].value = NodeValue(&assessment, demand, overload_share);
    if (assessment.revision != 0) cache.Remember(i, scores[i].value);
    if (figures_wanted) Explain(request, i, Figures(&assessment, demand), &scores[i]);
  }
}

void Safe::Explain(const Request& request, size_t i, const std::string& figures,
                   NodeScore* score) const {
  if (request.explaining) score->why = figures;
  if (!settings_.print_table) return;
  log_(fmt::format("pod={}/{} node={} {}; score {:.2f}", request.pod.namespace_, request.pod.name,
                   request.nodes[i].name, figures, score->value));
}

absl::Status Safe::Score(const Request& request, std::span<NodeScore> scores) const {
  const double weights = settings_.overload_weight + settings_.balance_weight;
  ScoreAll(request, settings_.overload_weight / weights, scores);
  return absl::OkStatus();
}

absl::Status Safe::Part::Score(const Request& request, std::span<NodeScore> scores) const {
  safe_->ScoreAll(request, overload_share_, scores);
  return absl::OkStatus();
}

OUTRIGGER_AGENT(Safe, Settings)

}  // namespace outrigger::safe
