// Agents that plan are one process, so `scheduler-config` writes one pair of entries for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/doctor/doctor_testing.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::Contains;
using testing::DoctorAgents;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Queue final : public Agent, public Filterer, public Scorer, public Preempter {
 public:
  explicit Queue(const NoSettings& /*settings*/) {}
  static SchedulerWishes Wishes() {
    return {.last = true, .every_node = true, .quick_retries = true};
  }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
  absl::Status Score(const Request& /*request*/, std::span<NodeScore> /*s*/) const override {
    return absl::OkStatus();
  }
  absl::Status Preempt(const PreemptRequest& /*request*/,
                       std::vector<NodeVictims>* /*chosen*/) const override {
    return absl::OkStatus();
  }
};

/// DoctorAgents(), of which gang plans and binds, and queue, which plans and does not bind.
const std::vector<AgentInfo>& Agents() {
  static const std::vector<AgentInfo> agents = [] {
    std::vector<AgentInfo> all = DoctorAgents();
    all.push_back({"queue", "", 9876, internal::MakeAgentFactory<Queue, NoSettings>()});
    return all;
  }();
  return agents;
}

absl::StatusOr<SchedulerConfigText> Write(const SchedulerConfigFlags& flags,
                                          const std::string& extenders = "") {
  const auto plan = PlanSchedulerConfig(flags, Agents(), {});
  if (!plan.ok()) return plan.status();
  if (extenders.empty()) return WriteSchedulerConfig(*plan, std::nullopt);
  return WriteSchedulerConfig(
      *plan, SchedulerConfigInput{"in.yaml",
                                  "apiVersion: kubescheduler.config.k8s.io/v1\nkind: "
                                  "KubeSchedulerConfiguration\nextenders:\n" +
                                      extenders});
}

SchedulerConfigFlags Flags(const std::string& agents) {
  SchedulerConfigFlags flags;
  flags.agents = agents;
  return flags;
}

// Of each entry urlPrefix and verbs.
std::vector<std::string> EntriesOf(const absl::StatusOr<SchedulerConfigText>& text) {
  if (!text.ok()) return {std::string(text.status().message())};
  std::vector<std::string> entries;
  for (const auto& extender : YAML::Load(text->yaml)["extenders"]) {
    std::string entry = extender["urlPrefix"].Scalar();
    for (const char* verb : {"filterVerb", "prioritizeVerb", "preemptVerb", "bindVerb"}) {
      if (extender[verb]) entry += " " + extender[verb].Scalar();
    }
    const auto timeout = extender["httpTimeout"];
    entries.push_back(timeout ? entry + " " + timeout.Scalar() : entry);
  }
  return entries;
}

constexpr const char* kCycle = "http://127.0.0.1:9870 filter prioritize preempt 1s";
constexpr const char* kBind = "http://127.0.0.1:9870 bind 10m30s";

TEST(SchedulerConfigTogether, HasOnePairOfEntriesAtTheMergedPaths) {
  for (const char* agents : {"gang,queue", "queue,gang"}) {
    EXPECT_THAT(EntriesOf(Write(Flags(agents))), ElementsAre(kCycle, kBind));
  }
}

TEST(SchedulerConfigTogether, ComesAfterTheOthers) {
  EXPECT_THAT(EntriesOf(Write(Flags("gang,safe,queue"))),
              ElementsAre("http://127.0.0.1:9871/safe filter prioritize 1s", kCycle, kBind));
}

TEST(SchedulerConfigTogether, OneThatDoesNotBindHasOneEntry) {
  EXPECT_THAT(EntriesOf(Write(Flags("queue"))),
              ElementsAre("http://127.0.0.1:9876/queue filter prioritize preempt 1s"));
}

TEST(SchedulerConfigTogether, SaysThatItIsOneProcessAndThatItReadsTheFile) {
  const auto text = Write(Flags("queue,gang"));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->notes,
              Contains("queue and gang plan together, so they are one process: outrigger serve "
                       "--agents queue,gang; the entries call its merged paths"));
  EXPECT_THAT(text->notes, Contains("queue and gang: serve with --scheduler-config and this file, "
                                    "from which the agent takes the scheduler's settings"));
  EXPECT_THAT(text->notes, Not(Contains(HasSubstr("--gang."))));
  EXPECT_THAT(text->notes, Not(Contains(HasSubstr("process of their own"))));
}

TEST(SchedulerConfigTogether, TakesOneValueForAllOfThem) {
  SchedulerConfigFlags flags = Flags("gang,queue");
  flags.urls = {"http://10.0.0.1:7000/"};
  EXPECT_THAT(EntriesOf(Write(flags)),
              ElementsAre("http://10.0.0.1:7000 filter prioritize preempt 1s",
                          "http://10.0.0.1:7000 bind 10m30s"));
  flags.urls = {"gang=http://10.0.0.1:7000"};
  EXPECT_THAT(Write(flags).status().message(),
              HasSubstr("--url: gang and queue are called together, in one process: give one value "
                        "for all of them"));
  flags.urls = {};
  flags.weights = {"queue=2"};
  EXPECT_THAT(Write(flags).status().message(), HasSubstr("--weight: gang and queue are called"));
}

TEST(SchedulerConfigTogether, WithTlsIsStillOnePair) {
  SchedulerConfigFlags flags = Flags("gang,queue");
  flags.tls_cas = {"/ca.crt"};
  EXPECT_THAT(EntriesOf(Write(flags)),
              ElementsAre("https://127.0.0.1:9870 filter prioritize preempt 1s",
                          "https://127.0.0.1:9870 bind 10m30s"));
  flags.tls_cas = {"gang=/ca.crt", "queue=/other.crt"};
  EXPECT_THAT(Write(flags).status().message(), HasSubstr("--tls-*: gang and queue are called"));
}

