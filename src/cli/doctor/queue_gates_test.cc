// `outrigger doctor --cluster`: pods at the scheduling gate outrigger.dev/queue.

#include "cli/doctor/queue_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/run.h"
#include "console/program_testing.h"
#include "doctor_testing.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using ::testing::AllOf;
using testing::Configuration;
using testing::DoctorAgents;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempFile;

const std::string kGatedSpec = R"("schedulingGates":[{"name":"outrigger.dev/queue"}])";
const std::string kGroupLabels = R"("podGroup":"g","minAvailable":"2")";

std::string WaitingPod(const std::string& name, const std::string& spec,
                       const std::string& labels = kGroupLabels) {
  return fmt::format(
      R"({{"kind":"Pod","metadata":{{"name":"{}","namespace":"lab","labels":{{{}}}}},)"
      R"("spec":{{{}}}}})",
      name, labels, spec);
}

std::string DoctorSays(const std::vector<std::string>& pods,
                       const std::string& agents = "safe,gang",
                       const std::vector<std::string>& flags = {}) {
  const TempFile file(fmt::format(R"({{"kind":"List","items":[{}]}})", fmt::join(pods, ",")),
                      "pods.json");
  std::istringstream in(Configuration(agents));
  std::ostringstream out;
  std::ostringstream err;
  const World world{DoctorAgents(), {}, {}, in, out, err};
  std::vector<std::string> arguments = {"doctor", "-", "--cluster", file.path()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  cli::Run(arguments, world);
  return out.str() + err.str();
}

TEST(DoctorOfQueueGates, FindsPodsThatNoAgentPlans) {
  for (const char* agents : {"safe,gang", "safe,qos"}) {
    EXPECT_THAT(DoctorSays({WaitingPod("a", R"("schedulerName":"x",)" + kGatedSpec),
                            WaitingPod("b", R"("schedulerName":"x",)" + kGatedSpec, "")},
                           agents),
                AllOf(HasSubstr("warning gate-stays (pod lab/a)\n  Found: 2 pods that no agent "
                                "of this file plans, with the gate outrigger.dev/queue\n"),
                      Not(HasSubstr("gate-missing"))));
  }
}

// The agent is gone, and its entries with it; or no scheduler is to call it.
TEST(DoctorOfQueueGates, FindsThatNoAgentIsThereToRemoveThem) {
  const std::vector<std::string> pods = {WaitingPod("a", kGatedSpec)};
  EXPECT_THAT(DoctorSays(pods, "safe"), HasSubstr("warning gate-stays (pod lab/a)"));
  EXPECT_THAT(DoctorSays(pods, "safe", {"--agents", "safe,gang", "--gang.mode", "alone"}),
              Not(HasSubstr("gate-stays")));
}

TEST(DoctorOfQueueGates, FindsNothingOfPodsThatAnAgentLetsGo) {
  const std::vector<std::string> pods = {WaitingPod("a", kGatedSpec),
                                         WaitingPod("single", kGatedSpec, "")};
  for (const char* agents : {"safe,gang", "safe,qos"}) {
    EXPECT_THAT(DoctorSays(pods, agents), HasSubstr("Found:  nothing\n"));
  }
}

TEST(DoctorOfQueueGates, FindsThatNoMemberIsGated) {
  const std::vector<std::string> pods = {
      WaitingPod("a", ""), WaitingPod("b", ""), WaitingPod("single", "", ""),
      WaitingPod("bound", R"("nodeName":"n")"), WaitingPod("other", R"("schedulerName":"x")")};
  EXPECT_THAT(DoctorSays(pods),
              HasSubstr("hint gate-missing (pod lab/a)\n  Found: 2 pods of groups without a node, "
                        "none with the gate\n"));
}

TEST(DoctorOfQueueGates, TakesMembersForReleasedWhereOthersWait) {
  EXPECT_THAT(DoctorSays({WaitingPod("a", ""), WaitingPod("b", kGatedSpec)}),
              HasSubstr("Found:  nothing\n"));
}

TEST(DoctorOfQueueGates, LeavesOtherGatesAlone) {
  const std::string other = R"("schedulingGates":[{"name":"example.com/a"}])";
  EXPECT_THAT(
      DoctorSays({WaitingPod("a", other, ""), WaitingPod("b", R"("schedulerName":"x",)" + other)},
                 "safe,qos"),
      HasSubstr("Found:  nothing\n"));
}

}  // namespace
}  // namespace outrigger::cli
