#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "certificates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prometheus_source_testing.h"
#include "rude_server.h"

// A server that is down, hostile, or wants a token.

namespace outrigger::usage {
namespace {

using absl::StatusCode;
using outrigger::testing::RudeServer;
using ::testing::Each;
using ::testing::HasSubstr;

struct DownRow {
  const char* name;
  Answered answer;
  StatusCode code;
  const char* text;
};
class PrometheusDown : public ::testing::TestWithParam<DownRow> {};

TEST_P(PrometheusDown, IsAnErrorThatSaysWhatToCheck) {
  const ScriptedPrometheus server([](const Asked&) { return GetParam().answer; });
  const auto reading = Read(To(server.url()), {AskedNode("a", "10.0.0.1")});
  EXPECT_EQ(reading.status().code(), GetParam().code) << reading.status();
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr(GetParam().text));
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr(server.url()));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PrometheusDown,
    ::testing::Values(
        DownRow{"Empty", {200, ""}, StatusCode::kDataLoss, "found nothing"},
        DownRow{"Html", {200, "<html>"}, StatusCode::kDataLoss, "not a response of Prometheus"},
        DownRow{"Cut",
                {200, R"({"status":"success","data":{"result":[)"},
                StatusCode::kDataLoss,
                "not a response of Prometheus"},
        DownRow{"AnotherApi", {200, R"({"kind":"Status"})"}, StatusCode::kDataLoss, "status"},
        DownRow{"NoData", {200, R"({"status":"success"})"}, StatusCode::kDataLoss, "data"},
        DownRow{"Refused",
                {401, "no"},
                StatusCode::kUnavailable,
                "HTTP status 401: no. Check --prometheus-token-file, --prometheus-header-file"},
        DownRow{"Tenant",
                {401, "no org id\n"},
                StatusCode::kUnavailable,
                "HTTP status 401: no org id. It needs a tenant: give --prometheus-header-file a "
                "file with the line \"X-Scope-OrgID: <tenant>\""},
        DownRow{"RefusedAsPrometheusFails", ErrorAnswer(403, "forbidden", "wrong key\\u001b"),
                StatusCode::kUnavailable, "wrong key\\u001b\"}. Check --prometheus-token-file"},
        DownRow{"Page",
                {401, "<html>\r\n<head><title>401 Authorization\nRequired</title></head>"},
                StatusCode::kUnavailable,
                "HTTP status 401: 401 Authorization Required. Check"},
        DownRow{"LongText",
                {400, std::string(600, 'x')},
                StatusCode::kUnavailable,
                "xxx.... Check that the URL is that of Prometheus"},
        DownRow{"PageOfALogin",
                {200, "<!DOCTYPE html><title>Grafana</title>Sign in"},
                StatusCode::kDataLoss,
                "expected a JSON object: Grafana Sign in"},
        DownRow{"TooOften",
                {429, "too many requests"},
                StatusCode::kUnavailable,
                "too many requests. Check its limits"},
        DownRow{"InClear",
                {400, "Client sent an HTTP request to an HTTPS server.\n"},
                StatusCode::kUnavailable,
                "an HTTPS server. Check the URL: the server expects https://"},
        DownRow{"NoAuthorization",
                {400, "missing `Authorization` request header"},
                StatusCode::kUnavailable,
                "header. Check --prometheus-token-file"},
        DownRow{"ErrorWithoutType",
                {400, R"({"status":"error","error":"odd"})"},
                StatusCode::kUnavailable,
                "400: odd"},
        DownRow{"NotThere", {404, "no"}, StatusCode::kUnavailable, "path prefix"},
        DownRow{"BadQuery", ErrorAnswer(400, "bad_data", "parse error"), StatusCode::kUnavailable,
                "400: bad_data: parse error"},
        DownRow{"ErrorWith200", ErrorAnswer(200, "internal", "x\\u0007"), StatusCode::kUnavailable,
                "internal: x\\x07"},
        DownRow{"Gateway",
                {502, "<html>"},
                StatusCode::kUnavailable,
                "HTTP status 502. Check the server's log"}),
    [](const auto& row) { return row.param.name; });

TEST(PrometheusSource, IsUnavailableWhereNothingListens) {
  std::string url;
  {
    const RudeServer gone("");
    url = gone.url();
  }
  const auto reading = Read(To(url), {AskedNode("a", "10.0.0.1")});
  EXPECT_EQ(reading.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr("Check that Prometheus runs"));
}

TEST(PrometheusSource, EndsATricklingBodyAndOneThatIsTooLarge) {
  const RudeServer trickle([](int peer) {
    RudeServer::Send(peer, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{");
    while (RudeServer::Send(peer, " ")) RudeServer::AwaitEnd(peer, 10);
  });
  PrometheusOptions options = To(trickle.url());
  options.total = milliseconds(50);
  EXPECT_EQ(Read(options, {}).status().code(), StatusCode::kDeadlineExceeded);

  const RudeServer endless([](int peer) {
    const std::string many(1 << 16, ' ');
    RudeServer::Send(peer, "HTTP/1.1 200 OK\r\n\r\n");
    while (RudeServer::Send(peer, many)) {
    }
  });
  options = To(endless.url());
  options.most_bytes = 1 << 20;
  const auto large = Read(options, {});
  EXPECT_EQ(large.status().code(), StatusCode::kResourceExhausted) << large.status();
}

TEST(PrometheusSource, SendsTheTokenOfItsFile) {
  const outrigger::testing::TestFolder folder;
  const ScriptedPrometheus server(Cluster(1));
  PrometheusOptions options = To(server.url());
  options.token_file = folder.Write("token", "t0ken");
  ASSERT_TRUE(Read(options, {AskedNode("a", "10.0.0.1")}).ok());
  std::vector<std::string> tokens;
  for (const Asked& asked : server.asked()) tokens.push_back(asked.token);
  EXPECT_THAT(tokens, Each("Bearer t0ken"));
}

TEST(PrometheusSource, SendsTheHeadersOfTheirFile) {
  const outrigger::testing::TestFolder folder;
  const ScriptedPrometheus server([](const Asked& asked) -> Answered {
    if (asked.tenant.empty()) return {401, "no org id"};
    return Cluster(1)(asked);
  });
  PrometheusOptions options = To(server.url());
  options.header_file = folder.Write("headers", "X-Scope-OrgID: team-a\n");
  const auto reading = Read(options, {AskedNode("a", "10.0.0.1")});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->nodes[0].cpu.mean.value, 1000);
}

TEST(PrometheusSource, EndsWhenAStopIsRequested) {
  const auto stop = std::make_unique<std::stop_source>();
  const ScriptedPrometheus server(
      Cluster(1, [&stop](const std::string& kind, const Asked&) -> std::optional<Answered> {
        if (kind == "cpu-mean") stop->request_stop();
        return std::nullopt;
      }));
  auto source = MakePrometheusSource(To(server.url()));
  const std::vector<NodeQuestion> nodes = {AskedNode("a", "10.0.0.1")};
  EXPECT_EQ((*source)->Read(nodes, stop->get_token()).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace outrigger::usage
