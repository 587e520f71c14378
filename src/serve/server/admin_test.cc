#include "serve/server/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "fake_engine_testing.h"
#include "raw_http.h"

namespace outrigger::server {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using testing::RawHttp;

struct Peer {
  std::string method = "GET";
  std::string query = {};
  std::string address = "127.0.0.1";
  std::string fields = {};  // headers
};

class AdminRoutesTest : public ::testing::Test {
 protected:
  http::Response Ask(std::string_view path, const Peer& peer = {}) const {
    http::Response response;
    AdminRoutes(&engine_, *metrics_, readiness_, checks_, metrics_from_anywhere_)
        .Handle({.method = peer.method,
                 .path = path,
                 .query = peer.query,
                 .content_type = {},
                 .body = {},
                 .peer = peer.address,
                 .fields = peer.fields},
                &response);
    return response;
  }

  FakeEngine engine_;
  std::unique_ptr<Metrics> metrics_ = Metrics::Create();
  std::atomic<Readiness> readiness_{Readiness::kReady};
  Checks checks_;
  bool metrics_from_anywhere_ = false;
};

const Peer kFar{.address = "10.1.2.3"};

TEST_F(AdminRoutesTest, LivezIsOkHoweverReadyItIs) {
  for (const Readiness readiness :
       {Readiness::kStarting, Readiness::kReady, Readiness::kDraining}) {
    readiness_ = readiness;
    EXPECT_EQ(Ask("/livez", kFar).status, 200);
    EXPECT_EQ(Ask("/livez", kFar).body, "ok");
  }
}

TEST_F(AdminRoutesTest, LivezFailsForAnAgentThatOnlyARestartHelps) {
  engine_.live = absl::UnavailableError("agent gang: planning has been at work for 200 s");
  EXPECT_EQ(Ask("/livez").status, 503);
  EXPECT_EQ(Ask("/livez").body, "not live: agent gang: planning has been at work for 200 s");
  EXPECT_EQ(Ask("/livez", kFar).body, "not live");
}

TEST_F(AdminRoutesTest, ReadyzFollowsReadiness) {
  EXPECT_EQ(Ask("/readyz", kFar).status, 200);
  EXPECT_EQ(Ask("/readyz", kFar).body, "ok");
  readiness_ = Readiness::kStarting;
  EXPECT_EQ(Ask("/readyz", kFar).status, 503);
  EXPECT_EQ(Ask("/readyz", kFar).body, "not ready: starting");
  readiness_ = Readiness::kDraining;
  EXPECT_EQ(Ask("/readyz", kFar).status, 503);
  EXPECT_EQ(Ask("/readyz", kFar).body, "not ready: draining");
}

TEST_F(AdminRoutesTest, ReadyzVerboseListsTheChecks) {
  EXPECT_EQ(Ask("/readyz", {.query = "verbose"}).body,
            "[+]listener ok\n[+]started ok\n[+]not-draining ok\nreadyz check passed\n");
  readiness_ = Readiness::kDraining;
  const http::Response draining = Ask("/readyz", {.query = "a=b&verbose=1"});
  EXPECT_EQ(draining.status, 503);
  EXPECT_EQ(draining.body,
            "[+]listener ok\n[+]started ok\n[-]not-draining failed: draining\n"
            "readyz check failed\n");
}

TEST_F(AdminRoutesTest, ReadyzFailsWithAnyCheckAndNamesItToPeersFromOutside) {
  std::string why_not = "pods: connection refused";
  checks_ = [&why_not] { return std::vector<Check>{{"config", ""}, {"cluster", why_not}}; };
  const http::Response failed = Ask("/readyz", kFar);
  EXPECT_EQ(failed.status, 503);
  EXPECT_EQ(failed.body, "not ready: cluster");
  EXPECT_EQ(Ask("/readyz", {.query = "verbose"}).body,
            "[+]listener ok\n[+]started ok\n[+]not-draining ok\n[+]config ok\n"
            "[-]cluster failed: pods: connection refused\nreadyz check failed\n");
  why_not.clear();
  EXPECT_EQ(Ask("/readyz", kFar).body, "ok");
  readiness_ = Readiness::kDraining;
  EXPECT_EQ(Ask("/readyz", kFar).body, "not ready: draining");
}

TEST_F(AdminRoutesTest, ReadyzFailsWhileAnAgentIsNotReady) {
  engine_.readiness = {{"gang", absl::OkStatus()}, {"devices", absl::UnavailableError("recovers")}};
  EXPECT_EQ(Ask("/readyz", kFar).status, 503);
  EXPECT_EQ(Ask("/readyz", kFar).body, "not ready: agent-devices");
  EXPECT_EQ(Ask("/readyz", {.query = "verbose"}).status, 503);
  EXPECT_EQ(Ask("/readyz", {.query = "verbose"}).body,
            "[+]listener ok\n[+]started ok\n[+]not-draining ok\n[+]agent-gang ok\n"
            "[-]agent-devices failed: recovers\nreadyz check failed\n");
  engine_.readiness[1].ready = absl::UnavailableError("");
  EXPECT_EQ(Ask("/readyz", kFar).status, 503) << "also without a text";
  engine_.readiness[1].ready = absl::OkStatus();
  EXPECT_EQ(Ask("/readyz", kFar).status, 200);
}

TEST_F(AdminRoutesTest, MetricsAreTheTextExposition) {
  const http::Response response = Ask("/metrics");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(response.body, HasSubstr("outrigger_build_info{"));
}

TEST_F(AdminRoutesTest, VersionIsJson) {
  const auto json = nlohmann::json::parse(Ask("/version").body);
  EXPECT_TRUE(json.contains("version") && json.contains("compiler") && json.contains("buildType"))
      << json;
}

struct LoopbackRow {
  const char* name;
  const char* path;
  const char* query;
};
class OnLoopbackOnly : public AdminRoutesTest, public ::testing::WithParamInterface<LoopbackRow> {};

TEST_P(OnLoopbackOnly, AnswersLocalPeersAndRefusesOthers) {
  const auto status = [&](const char* address) {
    return Ask(GetParam().path, {.query = GetParam().query, .address = address}).status;
  };
  for (const char* local : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_NE(status(local), 403) << local;
  }
  for (const char* far : {"10.0.0.1", "1.127.0.0", "::2", "::ffff:10.0.0.1", "fe80::1", ""}) {
    EXPECT_EQ(status(far), 403) << far;
  }
  const http::Response refused =
      Ask(GetParam().path, {.query = GetParam().query, .address = "10.0.0.1"});
  EXPECT_EQ(refused.body,
            R"({"error":"served on loopback only: use kubectl port-forward to this port, or )"
            R"(kubectl exec, and call 127.0.0.1"})");
}

