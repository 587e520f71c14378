#include "console/agent_client/fetch_page.h"

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "rude_server.h"

namespace outrigger::agent_client {
namespace {

using absl::StatusCode;
using outrigger::testing::RudeServer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kPatienceMs = 20'000;

std::string Page(const std::string& name, int version = 1) {
  return fmt::format(R"({{"version":{},"agent":"qos","page":"{}","columns":[)"
                     R"({{"name":"pod","type":"text"}}],"rows":[{{"pod":"a"}}],"total":1}})",
                     version, name);
}
std::string Http(const std::string& status, const std::string& body) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

TEST(FetchPage, ReturnsThePage) {
  RudeServer server(Http("200 OK", Page("queue")));
  const auto page = FetchPage(server.url(), "queue");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->agent, "qos");
  EXPECT_EQ(page->table.rows(), std::vector<std::vector<PageCell>>{{"a"}});
  EXPECT_THAT(server.head(), StartsWith("GET /queue HTTP/1.1\r\n"));
  EXPECT_THAT(server.head(), Not(HasSubstr("gzip")));
}

TEST(FetchPage, EndsWhenAStopIsRequested) {
  RudeServer server(Http("200 OK", Page("queue")));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(absl::IsCancelled(FetchPage(server.url(), "queue", {}, stop.get_token()).status()));
}

TEST(FetchFailedChecks, ReturnsThoseThatFail) {
  RudeServer server(Http("503 Service Unavailable",
                         "[+]started ok\n[-]agent-qos failed: no \x1bplan failed: x\n[-]odd\n"
                         "readyz check failed\n"));
  const auto failed = FetchFailedChecks(server.url());
  ASSERT_TRUE(failed.ok()) << failed.status();
  EXPECT_EQ(*failed, (std::vector<std::string>{"agent-qos: no \\x1bplan failed: x", "odd"}));
  EXPECT_THAT(server.head(), StartsWith("GET /readyz?verbose=1 HTTP/1.1\r\n"));
}

TEST(FetchFailedChecks, ReturnsNoneOfAProcessThatIsReady) {
  RudeServer server(Http("200 OK", "[+]started ok\nreadyz check passed\n"));
  EXPECT_EQ(FetchFailedChecks(server.url())->size(), 0U);
}

TEST(FetchFailedChecks, RefusesWhatIsNoAnswerOfAnAgent) {
  RudeServer server(Http("404 Not Found", "{}"));
  EXPECT_TRUE(absl::IsNotFound(FetchFailedChecks(server.url()).status()));
}

struct AnswerRow {
  const char* name;
  std::string answer;
  StatusCode code;
  const char* text;
};
class FetchPageAnswer : public ::testing::TestWithParam<AnswerRow> {};

TEST_P(FetchPageAnswer, ThatIsNoPageIsAnErrorWithUrlAndCause) {
  const RudeServer server(GetParam().answer);
  const auto page = FetchPage(server.url(), "queue");
  EXPECT_EQ(page.status().code(), GetParam().code) << page.status();
  EXPECT_THAT(std::string(page.status().message()), HasSubstr(GetParam().text));
  EXPECT_THAT(std::string(page.status().message()), StartsWith(server.url() + "/queue: "));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, FetchPageAnswer,
    ::testing::Values(
        AnswerRow{"Forbidden", Http("403 Forbidden", R"({"error":"loopback only"})"),
                  StatusCode::kPermissionDenied, "403: loopback only"},
        AnswerRow{"NotFound", Http("404 Not Found", R"({"error":"served: /livez"})"),
                  StatusCode::kNotFound, "404: served: /livez"},
        AnswerRow{"NotReady", Http("503 Service Unavailable", R"({"error":"no plan yet"})"),
                  StatusCode::kUnavailable, "503: no plan yet"},
        AnswerRow{"Fault", Http("500 Internal Server Error", "no JSON\x1b[0m"),
                  StatusCode::kInternal, "500: no JSON\\x1b[0m"},
        AnswerRow{"ErrorIsNoText", Http("500 Internal Server Error", R"({"error":{"a":1}})"),
                  StatusCode::kInternal, R"(500: {"error":{"a":1}})"},
        AnswerRow{"Redirect", "HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n",
                  StatusCode::kInternal, "302"},
        AnswerRow{"Html", Http("200 OK", "<html>"), StatusCode::kDataLoss,
                  "not a page of an agent: it is not a JSON object. Check that this is the admin"},
        AnswerRow{"AnotherPage", Http("200 OK", Page("shares")), StatusCode::kDataLoss,
                  "the response is the page \"shares\""},
        AnswerRow{"AnotherVersion", Http("200 OK", Page("queue", 2)), StatusCode::kUnimplemented,
                  "a page of version 2"},
        AnswerRow{"NoHttp", "SSH-2.0-OpenSSH\r\n", StatusCode::kDataLoss, "the connection ended"},
        AnswerRow{"Nothing", "", StatusCode::kDataLoss, "the connection ended"},
        AnswerRow{"CutOff", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
                  StatusCode::kDataLoss, "the connection ended"}),
    [](const auto& row) { return row.param.name; });

TEST(FetchPage, NamesWhatToCheckWhereNothingListens) {
  std::string url;
  {
    const RudeServer gone("");
    url = gone.url();
  }
  const auto page = FetchPage(url, "queue");
  EXPECT_EQ(page.status().code(), StatusCode::kUnavailable) << page.status();
  EXPECT_THAT(std::string(page.status().message()),
              HasSubstr(url + "/queue: no connection. Check that the agent runs"));
}

struct UrlRow {
  const char* name;
  const char* url;
  const char* page;
  const char* text;
};
class FetchPageUrl : public ::testing::TestWithParam<UrlRow> {};

TEST_P(FetchPageUrl, IsRefusedBeforeAnyCall) {
  const auto page = FetchPage(GetParam().url, GetParam().page);
  EXPECT_EQ(page.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(page.status().message()), HasSubstr(GetParam().text));
  EXPECT_THAT(std::string(page.status().message()), Not(HasSubstr("secret")));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, FetchPageUrl,
    ::testing::Values(
        UrlRow{"Tls", "https://127.0.0.1:9971", "queue", "admin ports do not have TLS"},
        UrlRow{"FarAddress", "http://10.0.0.1:9971", "queue", "on loopback only"},
        UrlRow{"Name", "http://127.example.com:9971", "queue", "on loopback only"},
        UrlRow{"Path", "http://127.0.0.1:9971/queue", "queue", "a path is not accepted"},
        UrlRow{"NoScheme", "127.0.0.1:9971", "queue", "expected http://127.0.0.1:PORT"},
        UrlRow{"Password", "http://user:secret@127.0.0.1:9971", "queue", "URL of an agent: "},
        UrlRow{"PageName", "http://127.0.0.1:9971", "../queue", "page name \"../queue\""}),
    [](const auto& row) { return row.param.name; });

TEST(FetchPage, ReadsUpToItsLimitOfBytes) {
  const std::string page = Page("queue");
  FetchLimits limits;
  limits.max_bytes = page.size();
  EXPECT_TRUE(FetchPage(RudeServer(Http("200 OK", page)).url(), "queue", limits).ok());
  limits.max_bytes = page.size() - 1;
  const RudeServer server(Http("200 OK", page));
  const auto refused = FetchPage(server.url(), "queue", limits);
  EXPECT_EQ(refused.status().code(), StatusCode::kResourceExhausted) << refused.status();
}

TEST(FetchPage, EndsABodyWithoutLengthAtItsLimit) {
  const RudeServer server([](int peer) {
    const std::string many(1 << 16, ' ');
    RudeServer::Send(peer, "HTTP/1.1 200 OK\r\n\r\n");
    while (RudeServer::Send(peer, many)) {
    }
  });
  const auto page = FetchPage(server.url(), "queue");
  EXPECT_EQ(page.status().code(), StatusCode::kResourceExhausted) << page.status();
}

/// A peer that writes `first`, then a byte of `more` every 10 ms until the client has gone.
RudeServer::Talk Drips(std::string first, char more) {
  return [first = std::move(first), more](int peer) {
    RudeServer::Send(peer, first);
    while (RudeServer::Send(peer, {&more, 1})) RudeServer::AwaitEnd(peer, 10);
  };
}

struct SlowRow {
  const char* name;
  RudeServer::Talk talk;
  milliseconds read;
  milliseconds total;
};
class FetchPageTime : public ::testing::TestWithParam<SlowRow> {};

TEST_P(FetchPageTime, IsBoundedByTheWallClock) {
  const RudeServer server(GetParam().talk);
  FetchLimits limits;
  limits.read = GetParam().read;
  limits.total = GetParam().total;
  const auto start = std::chrono::steady_clock::now();
  const auto page = FetchPage(server.url(), "queue", limits);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(15));
  EXPECT_EQ(page.status().code(), StatusCode::kDeadlineExceeded) << page.status();
  EXPECT_THAT(std::string(page.status().message()), HasSubstr("within 50 ms"));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, FetchPageTime,
    ::testing::Values(
        SlowRow{"HeadDrips", Drips("HTTP/1.1 200 OK\r\nA: ", 'a'), seconds(60), milliseconds(50)},
        SlowRow{"StatusDrips", Drips("", 'H'), seconds(60), milliseconds(50)},
        SlowRow{"BodyDrips", Drips("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", ' '),
                seconds(60), milliseconds(50)},
        SlowRow{"BodyWithoutLengthDrips", Drips("HTTP/1.1 200 OK\r\n\r\n" + Page("queue"), ' '),
                seconds(60), milliseconds(50)},
        SlowRow{"Silent", [](int peer) { RudeServer::AwaitEnd(peer, kPatienceMs); }, seconds(60),
                milliseconds(50)},
        SlowRow{"SilentByRead", [](int peer) { RudeServer::AwaitEnd(peer, kPatienceMs); },
                milliseconds(50), seconds(60)}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::agent_client
