// `outrigger doctor --cluster`: members that an agent is not called about.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/run.h"
#include "console/program_testing.h"
#include "doctor_testing.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using testing::Change;
using testing::Configuration;
using testing::DoctorAgents;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempFile;

const std::vector<Change> kOnlyGroups = {
    {"extenders[1].managedResources", "[{name: outrigger.dev/gang, ignoredByScheduler: true}]"},
    {"extenders[2].managedResources",
     "[{name: outrigger.dev/gang-bind, ignoredByScheduler: true}]"}};

std::string PodNamed(const std::string& name, const std::string& asks, const std::string& spec = "",
                     const std::string& labels = R"("podGroup":"g","minAvailable":"2")") {
  return fmt::format(
      R"({{"kind":"Pod","metadata":{{"name":"{}","namespace":"lab","labels":{{{}}}}},"spec":{{{})"
      R"("containers":[{{"name":"c","resources":{{"limits":{{{}}}}}}}]}}}})",
      name, labels, spec, asks);
}

const std::string kBoth = R"("outrigger.dev/gang":"1","outrigger.dev/gang-bind":"1")";

std::string DoctorOf(const std::vector<std::string>& pods,
                     const std::vector<Change>& changes = kOnlyGroups,
                     const std::vector<std::string>& flags = {}) {
  const TempFile file(fmt::format(R"({{"kind":"List","items":[{}]}})", fmt::join(pods, ",")),
                      "pods.json");
  std::istringstream in(Configuration("safe,gang", changes));
  std::ostringstream out;
  std::ostringstream err;
  const World world{DoctorAgents(), {}, {}, in, out, err};
  std::vector<std::string> arguments = {"doctor",  "-",         "--scheduler-config",
                                        "in.yaml", "--cluster", file.path()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  cli::Run(arguments, world);
  return out.str() + err.str();
}

TEST(DoctorOfGroupResources, FindsMembersThatDoNotAsk) {
  const std::string said =
      DoctorOf({PodNamed("a", kBoth), PodNamed("b", ""), PodNamed("c", "", R"("nodeName":"n",)"),
                PodNamed("d", R"("outrigger.dev/gang":"1")")});
  EXPECT_THAT(said, HasSubstr("warning group-resource-missing (pod lab/b)\n"
                              "  Found: 1 waiting and 1 bound do not request "
                              "outrigger.dev/gang and outrigger.dev/gang-bind\n"));
  EXPECT_THAT(said, HasSubstr("warning group-resource-missing (pod lab/d)\n"
                              "  Found: 1 waiting and 0 bound do not request "
                              "outrigger.dev/gang-bind\n"));
}

TEST(DoctorOfGroupResources, IsQuietAboutOthers) {
  EXPECT_THAT(DoctorOf({PodNamed("a", kBoth, R"("nodeName":"n",)"),
                        PodNamed("b", "", R"("schedulerName":"x",)"),
                        PodNamed("c", "", "", R"("app":"c")")}),
              HasSubstr("Found:  nothing\n"));
}

TEST(DoctorOfGroupResources, IsQuietWhereTheAgentIsCalledAboutAllPods) {
  EXPECT_THAT(DoctorOf({PodNamed("b", "")}, {}), Not(HasSubstr("group-resource-missing")));
}

TEST(DoctorOfLargeGangs, FindsThoseThatCannotWaitForEachOther) {
  const auto pod = [](const std::string& gang, int minimum, const std::string& spec = "") {
    return PodNamed(gang, kBoth, spec,
                    fmt::format(R"("podGroup":"{}","minAvailable":"{}")", gang, minimum));
  };
  const std::vector<std::string> pods = {pod("a", 3), pod("b", 4), pod("b", 4), pod("c", 9),
                                         pod("d", 9, R"("nodeName":"n",)")};
  EXPECT_THAT(DoctorOf(pods, {}, {"--max-waiting-binds", "3"}),
              HasSubstr("warning gang-too-large (pod lab/b)\n"
                        "  Found: 2 gangs with a minimum of up to 9, and --max-waiting-binds is "
                        "3\n"));
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{},
        {"--max-waiting-binds", "3", "--agents", "gang", "--gang.mode", "alone"}}) {
    EXPECT_THAT(DoctorOf(pods, {}, flags), Not(HasSubstr("gang-too-large")));
  }
}

}  // namespace
}  // namespace outrigger::cli
