#include "serve/server/agent_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "serve/server/metrics.h"

namespace outrigger::server {
namespace {

using Kind = MetricSpec::Kind;
using ::testing::HasSubstr;
using ::testing::Not;

AgentInfo AgentWith(const std::string& name, std::vector<MetricSpec> metrics) {
  AgentInfo agent;
  agent.name = name;
  agent.factory.metrics = std::move(metrics);
  return agent;
}

MetricSpec Counter(const std::string& name, const std::string& label = "") {
  return {Kind::kCounter, name, "Help of " + name + ".", label, {}};
}

TEST(AgentMetrics, AreShownUnderTheirAgent) {
  const auto metrics = Metrics::Create();
  const AgentInfo gang =
      AgentWith("gang", {Counter("outrigger_gang_plans_total"),
                         {Kind::kGauge, "outrigger_gang_waiting", "Groups that wait.", "cause", {}},
                         {Kind::kHistogram, "outrigger_gang_plan_seconds", "Time.", "", {0.1, 1}}});
  AgentMetrics* const own = *metrics->OfAgent(gang);
  EXPECT_THAT(metrics->Render(), HasSubstr("outrigger_gang_plans_total{agent=\"gang\"} 0\n"));
  own->Add("outrigger_gang_plans_total", "", 2);
  own->Add("outrigger_gang_plans_total", "", 1);
  own->Set("outrigger_gang_waiting", "cpu", 7);
  own->Set("outrigger_gang_waiting", "cpu", 5);
  own->Observe("outrigger_gang_plan_seconds", "", 0.5);
  const std::string text = metrics->Render();
  for (const char* line :
       {"# HELP outrigger_gang_waiting Groups that wait.\n",
        "# TYPE outrigger_gang_waiting gauge\n", "outrigger_gang_plans_total{agent=\"gang\"} 3\n",
        "outrigger_gang_waiting{agent=\"gang\",cause=\"cpu\"} 5\n",
        "outrigger_gang_plan_seconds_bucket{agent=\"gang\",le=\"0.1\"} 0\n",
        "outrigger_gang_plan_seconds_bucket{agent=\"gang\",le=\"1\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(*metrics->OfAgent(gang), own);
}

TEST(AgentMetrics, OfTwoAgentsMayHaveTheSameName) {
  const auto metrics = Metrics::Create();
  (*metrics->OfAgent(AgentWith("gang", {Counter("outrigger_plans_total")})))
      ->Add("outrigger_plans_total", "", 1);
  (*metrics->OfAgent(AgentWith("qos", {Counter("outrigger_plans_total")})))
      ->Add("outrigger_plans_total", "", 2);
  const std::string text = metrics->Render();
  EXPECT_THAT(text, HasSubstr("outrigger_plans_total{agent=\"gang\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_plans_total{agent=\"qos\"} 2\n"));
}

TEST(AgentMetrics, ThatWereNotDeclaredSoAreIgnored) {
  const auto metrics = Metrics::Create();
  AgentMetrics* const own =
      *metrics->OfAgent(AgentWith("gang", {Counter("outrigger_gang_plans_total")}));
  own->Add("outrigger_other_total", "", 1);
  own->Set("outrigger_gang_plans_total", "", 9);
  own->Observe("outrigger_gang_plans_total", "", 9);
  const std::string text = metrics->Render();
  EXPECT_THAT(text, Not(HasSubstr("outrigger_other_total")));
  EXPECT_THAT(text, HasSubstr("outrigger_gang_plans_total{agent=\"gang\"} 0\n"));
}

TEST(AgentMetrics, ThatCannotBeAreErrorsThatNameTheField) {
  const struct {
    MetricSpec spec;
    const char* error;
  } cases[] = {
      {Counter("no name"),
       "metric \"no name\": name \"no name\" is not accepted; expected letters"},
      {Counter(""), "name \"\" is not accepted"},
      {Counter("a_total", "no label"), "metric \"a_total\": label \"no label\" is not accepted"},
      {Counter("a_total", "agent"), "label \"agent\" is not accepted"},
      {Counter("a_total", "le"), "label \"le\" is not accepted"},
      {{Kind::kCounter, "a_total", "", "", {}}, "help \"\" is not accepted; expected a sentence"},
      {{Kind::kGauge, "outrigger_extender_nodes_total", "Another type.", "", {}},
       "metric \"outrigger_extender_nodes_total\": the program or another agent has a metric"},
      {{Kind::kGauge, "a", "No histogram.", "", {1}},
       "buckets \"1\" is not accepted; expected none"},
      {{Kind::kHistogram, "c_seconds", "None.", "", {}}, "buckets \"\" is not accepted"},
      {{Kind::kHistogram, "c_seconds", "Falls.", "", {2, 1}}, "buckets \"2, 1\" is not accepted"},
      {{Kind::kHistogram, "c_seconds", "Twice.", "", {1, 1}}, "buckets \"1, 1\" is not accepted"},
      {{Kind::kHistogram, "c_seconds", "NaN.", "", {std::nan("")}}, "buckets \"nan\""},
  };
  const auto metrics = Metrics::Create();
  const std::string before = metrics->Render();
  for (const auto& refused : cases) {
    const auto own = metrics->OfAgent(AgentWith("gang", {refused.spec}));
    EXPECT_EQ(own.status().code(), absl::StatusCode::kInvalidArgument) << refused.error;
    EXPECT_THAT(std::string(own.status().message()), HasSubstr(refused.error));
  }
  const auto twice = metrics->OfAgent(AgentWith("gang", {Counter("b_total"), Counter("b_total")}));
  EXPECT_EQ(twice.status().message(), "metric \"b_total\" is declared twice; each name once");
}

TEST(AgentMetrics, HaveABoundedNumberOfSeries) {
  const auto metrics = Metrics::Create();
  AgentMetrics* const own =
      *metrics->OfAgent(AgentWith("gang", {Counter("outrigger_gang_refusals_total", "why")}));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([own] {
      for (int i = 0; i < 150; ++i) {
        own->Add("outrigger_gang_refusals_total", "why-" + std::to_string(i), 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = metrics->Render();
  EXPECT_THAT(text, HasSubstr("why=\"why-99\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("why=\"other\"} 200\n"));
  EXPECT_THAT(text, Not(HasSubstr("why-100")));
}

// A thing that comes and goes has no series afterwards, and leaves its place to another.
TEST(AgentMetrics, SeriesOfAGaugeGoWithWhatTheyAreOf) {
  const auto metrics = Metrics::Create();
  MetricSpec spec = {Kind::kGauge, "outrigger_a_value", "Values.", "class", {}};
  spec.most_values = 2;
  AgentMetrics* const own = *metrics->OfAgent(AgentWith("a", {spec}));
  for (const char* name : {"gold", "silver", "bronze"}) own->Set("outrigger_a_value", name, 1);
  EXPECT_THAT(metrics->Render(), HasSubstr("class=\"other\"} 1\n"));
  own->Drop("outrigger_a_value", "gold");
  own->Drop("outrigger_a_value", "other");
  own->Drop("outrigger_a_value", "gold");
  own->Drop("outrigger_b_value", "gold");
  EXPECT_THAT(metrics->Render(), Not(HasSubstr("gold")));
  own->Set("outrigger_a_value", "bronze", 2);
  const std::string text = metrics->Render();
  EXPECT_THAT(text, HasSubstr("class=\"bronze\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("class=\"silver\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("other")));
}

}  // namespace
}  // namespace outrigger::server