INSTANTIATE_TEST_SUITE_P(Rows, OnLoopbackOnly,
                         ::testing::Values(LoopbackRow{"Metrics", "/metrics", ""},
                                           LoopbackRow{"Version", "/version", ""},
                                           LoopbackRow{"ReadyzVerbose", "/readyz", "verbose"},
                                           LoopbackRow{"History", "/history", ""},
                                           LoopbackRow{"Page", "/queue", ""},
                                           LoopbackRow{"UnknownPath", "/nope", ""}),
                         [](const auto& row) { return row.param.name; });

TEST_F(AdminRoutesTest, MetricsGoToAnyoneWhenThatIsAskedFor) {
  metrics_from_anywhere_ = true;
  EXPECT_EQ(Ask("/metrics", kFar).status, 200);
  EXPECT_EQ(Ask("/version", kFar).status, 403);
}

TEST_F(AdminRoutesTest, UnknownPathsNameTheKnownOnes) {
  const http::Response response = Ask("/healthz");
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr("no such path: /healthz; served: / (for browsers), /livez"));
  EXPECT_THAT(response.body, HasSubstr("/pages, /queue (of agent qos: pods that wait)"));
}

TEST_F(AdminRoutesTest, PagesAreJson) {
  const http::Response response = Ask("/queue");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  const auto json = nlohmann::json::parse(response.body);
  EXPECT_EQ(json["agent"], "qos");
  EXPECT_EQ(json["page"], "queue");
  EXPECT_EQ(json["rows"], nlohmann::json::parse(R"([{"pod":"default/a"}])"));
  EXPECT_EQ(json["total"], 1);
  EXPECT_EQ(json["truncated"], false);
}