// Two entries that bind are refused by kube-scheduler, and two that plan would be asked twice.
TEST(SchedulerConfigTogether, ReplacesTheEntriesOfEachOfThem) {
  const std::string alone =
      "- {urlPrefix: 'http://127.0.0.1:9875/gang', filterVerb: filter}\n"
      "- {urlPrefix: 'http://127.0.0.1:9875/gang', bindVerb: bind}\n"
      "- {urlPrefix: 'http://other/x', filterVerb: f}\n";
  const auto text = Write(Flags("gang,queue"), alone);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(EntriesOf(text), ElementsAre(HasSubstr("http://other/x"), kCycle, kBind));
  EXPECT_THAT(text->notes, Contains("the extender http://127.0.0.1:9875/gang was replaced"));
}

TEST(SchedulerConfigTogether, IsStableWhenRepeatedAndStaysLast) {
  const std::string merged =
      "- {urlPrefix: 'http://127.0.0.1:9870', filterVerb: filter, preemptVerb: preempt}\n"
      "- {urlPrefix: 'http://127.0.0.1:9870', bindVerb: bind}\n";
  EXPECT_THAT(EntriesOf(Write(Flags("gang,queue"), merged)), ElementsAre(kCycle, kBind));
  EXPECT_THAT(
      EntriesOf(Write(Flags("safe"), merged)),
      ElementsAre(HasSubstr("safe"), HasSubstr("9870 filter preempt"), HasSubstr("9870 bind")));
}

// Each bind call goes to one extender.
TEST(SchedulerConfigTogether, AnAgentThatPreparesHasABindEntryAsOneThatBinds) {
  EXPECT_THAT(EntriesOf(Write(Flags("devices"))),
              ElementsAre("http://127.0.0.1:9878/devices filter 1s",
                          "http://127.0.0.1:9878/devices bind 10m30s"));
  SchedulerConfigFlags flags = Flags("devices");
  flags.bind_timeout = "2m";
  EXPECT_THAT(EntriesOf(Write(flags)), Contains("http://127.0.0.1:9878/devices bind 2m"));
}

TEST(SchedulerConfigTogether, ThoseThatTakeBindCallsAreOneProcess) {
  for (const char* agents : {"gang,devices", "devices,gang"}) {
    EXPECT_THAT(EntriesOf(Write(Flags(agents))), ElementsAre(kCycle, kBind)) << agents;
  }
  EXPECT_THAT(EntriesOf(Write(Flags("devices,queue,disks,gang"))), ElementsAre(kCycle, kBind));
  EXPECT_THAT(EntriesOf(Write(Flags("disks,safe,devices"))),
              ElementsAre("http://127.0.0.1:9871/safe filter prioritize 1s",
                          "http://127.0.0.1:9870 filter 1s", "http://127.0.0.1:9870 bind 10m30s"));
  const auto text = Write(Flags("gang,devices"));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->notes,
              Contains("gang and devices share the bind calls, each of which a scheduler sends to "
                       "one extender, so they are one process: outrigger serve --agents "
                       "gang,devices; the entries call its merged paths"));
  EXPECT_THAT(text->notes, Contains(HasSubstr("--scheduler-config and this file")));
}

TEST(SchedulerConfigTogether, OneThatPlansAndOneThatPreparesMayBeTwoProcesses) {
  EXPECT_THAT(EntriesOf(Write(Flags("queue,devices"))),
              ElementsAre("http://127.0.0.1:9878/devices filter 1s",
                          "http://127.0.0.1:9878/devices bind 10m30s",
                          "http://127.0.0.1:9876/queue filter prioritize preempt 1s"));
}

TEST(SchedulerConfigTogether, ASecondProcessThatTakesBindCallsIsRefused) {
  EXPECT_THAT(Write(Flags("devices"), "- {urlPrefix: 'http://127.0.0.1:9875/gang', bindVerb: bind}")
                  .status()
                  .message(),
              HasSubstr("bindVerb: http://127.0.0.1:9875/gang binds already, and a scheduler "
                        "accepts one binder only; serve them in one process: --agents gang,devices "
                        "for `outrigger serve`, and for this command"));
  EXPECT_THAT(Write(Flags("gang"), "- {urlPrefix: 'http://127.0.0.1:9870', bindVerb: bind}")
                  .status()
                  .message(),
              HasSubstr("serve them in one process: --agents ITS AGENTS,gang"));
  EXPECT_THAT(Write(Flags("devices"), "- {urlPrefix: 'http://o', bindVerb: b}").status().message(),
              HasSubstr("leave agent devices out, or remove the other's bindVerb"));
  SchedulerConfigFlags flags = Flags("gang,devices");
  flags.urls = {"gang=http://10.0.0.1:1", "devices=http://10.0.0.1:2"};
  EXPECT_THAT(Write(flags).status().message(),
              HasSubstr("--url: gang and devices are called together, in one process"));
}

TEST(SchedulerConfigTogether, IsNeverIgnorable) {
  SchedulerConfigFlags flags = Flags("gang,queue");
  flags.ignorable = true;
  const auto text = Write(flags);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->yaml, Not(HasSubstr("ignorable")));
}

}  // namespace
}  // namespace outrigger::cli
