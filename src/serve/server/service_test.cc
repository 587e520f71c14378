#include "serve/server/service.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "fake_engine_testing.h"
#include "gate.h"
#include "raw_http.h"

// The service over real sockets.

namespace outrigger::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Gate;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawHttp;
using Clock = std::chrono::steady_clock;

class ServiceTest : public ::testing::Test {
 protected:
  ~ServiceTest() override { gate_.Open(); }

  void Start(const ServiceOptions& options = {}) {
    auto service = Service::Start(options, engine_, *metrics_);
    ASSERT_TRUE(service.ok()) << service.status();
    service_ = std::move(*service);
  }
  /// The status and text of a GET on the admin port; "none" without an answer.
  std::string Admin(const std::string& path) const {
    RawHttp client(service_->admin_port());
    const auto answer = client.Call("GET", path);
    return answer ? fmt::format("{} {}", answer->status, answer->body) : "none";
  }
  std::vector<std::unique_ptr<RawHttp>> BlockBinds(size_t count) {
    std::vector<std::unique_ptr<RawHttp>> clients;
    for (size_t i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<RawHttp>(service_->port()));
      EXPECT_TRUE(clients.back()->SendRequest("POST", "/gang/bind"));
    }
    EXPECT_TRUE(gate_.AwaitHeld(count));
    return clients;
  }

  Gate gate_;
  // A bind waits at the gate; a filter on "throw" throws.
  FakeEngine engine_{
      [this](const engine::Endpoint& endpoint, std::string_view body, engine::Reply* reply) {
        if (endpoint.verb == engine::Verb::kBind) gate_.Pass();
        if (body == "throw") throw std::runtime_error("secret");
        FakeEngine::Describe(endpoint, body, reply);
      }};
  const std::unique_ptr<Metrics> metrics_ = Metrics::Create();
  std::unique_ptr<Service> service_;
};

TEST_F(ServiceTest, AnswersCallsOfTheScheduler) {
  Start();
  httplib::Client client("127.0.0.1", service_->port());
  // As the scheduler's Go client sends it.
  const auto answer = client.Post("/safe/filter", {{"Accept-Encoding", "gzip"}}, "{\"Pod\":{}}",
                                  "application/json");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(answer->get_header_value("Content-Encoding"), "");
  EXPECT_EQ(answer->body, "/safe/filter got {\"Pod\":{}}");
}

struct Row {
  const char* name;
  std::string request;
  int status;
  const char* body;
};
class ServiceRows : public ServiceTest, public ::testing::WithParamInterface<Row> {};

