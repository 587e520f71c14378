#include "serve/server/metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "fake_engine_testing.h"
#include "serve/server/version.h"

namespace outrigger::server {
namespace {

using engine::ErrorKind;
using engine::Verb;
using ::testing::HasSubstr;
using ::testing::Not;

size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Metrics, CountACallUnderItsAgentAndVerb) {
  const auto metrics = Metrics::Create();
  metrics->OnCall({.agent = "safe",
                   .verb = Verb::kFilter,
                   .error = ErrorKind::kNone,
                   .request_bytes = 1000,
                   .response_bytes = 200,
                   .nodes = 50,
                   .seconds = 0.003});
  const std::string text = metrics->Render();
  for (const char* line :
       {"outrigger_extender_requests_total{agent=\"safe\",verb=\"filter\"} 1\n",
        "outrigger_extender_request_bytes_total{agent=\"safe\",verb=\"filter\"} 1000\n",
        "outrigger_extender_response_bytes_total{agent=\"safe\",verb=\"filter\"} 200\n",
        "outrigger_extender_nodes_total{agent=\"safe\",verb=\"filter\"} 50\n",
        "outrigger_extender_request_duration_seconds_count{agent=\"safe\",verb=\"filter\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  const std::string bucket =
      "outrigger_extender_request_duration_seconds_bucket{agent=\"safe\",verb=\"filter\",le=";
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.0025\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.005\"} 1\n"));
}

class MetricsErrors : public ::testing::TestWithParam<std::pair<ErrorKind, const char*>> {};

TEST_P(MetricsErrors, CountUnderTheirKind) {
  const auto metrics = Metrics::Create();
  const auto [kind, name] = GetParam();
  metrics->OnCall({.agent = "gang", .verb = Verb::kBind, .error = kind});
  EXPECT_THAT(metrics->Render(),
              HasSubstr(fmt::format("outrigger_extender_errors_total{{agent=\"gang\",kind=\"{}\","
                                    "verb=\"bind\"}} 1\n",
                                    name)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, MetricsErrors,
                         ::testing::Values(std::pair{ErrorKind::kBadRequest, "bad_request"},
                                           std::pair{ErrorKind::kUnanswerable, "unanswerable"},
                                           std::pair{ErrorKind::kAgent, "agent"},
                                           std::pair{ErrorKind::kInternal, "internal"},
                                           std::pair{ErrorKind::kAbandoned, "abandoned"}),
                         [](const auto& row) { return std::string(row.param.second); });

TEST(Metrics, ShowServedEndpointsFromTheStart) {
  const auto metrics = Metrics::Create();
  metrics->Declare(FakeEngine().endpoints());
  const std::string text = metrics->Render();
  EXPECT_EQ(Count(text, "\noutrigger_extender_requests_total{"), 4U);
  EXPECT_EQ(Count(text, "\noutrigger_extender_errors_total{"), 20U);
  EXPECT_THAT(text,
              HasSubstr("outrigger_extender_requests_total{agent=\"gang\",verb=\"bind\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_unknown_nodes_total{agent=\"all\"} 0\n"));
}

TEST(Metrics, CountRejectionsMalformedValuesAndUnknownNodes) {
  const auto metrics = Metrics::Create();
  metrics->OnRejected("safe", "risk", 7);
  metrics->OnRejected("safe", "risk", 2);
  metrics->OnMalformed("safe", "load");
  metrics->OnMalformed("", "cpu");
  metrics->OnUnknownNodes("safe", 3);
  const std::string text = metrics->Render();
  EXPECT_THAT(text,
              HasSubstr("outrigger_nodes_rejected_total{agent=\"safe\",reason=\"risk\"} 9\n"));
  EXPECT_THAT(text,
              HasSubstr("outrigger_malformed_values_total{agent=\"safe\",field=\"load\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("outrigger_malformed_values_total{agent=\"decoder\",field=\"cpu\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_unknown_nodes_total{agent=\"safe\"} 3\n"));
}

TEST(Metrics, BoundTheirLabelValues) {
  const auto metrics = Metrics::Create();
  for (int i = 0; i < 1000; ++i) {
    metrics->OnMalformed("safe", fmt::format("field-{}", i));
    metrics->OnRejected("safe", fmt::format("reason-{}", i), 1);
    metrics->OnUnknownNodes(fmt::format("agent-{}", i), 1);
  }
  const std::string text = metrics->Render();
  EXPECT_EQ(Count(text, "\noutrigger_malformed_values_total{"), 65U);
  EXPECT_THAT(text, HasSubstr("field=\"other\"} 936\n"));
  EXPECT_EQ(Count(text, "\noutrigger_nodes_rejected_total{"), 65U);
  EXPECT_THAT(text, HasSubstr("reason=\"other\"} 936\n"));
  EXPECT_LE(Count(text, "\noutrigger_unknown_nodes_total{"), 257U);
}

TEST(Metrics, EscapeLabelValues) {
  const auto metrics = Metrics::Create();
  metrics->OnMalformed("safe", "a\"b\\c\nd");
  EXPECT_THAT(metrics->Render(), HasSubstr("field=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

TEST(Metrics, LoseNoCallOfConcurrentThreads) {
  const auto metrics = Metrics::Create();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        metrics->OnCall({.agent = "safe", .verb = Verb::kFilter, .nodes = 2});
        metrics->OnRejected("safe", i % 2 == 0 ? "even" : "odd", 1);
      }
    });
  }
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(metrics->Render().empty());
  for (std::thread& thread : threads) thread.join();
  const std::string text = metrics->Render();
  EXPECT_THAT(text,
              HasSubstr("outrigger_extender_nodes_total{agent=\"safe\",verb=\"filter\"} 8000"));
  EXPECT_THAT(text, HasSubstr("reason=\"odd\"} 2000\n"));
}

TEST(Metrics, ShowListenersWhileTheyAreWatched) {
  const auto metrics = Metrics::Create();
  metrics->Watch("extender", [] {
    return http::ServerStats{.connections_accepted = 5,
                             .handshakes_failed = 6,
                             .requests_refused = 4,
                             .workers = 3,
                             .in_flight = 2};
  });
  std::string text = metrics->Render();
  EXPECT_THAT(text, HasSubstr("outrigger_http_connections_total{listener=\"extender\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_http_requests_refused_total{listener=\"extender\"} 4\n"));
  EXPECT_THAT(text,
              HasSubstr("outrigger_http_tls_handshakes_failed_total{listener=\"extender\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_http_workers{listener=\"extender\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_http_requests_in_flight{listener=\"extender\"} 2\n"));
  metrics->Watch("extender", nullptr);
  text = metrics->Render();
  EXPECT_THAT(text, Not(HasSubstr("listener=")));
}

TEST(Metrics, NameTheBuildAndTheProcess) {
  const std::string text = Metrics::Create()->Render();
  EXPECT_THAT(text, HasSubstr(fmt::format("version=\"{}\"", GetVersion().version)));
  EXPECT_THAT(text, HasSubstr("# TYPE process_cpu_seconds_total counter\n"));
  EXPECT_THAT(text, HasSubstr("\nprocess_resident_memory_bytes "));
}

TEST(Metrics, ShowHowTheApiServerIsFollowedUntilThatEnds) {
  const auto metrics = Metrics::Create();
  EXPECT_THAT(metrics->Render(), Not(HasSubstr("outrigger_watch_")));
  metrics->Follow([] {
    return FollowedCluster{
        .resources =
            {{.resource = "nodes", .synced = true, .age_seconds = 1.5, .objects = 7, .relists = 2},
             {.resource = "pods"}},
        .events_written = 5,
        .events_dropped = 3};
  });
  const std::string text = metrics->Render();
  EXPECT_THAT(text, HasSubstr("outrigger_watch_synced{resource=\"nodes\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_watch_synced{resource=\"pods\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_watch_age_seconds{resource=\"nodes\"} 1.5\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_watch_age_seconds{resource=\"pods\"} -1\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_watch_objects{resource=\"nodes\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_watch_relists_total{resource=\"nodes\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_events_total{result=\"written\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("outrigger_events_total{result=\"dropped\"} 3\n"));
  metrics->Follow(nullptr);
  EXPECT_THAT(metrics->Render(), Not(HasSubstr("outrigger_watch_")));
}

}  // namespace
}  // namespace outrigger::server
