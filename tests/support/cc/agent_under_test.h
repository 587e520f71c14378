#pragma once

#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "builders.h"
#include "outrigger/agent/agent.h"
#include "outrigger/base/clock.h"

namespace outrigger::testing {

/// An agent made as the program makes it, for tests: settings by name and value.
///
///     AgentUnderTest agent(congestion::MakeFactory(), {{"max", "10"}});
///     EXPECT_THAT(agent.Scores(request), ElementsAre(10, 5));
///
/// What an agent must not do (refuse good settings, fail a call) ends the test program.
class AgentUnderTest {
 public:
  /// AgentDeps::own_pod.
  static constexpr const char* kOwnPod = "own-pod";
  using Texts = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  /// `cluster` may be null and outlives this. `clock` is AgentDeps::clock.
  explicit AgentUnderTest(const AgentFactory& factory, Texts settings = {},
                          ClusterAccess* cluster = nullptr, Clock clock = {});
  AgentUnderTest(const AgentFactory& factory, const SettingsValues& settings,
                 ClusterAccess* cluster = nullptr, Clock clock = {});

  /// One verdict per node of `request`.
  std::vector<Verdict> Filter(const OwnedRequest& request) const;
  /// Whether each node fits.
  std::vector<bool> Fits(const OwnedRequest& request) const;
  /// One score per node, in [0, 1], of the agent itself or of a named scorer.
  std::vector<NodeScore> Score(const OwnedRequest& request, std::string_view scorer = "") const;
  /// The same as the scheduler sees it: 0..10, halves rounded up.
  std::vector<int> Scores(const OwnedRequest& request, std::string_view scorer = "") const;

  Agent& agent() { return *agent_; }
  const Agent& agent() const { return *agent_; }
  /// What the agent has written to the log so far, from whatever thread.
  std::vector<std::string> log() const;
  /// The same of its warnings.
  std::vector<std::string> warnings() const;

 private:
  struct Log {
    std::mutex mutex;
    std::vector<std::string> lines;
    std::vector<std::string> warnings;
  };

  std::shared_ptr<Log> log_ = std::make_shared<Log>();
  std::unique_ptr<Agent> agent_;
};

/// `factory`'s settings with `texts` set; a text that is not accepted ends the test program.
SettingsValues SettingsFrom(const AgentFactory& factory, AgentUnderTest::Texts texts);

/// Sets what `variable` of an older program's environment stands for, exactly as the program does:
/// a value that is not accepted leaves the default. False if no setting knows the variable.
bool SetFromLegacyEnv(const AgentFactory& factory, std::string_view variable,
                      std::string_view value, SettingsValues* settings);

}  // namespace outrigger::testing
