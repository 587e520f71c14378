#include "safe.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "beta_risk.h"
#include "fmt/format.h"
#include "measured_page.h"

namespace outrigger::safe {
namespace {

constexpr std::array kBoth = {kCpuResource, kMemoryResource};
// Statistics are written again once a window, and an annotator may be away for a moment.
constexpr double kWindowsOfAge = 3;
constexpr double kLeastAge = 300;
constexpr double kFits = 1;  // the answer to Question::Kind::kFits; a rejection is below 0

// "0.41 > 0.30", with as many decimals as it takes to see the difference.
std::string Exceeds(double risk, double limit) {
  for (int decimals = 2; decimals < 9; ++decimals) {
    const std::string left = fmt::format("{:.{}f}", risk, decimals);
    const std::string right = fmt::format("{:.{}f}", limit, decimals);
    if (left != right) return fmt::format("{} > {}", left, right);
  }
  return fmt::format("{} > {}", risk, limit);
}

constexpr std::array kBothStages = {kCpuResource, kMemoryResource};

double Power(double base, double root) {
  if (root == 1) return base;
  return root == 2 ? std::sqrt(base) : std::pow(base, 1 / root);
}

// Notes that there was something. Nobody is told: calls report what they meet.
class Malformations final : public Diagnostics {
 public:
  void Malformed(std::string_view /*node*/, std::string_view /*field*/, std::string_view /*value*/,
                 std::string_view /*accepted*/) override {
    is_any_ = true;
  }
  bool is_any() const { return is_any_; }