TEST_P(ServiceRows, Answers) {
  ServiceOptions options;
  options.extender.max_body = 1 << 20;
  Start(options);
  RawHttp client(service_->port());
  ASSERT_TRUE(client.Send(GetParam().request));
  const auto answer = client.ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status);
  EXPECT_THAT(answer->body, HasSubstr(GetParam().body));
  EXPECT_EQ(answer->header("content-type"), "application/json");
  EXPECT_EQ(answer->body.find("secret"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ServiceRows,
    ::testing::Values(
        Row{"EmptyBodyPassesThrough", "POST /filter HTTP/1.1\r\nHost: t\r\n\r\n", 200,
            "/filter got "},
        Row{"ContentTypeDoesNotMatter",
            "POST /filter HTTP/1.1\r\nHost: t\r\nContent-Type: text/xml\r\nContent-Length: "
            "2\r\n\r\n{}",
            200, "/filter got {}"},
        Row{"QueryDoesNotMatter", "POST /filter?timeout=5s HTTP/1.1\r\nHost: t\r\n\r\n", 200,
            "/filter got "},
        Row{"WrongMethod", "GET /filter HTTP/1.1\r\nHost: t\r\n\r\n", 405, "use POST"},
        Row{"UnknownPath", "POST /nope HTTP/1.1\r\nHost: t\r\n\r\n", 404, "served: /safe/filter"},
        Row{"Version", "GET /version HTTP/1.1\r\nHost: t\r\n\r\n", 200, "\"version\":"},
        Row{"HugeContentLength",
            "POST /filter HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999\r\n\r\n", 413,
            "limit of 1048576 bytes"},
        Row{"ContentEncoding",
            "POST /filter HTTP/1.1\r\nHost: t\r\nContent-Encoding: gzip\r\nContent-Length: "
            "1\r\n\r\nx",
            415, "Content-Encoding"},
        Row{"Exception", "POST /filter HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nthrow", 500,
            R"({"error":"internal error"})"}),
    [](const auto& row) { return row.param.name; });

TEST_F(ServiceTest, BelievesTheSocketAboutWhoAsksAndNoHeader) {
  Start();
  RawHttp client(service_->admin_port());
  const auto answer = client.Call("GET", "/version", "", "REMOTE_ADDR: 10.0.0.1\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST_F(ServiceTest, LetsTheEngineGiveMemoryBackNowAndThen) {
  ServiceOptions options;
  options.extender.trim_every = milliseconds(1);
  Start(options);
  for (const auto end = Clock::now() + seconds(20); engine_.trims() < 2 && Clock::now() < end;) {
    std::this_thread::yield();
  }
  EXPECT_GE(engine_.trims(), 2);
}

TEST_F(ServiceTest, HasNoPortForCallsWhereNoAgentTakesAny) {
  ServiceOptions options;
  options.takes_calls = false;
  options.extender.bind = "nowhere";  // it is not looked at
  Start(options);
  service_->SetReady();
  EXPECT_EQ(service_->port(), 0);
  EXPECT_EQ(Admin("/readyz"), "200 ok");
  EXPECT_THAT(Admin("/metrics"), HasSubstr("listener=\"admin\""));
  EXPECT_THAT(Admin("/metrics"), Not(HasSubstr("listener=\"extender\"")));
  service_->Drain(milliseconds(0), milliseconds(100));  // has no calls to wait for
}

TEST_F(ServiceTest, IsReadyWhenItIsTold) {
  Start();
  EXPECT_EQ(Admin("/livez"), "200 ok");
  EXPECT_EQ(Admin("/readyz"), "503 not ready: starting");
  service_->SetReady();
  EXPECT_EQ(Admin("/readyz"), "200 ok");
  EXPECT_THAT(Admin("/readyz?verbose"), HasSubstr("[+]listener ok\n"));
}

TEST_F(ServiceTest, AnswersProbesAndFiltersWhileBindsWait) {
  Start();
  service_->SetReady();
  const auto blocked = BlockBinds(100);
  const auto start = Clock::now();
  RawHttp client(service_->port());
  EXPECT_TRUE(client.Call("POST", "/safe/filter"));
  EXPECT_EQ(Admin("/readyz"), "200 ok");
  EXPECT_THAT(Admin("/metrics"),
              HasSubstr("outrigger_http_requests_in_flight{listener=\"extender\"} 100\n"));
  EXPECT_LT(Clock::now() - start, seconds(2));
}

TEST_F(ServiceTest, ShowsPagesOnTheAdminPortOnly) {
  Start();
  EXPECT_THAT(Admin("/queue"), HasSubstr(R"({"pod":"default/a"})"));
  RawHttp extender(service_->port());
  const auto refused = extender.Call("GET", "/queue");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 404);
  EXPECT_EQ(refused->body.find("default/a"), std::string::npos);
  RawHttp admin(service_->admin_port());
  ASSERT_TRUE(admin.SendRequest("HEAD", "/queue"));
  const auto head = admin.ReadAnswer(/*to_head=*/true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
}

/// Returns an address of this machine that is not loopback; empty if there is none.
std::string OwnAddress() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "";
  const absl::Cleanup free = [all] { ::freeifaddrs(all); };
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & IFF_LOOPBACK) != 0 || (each->ifa_flags & IFF_UP) == 0) continue;
    char text[INET_ADDRSTRLEN] = {};
    const auto* address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
    if (::inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text)) != nullptr) return text;
  }
  return "";
}

// As in a pod: kubelet and Prometheus come to its own address, kubectl port-forward to 127.0.0.1.
TEST_F(ServiceTest, ShowsPagesAtLoopbackAndNotAtAnotherAddress) {
  const std::string own = OwnAddress();
  ASSERT_NE(own, "") << "this test needs an IPv4 address besides loopback";
  ServiceOptions options;
  options.admin_bind = {own, "127.0.0.1"};
  options.metrics_from_anywhere = true;
  Start(options);
  service_->SetReady();
  EXPECT_THAT(Admin("/queue"), HasSubstr(R"({"pod":"default/a"})"));
  httplib::Client outside(own, service_->admin_port());
  const auto page = outside.Get("/queue");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 403);
  EXPECT_THAT(page->body, HasSubstr("kubectl port-forward"));
  EXPECT_EQ(outside.Get("/readyz")->status, 200);
  EXPECT_EQ(outside.Get("/metrics")->status, 200);
}