TEST_F(AdminRoutesTest, ABrowserGetsAPageThatLoadsNothingFromElsewhere) {
  for (const char* path : {"/", "/ui.css", "/ui.js"}) {
    const http::Response file = Ask(path);
    EXPECT_EQ(file.status, 200) << path;
    EXPECT_THAT(file.body, Not(HasSubstr("://"))) << path;
    EXPECT_THAT(file.body, Not(HasSubstr("innerHTML"))) << path;
    EXPECT_THAT(file.headers,
                Contains(Pair("Content-Security-Policy", HasSubstr("default-src 'none'"))));
    EXPECT_EQ(Ask(path, kFar).status, 403) << path;
  }
  EXPECT_THAT(Ask("/").body, AllOf(HasSubstr("<html"), HasSubstr("\"ui.js\"")));
  EXPECT_EQ(Ask("/ui.js").content_type, "text/javascript; charset=utf-8");
}

TEST_F(AdminRoutesTest, HistoryIsJsonWithASampleOfThePresent) {
  metrics_->OnRejected("safe", "risk", 3);
  const http::Response response = Ask("/history");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  const auto json = nlohmann::json::parse(response.body);
  EXPECT_EQ(json["times"].size(), 1U);
  EXPECT_EQ(json["series"][0]["name"], "outrigger_nodes_rejected_total");
  EXPECT_EQ(json["series"][0]["values"].back(), 3);
}

TEST_F(AdminRoutesTest, PagesAreListed) {
  EXPECT_THAT(Ask("/pages").body, HasSubstr(R"({"page":"queue","agent":"qos","help":)"));
}

TEST_F(AdminRoutesTest, WhatAWebPageOfSomebodyElseCouldAskIsRefused) {
  for (const char* path :
       {"/", "/pages", "/queue", "/version", "/history", "/metrics", "/livez", "/readyz"}) {
    EXPECT_EQ(Ask(path, {.fields = "Host:evil.example:9970\n"}).status, 403) << path;
    EXPECT_EQ(Ask(path, {.fields = "Host:localhost\nOrigin:http://localhost\n"}).status, 403);
    EXPECT_EQ(Ask(path, {.fields = "Host:localhost:9970\n"}).status, 200) << path;
  }
}

TEST_F(AdminRoutesTest, ProbesAndMetricsAreAnsweredWhateverTheHostOfThePod) {
  for (const char* path : {"/metrics", "/livez", "/readyz"}) {
    EXPECT_EQ(Ask(path, {.fields = "Host:127.0.0.1:9970\n"}).status, 200) << path;
    for (const char* host : {"Host:10.0.0.7:9970\n", "Host:[fd00::7]:9970\n"}) {
      EXPECT_EQ(Ask(path, {.fields = host}).status, 200) << "by a proxy: " << path;
      EXPECT_EQ(Ask("/queue", {.fields = host}).status, 403);
    }
    EXPECT_EQ(Ask(path, {.fields = "Host:10.0.0.7:9970\nOrigin:http://10.0.0.7\n"}).status, 403);
  }
  for (const char* path : {"/livez", "/readyz"}) {
    EXPECT_EQ(Ask(path, {.address = "10.0.0.9", .fields = "Host:outrigger.jobs:9970\n"}).status,
              200)
        << path;
  }
}

TEST_F(AdminRoutesTest, PagesAreAskedForByTheirExactPath) {
  for (const char* path : {"/queue/", "/Queue", "/queue/a", "queue", "//queue"}) {
    EXPECT_EQ(Ask(path).status, 404) << path;
  }
  EXPECT_EQ(Ask("/queue", {.query = "a=b"}).status, 200);
  EXPECT_EQ(Ask("/queue", {.method = "HEAD"}).status, 200);
  EXPECT_EQ(Ask("/queue", {.method = "POST"}).status, 405);
}

TEST_F(AdminRoutesTest, PagesAreNotFilledForPeersFromOutside) {
  metrics_from_anywhere_ = true;
  int filled = 0;
  engine_.fill_page = [&filled](PageTable*) {
    ++filled;
    return absl::OkStatus();
  };
  EXPECT_EQ(Ask("/queue", kFar).status, 403);
  EXPECT_EQ(filled, 0);
  EXPECT_EQ(Ask("/queue").status, 200);
  EXPECT_EQ(filled, 1);
}

