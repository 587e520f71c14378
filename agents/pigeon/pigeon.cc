#include "pigeon.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "demand/pigeon_metrics.h"
#include "fmt/format.h"

namespace outrigger::pigeon {
namespace {

constexpr const char* kName = "pigeon";
constexpr std::chrono::seconds kLastSave{2};  // as long as the end of the process may wait

std::unique_ptr<SharedModel> MakeModel(const AgentDeps& deps, const Options& options) {
  if (deps.cluster == nullptr || options.original) return nullptr;
  return std::unique_ptr<SharedModel>(  // NOLINT(modernize-make-unique): an aggregate
      new SharedModel{{}, ClusterModel(&options.resources, options.prime)});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Agent>> Pigeon::Make(const AgentDeps& deps,
                                                    const Settings& settings) {
  auto options = OptionsFrom(settings, deps.given);
  if (!options.ok()) return options.status();
  std::unique_ptr<Pigeon> agent(new Pigeon(deps, settings, *std::move(options)));
  // What is stored in a file is read at once: `outrigger explain` starts nothing.
  if (!settings.state.empty()) {
    const absl::Status made = agent->MakeKeeper();
    if (!made.ok()) return made;
    if (agent->keeper_ != nullptr) agent->keeper_->Round({});
  }
  return agent;
}

// model_ looks at options_, which is there before it.
Pigeon::Pigeon(const AgentDeps& deps, const Settings& settings, Options options)
    : deps_(deps),
      settings_(settings),
      options_(std::move(options)),
      model_(MakeModel(deps, options_)),
      original_(options_.original ? std::make_unique<OriginalModel>(options_) : nullptr),
      book_(options_.resources.size()) {}

absl::Status Pigeon::MakeKeeper() {
  if (keeper_ != nullptr || original_ != nullptr) return absl::OkStatus();
  auto store = MakeStateStore({.namespace_ = settings_.name_space,
                               .config_map = StateConfigMap(kName),
                               .file = settings_.state},
                              deps_);
  if (!store.ok()) return store.status();
  keeper_ = std::make_unique<DemandKeeper>(*std::move(store), &book_, &options_.resources, deps_);
  return absl::OkStatus();
}

std::vector<Alias> Pigeon::Aliases() {
  return {{"/scheduler/predicates/pigeon-holing", Alias::Verb::kFilter, ""},
          {"/scheduler/priorities/pigeon-holing", Alias::Verb::kPrioritize, ""}};
}

std::vector<MetricSpec> Pigeon::Metrics() {
  return PigeonMetrics();
}

std::vector<AccessRule> Pigeon::Access() {
  return StateStoreAccess(StateConfigMap(kName));
}

Needs Pigeon::Reads() const {
  Needs needs = Needs().NodeAllocatable().NodeTaints().PodResources();
  // Where there is no cluster, too: rights follow from it.
  if (original_ == nullptr) needs.ClusterPods();
  if (HasModel()) return needs;
  for (size_t i = 0; i < options_.resources.size(); ++i) {
    needs.NodeAnnotations({options_.resources[i].annotation});
  }
  return needs;
}

absl::Status Pigeon::Start() {
  // Not before: agents are also made to be asked what they are.
  for (const std::string& note : options_.notes) deps_.warn(note);
  absl::Status made = MakeKeeper();
  if (!made.ok() || keeper_ == nullptr) return made;
  const auto interval =
      std::chrono::milliseconds(static_cast<int64_t>(settings_.save_interval * 1000));
  keeping_ =
      std::jthread([this, interval](const std::stop_token& stop) { keeper_->Run(interval, stop); });
  return absl::OkStatus();
}

void Pigeon::Stop() {
  if (!keeping_.joinable()) return;
  keeping_.request_stop();
  keeping_.join();
  keeper_->Round({.timeout = kLastSave});
}

absl::StatusOr<std::shared_ptr<const ClusterSnapshot>> Pigeon::TakeSnapshot() const {
  if (!HasModel()) return nullptr;
  auto view = deps_.cluster->Take();
  if (!view.ok()) return view.status();
  return std::move(view->snapshot);
}

// A pod that fits nowhere is not counted: kube-scheduler may try it for days.
void Pigeon::Learn(const Request& request, const Amounts& asked, Scene* scene) const {
  if (book_.Bound(scene->fleet().largest())) {
    deps_.warn(
        "the statistics of demand start from nothing: their pods ask for a hundred times as much "
        "as any node has");
  }
  bool fits = false;
  for (size_t i = 0; i < request.nodes.size() && !fits; ++i) {
    const Candidate node = scene->At(i);
    fits = node.known && Fits(node, asked);
  }
  if (fits && book_.Count(request.pod, options_.resources.AtLeast(asked))) {
    deps_.metrics->Add(metric::kPods, "", 1);
  }
}

// Nothing is asked of a resource: it is not looked at, as kube-scheduler does not.
bool Pigeon::Fits(const Candidate& node, const Amounts& asked) {
  for (size_t r = 0; r < asked.size(); ++r) {
    if (asked[r] > 0 && asked[r] > node.Free(r)) return false;
  }
  return true;
}

Verdict Pigeon::Check(const Candidate& node, const Amounts& asked) const {
  if (Fits(node, asked)) return {};
  std::string reason;
  bool too_small = false;
  for (size_t r = 0; r < asked.size(); ++r) {
    if (asked[r] <= 0 || asked[r] <= node.Free(r)) continue;
    too_small = too_small || asked[r] > node.capacity[r];
    reason += fmt::format("{}: {} asked, {} free; ", options_.resources[r].name,
                          options_.resources.Text(r, asked[r]),
                          options_.resources.Text(r, std::max(node.Free(r), 0.0)));
    if (reason.size() > 200) break;
  }
  if (too_small)
    return Verdict::Unresolvable("too-small", "{}a smaller request would help", reason);
  return Verdict::Rejected("does-not-fit", "{}fewer pods or a smaller request would help", reason);
}

absl::Status Pigeon::Filter(const Request& request, std::span<Verdict> verdicts) const {
  if (original_ != nullptr) {
    original_->Filter(request, verdicts);
    return absl::OkStatus();
  }
  const Amounts asked = options_.resources.AskedBy(request);
  auto snapshot = TakeSnapshot();
  if (!snapshot.ok()) return snapshot.status();
  Scene scene(request, options_.resources, options_.prime, model_.get(), *std::move(snapshot));
  Learn(request, asked, &scene);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    const Candidate node = scene.At(i);
    if (node.known) verdicts[i] = Check(node, asked);
  }
  return absl::OkStatus();
}

absl::Status Pigeon::Score(const Request& request, std::span<NodeScore> scores) const {
  if (original_ != nullptr) {
    original_->Score(request, scores);
    return absl::OkStatus();
  }
  const Amounts asked = options_.resources.AskedBy(request);
  const Amounts counted = options_.resources.AtLeast(asked);
  auto snapshot = TakeSnapshot();
  if (!snapshot.ok()) return snapshot.status();
  Scene scene(request, options_.resources, options_.prime, model_.get(), *std::move(snapshot));
  Learn(request, asked, &scene);
  const Demand demand = book_.demand();
  const Judge judge(options_.objective, scene.fleet(), demand, counted);
  const auto nodes = static_cast<size_t>(scene.fleet().sums().nodes);
  std::vector<std::optional<double>> values(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    const Candidate node = scene.At(i);
    const Verdict verdict = node.known ? Check(node, asked) : Verdict();
    if (!node.known || !verdict.fits()) {
      scores[i].why = request.Why("{}", node.known ? verdict.reason() : "the node is not known");
      continue;
    }
    const Judgement judgement =
        node.row ? judge.OnRow(*node.row) : judge.OnOther(node.capacity, node.used);
    values[i] = judgement.value;
    if (request.explaining) scores[i].why = Why(judge, judgement, demand, nodes);
  }
  const std::vector<double> points = ScoresOf(values, nodes);
  // Sums of other orders differ in the last bits; a millionth of a point is nothing.
  for (size_t i = 0; i < scores.size(); ++i) scores[i].value = std::round(points[i] * 1e6) / 1e7;
  deps_.metrics->Set(metric::kDemandGamma, "", judge.demand_gamma());
  deps_.metrics->Set(metric::kNodes, "", scene.fleet().sums().nodes);
  return absl::OkStatus();
}

std::string Pigeon::Why(const Judge& judge, const Judgement& judgement, const Demand& demand,
                        size_t nodes) const {
  if (options_.objective == Objective::kBinPack) {
    return fmt::format("with the pod here gamma of {} nodes {:.4f}, of the demand {:.4f} ({} pods)",
                       nodes, judgement.gamma, judge.demand_gamma(), demand.pods());
  }
  const std::string& prime = options_.resources[options_.prime].name;
  if (options_.objective == Objective::kLoadBalance) {
    return fmt::format("with the pod here deviation of {} over {} nodes {:.4f}", prime, nodes,
                       judgement.value);
  }
  return fmt::format("with the pod here {} is {:.4f} from full or empty nodes, of {}", prime,
                     judgement.value, nodes);
}

OUTRIGGER_AGENT(Pigeon, Settings)

}  // namespace outrigger::pigeon