 private:
  std::atomic<bool> is_any_ = false;
};

// "+1200m" of cpu, "-64 MiB" of memory.
std::string Signed(Resource resource, const ResourceStatistics& statistics) {
  if (resource == kCpuResource) return fmt::format("{:+.0f}m", statistics.correction);
  return fmt::format("{:+.0f} MiB", statistics.correction / (1 << 20));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Agent>> Safe::Make(const AgentDeps& deps, const Settings& settings) {
  if (settings.overload_weight + settings.balance_weight <= 0) {
    return absl::InvalidArgumentError(
        "overload-weight=0 and balance-weight=0: at least one must be above 0");
  }
  const auto estimate = EstimateFrom(settings);
  if (!estimate.ok()) return estimate.status();
  std::unique_ptr<PodLedger> ledger;
  if (deps.cluster != nullptr && settings.estimate != "none") {
    ledger = std::make_unique<PodLedger>(deps.cluster, PodLedger::Options{.estimate = *estimate,
                                                                          .window = settings.window,
                                                                          .clock = deps.clock,
                                                                          .warn = deps.warn});
  }
  return std::unique_ptr<Agent>(new Safe(deps, settings, std::move(ledger)));
}

Safe::Safe(const AgentDeps& deps, const Settings& settings, std::unique_ptr<PodLedger> ledger)
    : settings_(settings),
      cluster_(deps.cluster),
      log_(deps.log),
      wall_(deps.clock.wall),
      remedy_(fmt::format(" of exceeding {:.4g} percent utilization; less load would help",
                          settings.utilization * 100)),
      remedy_with_request_(fmt::format(
          " of exceeding {:.4g} percent utilization; a smaller request or less load would help",
          settings.utilization * 100)),
      overload_(this, 1),
      balance_(this, 0),
      measured_nodes_(deps),
      ledger_(std::move(ledger)) {}

std::vector<Alias> Safe::Aliases() {
  return {{"/scheduler/predicates/safe-overload", Alias::Verb::kFilter, ""},
          {"/scheduler/priorities/safe-overload", Alias::Verb::kPrioritize, "overload"},
          {"/scheduler/priorities/safe-balance", Alias::Verb::kPrioritize, "balance"}};
}

std::vector<MetricSpec> Safe::Metrics() {
  return {{.kind = MetricSpec::Kind::kGauge,
           .name = std::string(MeasuredNodes::kMetric),
           .help = "1 if the load of a node is known, and not too old, else 0.",
           .label = {},
           .buckets = {}}};
}

std::vector<AccessRule> Safe::Access() {
  AccessRule events{"events.k8s.io", "events", {"create", "patch"}};
  events.in_own_namespace = true;
  return {events};
}

Needs Safe::Reads() const {
  Needs needs = NeedsOfStatistics().PodResources();
  if (settings_.estimate != "none") needs.ClusterPods().PodTimes();
  return needs;
}

std::vector<NamedScorer> Safe::NamedScorers() const {
  return {{"overload", &overload_}, {"balance", &balance_}};
}

double Safe::Now() const {
  return std::chrono::duration<double>(wall_().time_since_epoch()).count();
}

bool Safe::IsMeasured(const Node& node, double now) const {
  const auto stated = ParseMeasured(node.annotations.Get(kMeasuredAnnotation));
  const auto until = StaleAt(stated, stated);
  if (until && *until <= now) return false;
  return MeasuredUse(node, kCpuResource) || MeasuredUse(node, kMemoryResource);
}

AssessmentCache::Session Safe::Open(const Request& request, const Question& question) const {
  const double now = Now();
  measured_nodes_.Look(request.nodes, now, [&](const Node& node) { return IsMeasured(node, now); });
  if (ledger_ != nullptr) ledger_->CatchUp();
  AssessmentCache::Session cache(&cache_, request.nodes, question);
  if (!cache.remembers()) return cache;
  if (ledger_ != nullptr) cache.Forget(ledger_->TakeChanges());
  cache.ForgetStale(Now());
  return cache;
}

Assessment& Safe::Assess(const Request& request, size_t i, AssessmentCache::Session* cache) const {
  Assessment& assessment = cache->At(i);
  const uint64_t revision = request.nodes.Revision(i);
  if (revision != 0 && assessment.revision == revision) return assessment;
  std::optional<double> stale_at;
  assessment = Read(request, request.nodes[i], revision, &stale_at);
  if (stale_at && !assessment.is_stale) cache->ForgetAt(i, *stale_at);
  return assessment;
}

Assessment Safe::Read(const Request& request, const Node& node, uint64_t revision,
                      std::optional<double>* stale_at) const {
  Assessment assessment = {.revision = revision,
                           .statistics = ReadStatistics(request, node, settings_.forecast_weight),
                           .measured = ReadMeasured(request, node)};
  const std::optional<Window> stated = assessment.measured;
  AddNews(node, &assessment);
  *stale_at = StaleAt(stated, assessment.measured);
  assessment.is_stale = *stale_at && **stale_at <= Now();
  if (assessment.is_stale) {
    for (ResourceStatistics& statistics : assessment.statistics) statistics.known = false;
  }
  return assessment;
}

// Of a node that states nothing it is known when its statistics changed, and steady ones do not.
std::optional<double> Safe::StaleAt(const std::optional<Window>& stated,
                                    const std::optional<Window>& measured) const {
  if (settings_.max_age > 0) {
    return measured ? std::optional(measured->end + settings_.max_age) : std::nullopt;
  }
  if (!stated) return std::nullopt;
  return measured->end + std::max(kWindowsOfAge * stated->length, kLeastAge);
}

void Safe::AddNews(const Node& node, Assessment* assessment) const {
  if (ledger_ == nullptr) return;
  const auto news = ledger_->Find(node.name);
  if (!news) return;
  // Of another state of the node than this one: right now, but not for long.
  if (news->revision != assessment->revision) assessment->revision = 0;
  assessment->measured = news->measured;
  for (const Resource resource : kBoth) {
    assessment->statistics[resource].correction = news->correction[resource];
  }
}

double Safe::RiskOf(Assessment* assessment, Resource resource, double demand) const {
  if (assessment->demand[resource] != demand) {
    const auto [mean, deviation] = UtilizationWith(assessment->statistics[resource], demand);
    assessment->risk[resource] = Risk(mean, deviation, settings_.utilization);
    assessment->demand[resource] = demand;
  }
  return assessment->risk[resource];
}

bool Safe::Accepts(Assessment* assessment, Resource resource, double demand) const {
  const ResourceStatistics& statistics = assessment->statistics[resource];
  if (!statistics.known) return true;
  if (assessment->demand[resource] == demand) {
    return assessment->risk[resource] <= settings_.max_risk;
  }
  const auto [mean, deviation] = UtilizationWith(statistics, demand);
  if (const auto decided =
          DecidedByBounds(settings_.max_risk, mean, deviation, settings_.utilization)) {
    return *decided;
  }
  return RiskOf(assessment, resource, demand) <= settings_.max_risk;
}

bool Safe::Fits(Assessment* assessment, const Amounts& demand) const {
  return Accepts(assessment, kCpuResource, demand[kCpuResource]) &&
         Accepts(assessment, kMemoryResource, demand[kMemoryResource]);
}

// Rejected, not Unresolvable: fewer pods do mean less load, so nobody is told that the node is
// hopeless. kube-scheduler's own dry run of preemption cannot see measured load, finds the node
// free as it is, and evicts nobody for it.
Verdict Safe::Reject(Assessment* assessment, const Amounts& demand) const {
  std::string reason;
  std::array<bool, kResources> guilty{};
  bool asks = false;
  for (const Resource resource : kBoth) {
    if (Accepts(assessment, resource, demand[resource])) continue;
    guilty[resource] = true;
    asks = asks || demand[resource] > 0;
    if (!reason.empty()) reason += ", ";
    reason += Name(resource);
    reason += ": risk ";
    reason += Exceeds(RiskOf(assessment, resource, demand[resource]), settings_.max_risk);
  }
  reason += asks ? remedy_with_request_ : remedy_;
  if (guilty[kCpuResource] && guilty[kMemoryResource]) {
    return Verdict::Rejected("cpu-and-memory-risk", "{}", reason);
  }
  if (guilty[kCpuResource]) return Verdict::Rejected("cpu-risk", "{}", reason);
  return Verdict::Rejected("memory-risk", "{}", reason);
}

absl::Status Safe::Filter(const Request& request, std::span<Verdict> verdicts) const {
  const Amounts demand = DemandOf(request.pod);
  const Question question{.kind = Question::Kind::kFits, .demand = demand};
  AssessmentCache::Session cache = Open(request, question);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    if (const double* const known = cache.Answer(i); known != nullptr) {
      if (*known != kFits) verdicts[i] = cache.RejectionOf(*known);
      continue;
    }
    Assessment& assessment = Assess(request, i, &cache);
    if (Fits(&assessment, demand)) {
      if (assessment.revision != 0) cache.Remember(i, kFits);
    } else {
      verdicts[i] = Reject(&assessment, demand);
      if (assessment.revision != 0) cache.Remember(i, verdicts[i]);
    }
  }
  return absl::OkStatus();
}

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

double Safe::OverloadShare() const {
  return settings_.overload_weight / (settings_.overload_weight + settings_.balance_weight);
}

absl::Status Safe::Score(const Request& request, std::span<NodeScore> scores) const {
  ScoreAll(request, OverloadShare(), scores);
  return absl::OkStatus();
}

absl::Status Safe::Part::Score(const Request& request, std::span<NodeScore> scores) const {
  safe_->ScoreAll(request, overload_share_, scores);
  return absl::OkStatus();
}

std::vector<PageSpec> Safe::Pages() const {
  return {MeasuredPage(settings_)};
}

absl::Status Safe::FillPage(std::string_view /*page*/, PageTable* table) const {
  if (cluster_ == nullptr) {
    return absl::UnavailableError(
        "the nodes of the cluster are not known: leave out --watch=false and give --kubeconfig "
        "FILE, or run in a pod");
  }
  const auto view = cluster_->Take();
  if (!view.ok()) return view.status();
  if (ledger_ != nullptr) ledger_->CatchUp();
  std::vector<const Node*> nodes;
  nodes.reserve(view->snapshot->NodeCount());
  view->snapshot->ForEachNode([&](const NodeView& node) { nodes.push_back(&node.node()); });
  std::ranges::sort(nodes, {}, [](const Node* node) -> const std::string& { return node->name; });
  for (const Node* const node : nodes) {
    if (table->full()) {
      table->Count(1);
    } else {
      AddNode(*node, table);
    }
  }
  return absl::OkStatus();
}

void Safe::AddNode(const Node& node, PageTable* table) const {
  const Pod asks_for_nothing = {};
  Malformations malformed;
  const Request request{.pod = asks_for_nothing, .nodes = {}, .diagnostics = malformed};
  const Amounts demand = DemandOf(request.pod);
  std::optional<double> stale_at;
  Assessment assessment = Read(request, node, node.revision, &stale_at);
  NodeAnswer answer{.node = node.name, .assessment = assessment};
  answer.fits = Fits(&assessment, demand);
  for (const Resource resource : kBoth) {
    if (!assessment.statistics[resource].known) continue;
    answer.risk[resource] = RiskOf(&assessment, resource, demand[resource]);
  }
  answer.score = NodeValue(&assessment, demand, OverloadShare());
  answer.overload = NodeValue(&assessment, demand, /*overload_share=*/1);
  answer.balance = NodeValue(&assessment, demand, /*overload_share=*/0);
  answer.has_malformed = malformed.is_any();
  AddRow(answer, settings_, Now(), table);
}

OUTRIGGER_AGENT(Safe, Settings)

}  // namespace outrigger::safe
