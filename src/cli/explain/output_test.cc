// What `outrigger explain pod` prints, and in which forms.

#include "console/explain_testing.h"
#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;
using testing::Ran;

TEST_F(ExplainPod, PrintsATable) {
  const Ran ran = Explain({"web-7c9d", "-n", "shop"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "Pod:       shop/web-7c9d\n"
            "Requests:  cpu 500m, memory 1Gi\n"
            "Fits:      1 of 3 nodes, kube-scheduler's own filters aside\n"
            "Rejected:  1 safe: nobody knows, 1 safe: risk 0.85 > 0.30, 100 percent sure\n"
            "\n"
            "NODE   FITS  TOTAL  AGENT  VERDICT       SCORE  WHY\n"
            "calm   yes       7  safe   fits              9  risk 0.10\n"
            "                    wind   fits              4\n"
            "lost   no        7  safe   unresolvable     10  nobody knows\n"
            "                    wind   fits              4\n"
            "rough  no        3  safe   rejected          2  risk 0.85 > 0.30, 100 percent sure\n"
            "                    wind   fits              5\n");
}

TEST_F(ExplainPod, PrintsMoreOnAWideTable) {
  const Ran ran = Explain({"web-7c9d", "--nodes", "rough", "-o", "wide", "--color=never"},
                          {{}, "", {true, 20}});
  EXPECT_THAT(ran.out, HasSubstr("\nNODE   FITS      TOTAL  AGENT       VERDICT       SCORE  WHY\n"
                                 "rough  no    3 (0.325)  safe        rejected  2 (0.150)  "
                                 "risk 0.85 > 0.30, 100 percent sure (risk 0.85)\n"
                                 "                        safe/worst            0 (0.000)  always\n"
                                 "                        wind        fits      5 (0.500)\n"));
}

TEST_F(ExplainPod, SaysWhatTheSchedulersEventWouldSayWhereNoNodeFits) {
  const Ran ran = Explain({"web-7c9d", "--safe.max-risk", "0.05"});
  EXPECT_THAT(ran.out,
              HasSubstr("Fits:      0 of 3 nodes, kube-scheduler's own filters aside\n"
                        "Event:     0/3 nodes are available: 1 safe: nobody knows, 1 safe: risk "
                        "0.10 > 0.05, 100 percent sure, 1 safe: risk 0.85 > 0.05, 100 percent "
                        "sure.\n"));
}

TEST_F(ExplainPod, PrintsJsonForPrograms) {
  const auto json = nlohmann::json::parse(Explain({"web-7c9d", "-o", "json"}).out);
  EXPECT_EQ(json["pod"], nlohmann::json::parse(R"({"namespace": "shop", "name": "web-7c9d",
      "requests": {"cpu": "500m", "memory": "1Gi"}})"));
  EXPECT_EQ(json["summary"], nlohmann::json::parse(R"({"nodes": 3, "fitting": 1, "reasons": [
      {"reason": "safe: nobody knows", "nodes": 1},
      {"reason": "safe: risk 0.85 > 0.30, 100 percent sure", "nodes": 1}]})"));
  EXPECT_EQ(json["agents"][0], nlohmann::json::parse(R"({"name": "safe", "weight": 1.0,
      "filters": true, "scores": true})"));
  ASSERT_EQ(json["nodes"].size(), 3U);
  EXPECT_EQ(json["nodes"][0], nlohmann::json::parse(R"({
      "name": "calm", "fits": true, "verdict": "fits", "score": 7, "value": 0.65, "agents": [
        {"agent": "safe", "verdict": "fits", "score": 9, "value": 0.9, "why": "risk 0.10",
         "scorers": [{"name": "worst", "score": 0, "value": 0.0, "why": "always"}]},
        {"agent": "wind", "verdict": "fits", "score": 4, "value": 0.4}]})"));
  EXPECT_EQ(json["nodes"][1]["verdict"], "unresolvable");
  EXPECT_EQ(json["nodes"][1]["reason"], "safe: nobody knows");
}

TEST_F(ExplainPod, YamlSaysTheSameAsJson) {
  const YAML::Node yaml = YAML::Load(Explain({"web-7c9d", "-o", "yaml"}).out);
  EXPECT_EQ(yaml["pod"]["requests"]["cpu"].Scalar(), "500m");
  EXPECT_EQ(yaml["nodes"][2]["agents"][0]["score"].as<int>(), 2);
}

TEST_F(ExplainPod, IsColoredForPeopleAlone) {
  const auto colored = [this](const std::vector<std::string>& more, const Around& around) {
    std::vector<std::string> arguments = {"web-7c9d"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Explain(arguments, around).out.find("\x1b[") != std::string::npos;
  };
  const Around terminal{{}, "", {true, 80}};
  EXPECT_TRUE(colored({}, terminal));
  EXPECT_FALSE(colored({}, {}));
  EXPECT_FALSE(colored({}, {{{"NO_COLOR", "1"}}, "", {true, 80}}));
  EXPECT_TRUE(colored({}, {{{"NO_COLOR", ""}}, "", {true, 80}}));
  EXPECT_FALSE(colored({}, {{{"TERM", "dumb"}}, "", {true, 80}}));
  EXPECT_FALSE(colored({"--color", "never"}, terminal));
  EXPECT_TRUE(colored({"--color=always"}, {}));
  EXPECT_FALSE(colored({"--color=always", "-o", "json"}, {}));
}

TEST_F(ExplainPod, CutsTheTableToTheWidthOfATerminal) {
  const std::string out = Explain({"web-7c9d", "--color", "never"}, {{}, "", {true, 60}}).out;
  EXPECT_THAT(out, HasSubstr("rough  no        3  safe   rejected          2  risk 0.85...\n"));
  EXPECT_THAT(out, HasSubstr("1 safe: risk 0.85 > 0.30, 100 percent sure\n"));
}

}  // namespace
}  // namespace outrigger::cli