TEST_F(ServiceTest, HasOneAdminPortAtSeveralAddresses) {
  ServiceOptions options;
  options.admin_bind = {"127.0.0.1", "127.0.0.2", "::1"};
  Start(options);
  for (const std::string& address : options.admin_bind) {
    httplib::Client client(address, service_->admin_port());
    const auto answer = client.Get("/livez");
    ASSERT_TRUE(answer) << address;
    EXPECT_EQ(answer->body, "ok") << address;
  }
  EXPECT_THAT(Admin("/metrics"),
              HasSubstr("outrigger_http_connections_total{listener=\"admin\"} 4\n"));
}

TEST_F(ServiceTest, NamesTheAdminAddressThatItCannotListenOn) {
  ServiceOptions taken;
  taken.admin_bind = {"127.0.0.2"};
  Start(taken);
  ServiceOptions options;
  options.admin_bind = {"127.0.0.1", "127.0.0.2"};
  options.admin_port = service_->admin_port();
  const auto metrics = Metrics::Create();
  const auto second = Service::Start(options, engine_, *metrics);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr(fmt::format("admin: cannot listen on 127.0.0.2:{}", options.admin_port)));
}

TEST_F(ServiceTest, AnswersProbesWhilePagesTakeTheirTime) {
  engine_.fill_page = [this](PageTable*) {
    gate_.Pass();
    return absl::OkStatus();
  };
  Start();
  service_->SetReady();
  std::vector<std::unique_ptr<RawHttp>> readers;
  for (int i = 0; i < 4; ++i) {
    readers.push_back(std::make_unique<RawHttp>(service_->admin_port()));
    ASSERT_TRUE(readers.back()->SendRequest("GET", "/queue"));
  }
  EXPECT_TRUE(gate_.AwaitHeld(4));
  EXPECT_EQ(Admin("/readyz"), "200 ok");
  EXPECT_THAT(Admin("/queue"), HasSubstr("503 "));
  gate_.Open();
  for (const auto& reader : readers) EXPECT_TRUE(reader->ReadAnswer());
}

TEST_F(ServiceTest, ShowsItsEndpointsInTheMetrics) {
  Start();
  EXPECT_THAT(Admin("/metrics"),
              HasSubstr("outrigger_extender_requests_total{agent=\"gang\",verb=\"bind\"} 0\n"));
}

TEST_F(ServiceTest, DrainFailsReadinessFirstAndAnswersAllCalls) {
  Start();
  service_->SetReady();
  const auto blocked = BlockBinds(50);
  std::thread drain([this] { service_->Drain(milliseconds(100), seconds(60)); });
  const absl::Cleanup finish = [&] {  // a failed test has to end, too
    gate_.Open();
    if (drain.joinable()) drain.join();
  };
  const auto deadline = Clock::now() + seconds(20);
  while (Admin("/readyz") == "200 ok" && Clock::now() < deadline) std::this_thread::yield();
  EXPECT_EQ(Admin("/readyz"), "503 not ready: draining");
  service_->SetReady();
  EXPECT_EQ(Admin("/readyz"), "503 not ready: draining") << "a drain is final";
  RawHttp late(service_->port());
  EXPECT_TRUE(late.Call("POST", "/safe/filter"));
  gate_.Open();
  for (const auto& client : blocked) {
    const auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "/gang/bind got ");
  }
  drain.join();
  EXPECT_FALSE(RawHttp(service_->port()).connected());
  EXPECT_FALSE(RawHttp(service_->admin_port()).connected());
}

TEST_F(ServiceTest, SaysWhichListenerFoundItsPortTaken) {
  Start();
  const std::unique_ptr<Metrics> metrics = Metrics::Create();
  ServiceOptions options;
  options.extender.port = service_->port();
  const auto extender = Service::Start(options, engine_, *metrics);
  EXPECT_EQ(extender.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(extender.status().message(),
            fmt::format("extender: cannot listen on 127.0.0.1:{}: Address already in use",
                        service_->port()));
  ServiceOptions admin_options;
  admin_options.admin_port = service_->admin_port();
  const auto admin = Service::Start(admin_options, engine_, *metrics);
  EXPECT_EQ(admin.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(admin.status().message()), HasSubstr("admin: cannot listen on"));
}

TEST_F(ServiceTest, LeavesTheMetricsUsableWhenItIsGone) {
  Start();
  service_.reset();
  EXPECT_THAT(metrics_->Render(), HasSubstr("outrigger_build_info"));
}

}  // namespace
}  // namespace outrigger::server