TEST_F(AdminRoutesTest, PagesThatAreNotReadyAre503AndFaultsAre500) {
  engine_.fill_page = [](PageTable*) { return absl::UnavailableError("no plan yet"); };
  EXPECT_EQ(Ask("/queue").status, 503);
  EXPECT_EQ(Ask("/queue").body, R"({"error":"no plan yet"})");
  engine_.fill_page = [](PageTable*) { return absl::InternalError("row 0"); };
  EXPECT_EQ(Ask("/queue").status, 500);
  EXPECT_EQ(Ask("/queue").body, R"({"error":"row 0"})");
}

TEST_F(AdminRoutesTest, PagesHaveTenThousandRowsAtMost) {
  engine_.fill_page = [](PageTable* table) {
    for (int i = 0; i < 10'001; ++i) table->Add({"p"});
    return absl::OkStatus();
  };
  const auto json = nlohmann::json::parse(Ask("/queue").body);
  EXPECT_EQ(json["rows"].size(), 10'000U);
  EXPECT_EQ(json["total"], 10'001);
  EXPECT_EQ(json["truncated"], true);
}

TEST_F(AdminRoutesTest, OnlyGetAndHead) {
  EXPECT_EQ(Ask("/livez", {.method = "HEAD"}).status, 200);
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    const http::Response response = Ask("/livez", {.method = method});
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_EQ(response.allow, "GET, HEAD") << method;
  }
}

class AdminServiceTest : public ::testing::Test {
 protected:
  AdminServiceTest() {
    AdminOptions options;
    options.checks = [this] { return checks_; };
    auto service = AdminService::Start(options, *metrics_);
    EXPECT_TRUE(service.ok()) << service.status();
    if (service.ok()) service_ = *std::move(service);
  }
  testing::HttpAnswer Get(std::string_view path) {
    RawHttp http(service_->port());
    return http.Call("GET", path).value_or(testing::HttpAnswer());
  }

  std::vector<Check> checks_;
  const std::unique_ptr<Metrics> metrics_ = Metrics::Create();
  std::unique_ptr<AdminService> service_;
};

TEST_F(AdminServiceTest, IsReadyFromItsStartToItsDrain) {
  EXPECT_EQ(Get("/livez").status, 200);
  EXPECT_EQ(Get("/readyz").status, 503);
  service_->SetReady();
  EXPECT_EQ(Get("/readyz").status, 200);
  service_->SetDraining();
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/livez").status, 200);
}

TEST_F(AdminServiceTest, AFailedCheckIsOnThePage) {
  service_->SetReady();
  checks_ = {{"cluster", ""}, {"values", "no right to write"}};
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_THAT(Get("/readyz?verbose").body, HasSubstr("[-]values failed: no right to write"));
}

TEST_F(AdminServiceTest, HasNoPagesOfAgents) {
  EXPECT_EQ(Get("/queue").status, 404);
  EXPECT_EQ(Get("/version").status, 200);
}

TEST_F(AdminServiceTest, HasAHistory) {
  EXPECT_THAT(Get("/history").body, HasSubstr("\"series\":["));
}

TEST_F(AdminServiceTest, ShowsFamiliesUntilTheyAreTakenBack) {
  metrics_->Show([] {
    return std::vector<ShownFamily>{
        {.name = "outrigger_tries_total",
         .help = "Tries.",
         .is_counter = true,
         .series = {{.labels = {{"node", "a\"b"}, {"cause", "x"}}, .value = 3}}},
        {.name = "outrigger_left", .help = "What is left.", .is_counter = false, .series = {}}};
  });
  const std::string page = Get("/metrics").body;
  EXPECT_THAT(page, HasSubstr("# HELP outrigger_tries_total Tries.\n"
                              "# TYPE outrigger_tries_total counter\n"));
  EXPECT_THAT(page, HasSubstr("cause=\"x\""));
  EXPECT_THAT(page, HasSubstr("node=\"a\\\"b\""));
  EXPECT_THAT(page, HasSubstr("# TYPE outrigger_left gauge\n"));
  EXPECT_THAT(page, HasSubstr("listener=\"admin\""));
  metrics_->Show(nullptr);
  EXPECT_THAT(Get("/metrics").body, Not(HasSubstr("outrigger_tries_total")));
}

TEST_F(AdminServiceTest, ATakenPortIsAnErrorThatNamesTheListener) {
  AdminOptions options;
  options.port = service_->port();
  const auto second = AdminService::Start(options, *metrics_);
  EXPECT_TRUE(absl::IsAlreadyExists(second.status())) << second.status();
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("admin: "));
}

}  // namespace

}  // namespace outrigger::server
