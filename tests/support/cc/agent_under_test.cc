#include "agent_under_test.h"

#include <cstdio>
#include <cstdlib>

namespace outrigger::testing {
namespace {

void MustBeOk(const absl::Status& status, std::string_view what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(what.size()), what.data(),
               status.ToString().c_str());
  std::abort();
}

const Scorer* FindScorer(const Agent& agent, std::string_view name) {
  if (name.empty()) return dynamic_cast<const Scorer*>(&agent);
  for (const NamedScorer& scorer : agent.NamedScorers()) {
    if (scorer.name == name) return scorer.scorer;
  }
  return nullptr;
}

}  // namespace

AgentUnderTest::AgentUnderTest(const AgentFactory& factory, Texts settings, ClusterAccess* cluster,
                               Clock clock)
    : AgentUnderTest(factory, SettingsFrom(factory, settings), cluster, std::move(clock)) {}

AgentUnderTest::AgentUnderTest(const AgentFactory& factory, const SettingsValues& settings,
                               ClusterAccess* cluster, Clock clock) {
  AgentDeps deps;
  deps.clock = std::move(clock);
  deps.name = "under-test";
  deps.own_pod = kOwnPod;
  deps.cluster = cluster;
  deps.log = [log = log_](std::string_view line) {
    const std::scoped_lock lock(log->mutex);
    log->lines.emplace_back(line);
  };
  deps.warn = [log = log_](std::string_view line) {
    const std::scoped_lock lock(log->mutex);
    log->warnings.emplace_back(line);
  };
  auto agent = factory.make(deps, settings);
  MustBeOk(agent.status(), "settings of the agent");
  agent_ = *std::move(agent);
}

std::vector<std::string> AgentUnderTest::log() const {
  const std::scoped_lock lock(log_->mutex);
  return log_->lines;
}

std::vector<std::string> AgentUnderTest::warnings() const {
  const std::scoped_lock lock(log_->mutex);
  return log_->warnings;
}

std::vector<Verdict> AgentUnderTest::Filter(const OwnedRequest& request) const {
  std::vector<Verdict> verdicts(request->nodes.size());
  const auto* filterer = dynamic_cast<const Filterer*>(agent_.get());
  MustBeOk(filterer != nullptr ? filterer->Filter(*request, verdicts)
                               : absl::UnimplementedError("the agent has no filter"),
           "Filter");
  return verdicts;
}

std::vector<bool> AgentUnderTest::Fits(const OwnedRequest& request) const {
  std::vector<bool> fits;
  for (const Verdict& verdict : Filter(request)) fits.push_back(verdict.fits());
  return fits;
}

std::vector<NodeScore> AgentUnderTest::Score(const OwnedRequest& request,
                                             std::string_view name) const {
  std::vector<NodeScore> scores(request->nodes.size());
  const Scorer* scorer = FindScorer(*agent_, name);
  MustBeOk(scorer != nullptr ? scorer->Score(*request, scores)
                             : absl::UnimplementedError("the agent has no such scorer"),
           "Score");
  return scores;
}

std::vector<int> AgentUnderTest::Scores(const OwnedRequest& request, std::string_view name) const {
  std::vector<int> scores;
  for (const NodeScore& score : Score(request, name)) {
    // As the engine and the original agents round. NOLINTNEXTLINE(bugprone-incorrect-roundings)
    scores.push_back(static_cast<int>(score.value * 10 + 0.5));
  }
  return scores;
}

SettingsValues SettingsFrom(const AgentFactory& factory, AgentUnderTest::Texts texts) {
  SettingsValues settings = factory.settings.Defaults();
  for (const auto& [name, text] : texts) {
    const SettingSpec* spec = factory.settings.Find(name);
    MustBeOk(spec != nullptr ? spec->parse(settings.get(), text)
                             : absl::NotFoundError("the agent has no such setting"),
             name);
    settings.MarkGiven(name);
  }
  return settings;
}

bool SetFromLegacyEnv(const AgentFactory& factory, std::string_view variable,
                      std::string_view value, SettingsValues* settings) {
  for (const SettingSpec& spec : factory.settings.specs()) {
    if (spec.legacy_env != variable) continue;
    (void)spec.parse_legacy(settings->get(), value).ok();
    settings->MarkGiven(spec.name);
    return true;
  }
  return false;
}

}  // namespace outrigger::testing
