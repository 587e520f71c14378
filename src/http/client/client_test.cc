#include "http/client/client.h"

#include <httplib.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "certificates.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "rude_server.h"

namespace outrigger::http_client {
namespace {

using absl::StatusCode;
using outrigger::testing::Certificate;
using outrigger::testing::RudeServer;
using outrigger::testing::TestAuthority;
using outrigger::testing::TestFolder;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kPatienceMs = 20'000;
constexpr char kEmptyOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// Options with patient limits: a test that runs into one has failed.
Options To(const std::string& url) {
  Options options;
  options.url = url;
  options.limits = {.connect = seconds(20), .read = seconds(20), .total = seconds(20)};
  options.check = "Check that the peer runs";
  return options;
}

absl::StatusOr<Answer> Get(const Options& options, const std::string& path = "/a") {
  const absl::StatusOr<Client> client = Client::Create(options);
  return client.ok() ? client->Get(path) : absl::StatusOr<Answer>(client.status());
}

TEST(Client, GetsWithThePrefixOfTheUrlAndAnEscapedQuery) {
  RudeServer server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const auto client = Client::Create(To(server.url() + "/prometheus/"));
  ASSERT_TRUE(client.ok()) << client.status();
  const auto answer = client->Get("/api", {{"query", "up{a=\"b+c\"}"}, {"time", "1.5"}});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "ok");
  EXPECT_THAT(server.head(), StartsWith("GET /prometheus/api?query=up%7Ba%3D%22b%2Bc%22%7D&"
                                        "time=1.5 HTTP/1.1\r\n"));
  EXPECT_THAT(server.head(), Not(HasSubstr("gzip")));
}

TEST(Client, PostsAFormThatIsTooLongForAUrl) {
  const std::string many(200'000, '|');
  std::string body;
  RudeServer server([&body, size = 2 + 3 * many.size()](int peer) {
    char some[4096];
    while (body.size() < size) {
      const ssize_t got = ::recv(peer, some, sizeof(some), 0);
      if (got <= 0) return;
      body.append(some, static_cast<size_t>(got));
    }
    RudeServer::Send(peer, kEmptyOk);
  });
  const auto client = Client::Create(To(server.url()));
  const auto answer = client->PostForm("/query", {{"q", many}});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(server.head(), StartsWith("POST /query HTTP/1.1\r\n"));
  EXPECT_THAT(server.head(), HasSubstr("Content-Type: application/x-www-form-urlencoded\r\n"));
  EXPECT_THAT(body, StartsWith("q=%7C%7C"));
}

TEST(Client, ReturnsAnAnswerOfAnyStatusAndFollowsNoRedirect) {
  const RudeServer server(
      "HTTP/1.1 302 Found\r\nLocation: /graph\r\nContent-Length: 5\r\n\r\nFound");
  const auto answer = Get(To(server.url()));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->location, "/graph");
  EXPECT_EQ(answer->body, "Found");
}

struct UrlRow {
  const char* name;
  std::function<void(Options*)> change;
  const char* text;
};
class ClientOptions : public ::testing::TestWithParam<UrlRow> {};

TEST_P(ClientOptions, ThatAreWrongAreNamed) {
  Options options;
  GetParam().change(&options);
  const auto client = Client::Create(options);
  EXPECT_EQ(client.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(client.status().message()), HasSubstr(GetParam().text));
  EXPECT_THAT(std::string(client.status().message()), Not(HasSubstr("secret")));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClientOptions,
    ::testing::Values(
        UrlRow{"Scheme", [](Options* o) { o->url = "ftp://h"; }, "http:// or https:// is expected"},
        UrlRow{"Password", [](Options* o) { o->url = "http://user:secret@h"; }, "URL: "},
        UrlRow{"CaInClear", [](Options* o) { o->url = "http://h", o->ca_file = "/ca"; },
               "https:// is expected"},
        UrlRow{"CertificateWithoutKey",
               [](Options* o) { o->url = "https://h", o->cert_file = "/cert"; }, "its key"},
        UrlRow{"TokenInClear",
               [](Options* o) { o->url = "http://prometheus.test", o->token_file = "/token"; },
               "a bearer token goes over https:// only"}),
    [](const auto& row) { return row.param.name; });

TEST(Client, SendsTheTokenThatIsInItsFileNow) {
  const TestFolder folder;
  const std::string path = folder.Write("token", "first\n");
  for (const char* token : {"first", "second"}) {
    RudeServer server(kEmptyOk);
    Options options = To(server.url());
    options.token_file = folder.Write("token", token);
    ASSERT_TRUE(Get(options).ok());
    EXPECT_THAT(server.head(), HasSubstr(fmt::format("Authorization: Bearer {}\r\n", token)));
  }
  Options options = To("http://127.0.0.1:1");
  options.token_file = folder.Write("token", "two words");
  const auto odd = Get(options);
  EXPECT_EQ(odd.status().code(), StatusCode::kFailedPrecondition) << odd.status();
  EXPECT_THAT(std::string(odd.status().message()), HasSubstr(path + " is no bearer token"));
  EXPECT_THAT(std::string(odd.status().message()), Not(HasSubstr("two words")));
  options.token_file = path + ".none";
  const auto gone = Get(options);
  EXPECT_EQ(gone.status().code(), StatusCode::kFailedPrecondition) << gone.status();
}

TEST(Client, SendsTheHeadersThatAreInItsFileNow) {
  const TestFolder folder;
  for (const char* tenant : {"first", "second"}) {
    RudeServer server(kEmptyOk);
    Options options = To(server.url());
    options.header_file = folder.Write(
        "headers",
        fmt::format("\xEF\xBB\xBFX-Scope-OrgID:  {}\r\n\nAuthorization: Basic dTpw\n", tenant));
    const auto answer = Get(options);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_THAT(server.head(), HasSubstr(fmt::format("X-Scope-OrgID: {}\r\n", tenant)));
    EXPECT_THAT(server.head(), HasSubstr("Authorization: Basic dTpw\r\n"));
  }
}

struct HeaderRow {
  const char* name;
  const char* text;
  const char* error;
};
class ClientHeaders : public ::testing::TestWithParam<HeaderRow> {};

TEST_P(ClientHeaders, ThatCannotBeSentAreNamedByTheirLine) {
  const TestFolder folder;
  Options options = To("http://127.0.0.1:1");
  options.header_file = folder.Write("headers", GetParam().text);
  options.token_file = folder.Write("token", "t0ken");
  const auto answer = Get(options);
  EXPECT_EQ(answer.status().code(), StatusCode::kFailedPrecondition) << answer.status();
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr(options.header_file + GetParam().error));
  EXPECT_THAT(std::string(answer.status().message()), Not(HasSubstr("secret")));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClientHeaders,
    ::testing::Values(HeaderRow{"Empty", "\n", " has no header in it"},
                      HeaderRow{"Token", "A: b\nsecret\n", ", line 2: expected a header"},
                      HeaderRow{"UserAndPassword", "user:secret\n", ", line 1: expected a header"},
                      HeaderRow{"NoValue", "X-Scope-OrgID:\n", ", line 1: expected a header"},
                      HeaderRow{"Ours", "host: secret\n",
                                ", line 1: the header host cannot be set"},
                      HeaderRow{"Second", "authorization: Basic secret\n",
                                ", line 1: a second header authorization"}),
    [](const auto& row) { return row.param.name; });

TEST(Client, SendsNoSecretHeaderInClear) {
  const TestFolder folder;
  const auto error_of = [&folder](const std::string& header) {
    Options options = To("http://prometheus.invalid:1");
    options.header_file = folder.Write("headers", header);
    return std::string(Get(options).status().message());
  };
  EXPECT_THAT(error_of("Authorization: Basic secret"),
              EndsWith("line 1: the header Authorization goes over https:// only, or to loopback: "
                       "in clear it can be read"));
  EXPECT_THAT(error_of("X-Api-Key: secret"), HasSubstr("X-Api-Key goes over https:// only"));
  EXPECT_THAT(error_of("X-Scope-OrgID: team-a"), HasSubstr("no connection"));
}

TEST(Client, HidesTheSecretThatAServerQuotes) {
  const TestFolder folder;
  RudeServer server(
      "HTTP/1.1 401 Unauthorized\r\nContent-Length: 41\r\n\r\n"
      "no t0ken7 (Basic t0ken7) of tenant team-a");
  Options options = To(server.url());
  options.header_file =
      folder.Write("headers", "Authorization: Basic t0ken7\nX-Scope-OrgID: team-a\n");
  const auto answer = Get(options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->body, "no *** (***) of tenant team-a");
}

TEST(Client, NamesWhatToCheckWhereNothingListens) {
  std::string url;
  {
    const RudeServer gone("");
    url = gone.url();
  }
  const auto answer = Get(To(url));
  EXPECT_EQ(answer.status().code(), StatusCode::kUnavailable) << answer.status();
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr(url + "/a: no connection. Check that the peer runs"));
}

TEST(Client, ReadsUpToItsLimitOfBytes) {
  for (const size_t limit : {size_t{5}, size_t{4}}) {
    const RudeServer server("HTTP/1.1 200 OK\r\n\r\n12345");
    Options options = To(server.url());
    options.limits.max_bytes = limit;
    const auto answer = Get(options);
    EXPECT_EQ(answer.status().code(), limit == 5 ? StatusCode::kOk : StatusCode::kResourceExhausted)
        << answer.status();
  }
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
};
class ClientDeadline : public ::testing::TestWithParam<SlowRow> {};

TEST_P(ClientDeadline, HoldsByTheWallClock) {
  const RudeServer server(GetParam().talk);
  Options options = To(server.url());
  options.limits.total = milliseconds(50);
  const auto start = std::chrono::steady_clock::now();
  const auto answer = Get(options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(15));
  EXPECT_EQ(answer.status().code(), StatusCode::kDeadlineExceeded) << answer.status();
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("within 50 ms"));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClientDeadline,
    ::testing::Values(
        SlowRow{"Head", Drips("HTTP/1.1 200 OK\r\nA: ", 'a')}, SlowRow{"Status", Drips("", 'H')},
        SlowRow{"Body", Drips("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", ' ')},
        SlowRow{"BodyWithoutLength", Drips("HTTP/1.1 200 OK\r\n\r\n{}", ' ')},
        SlowRow{"Silence", [](int peer) { RudeServer::AwaitEnd(peer, kPatienceMs); }}),
    [](const auto& row) { return row.param.name; });

// httplib's own stop() waits for the handshake.
TEST(Client, EndsATlsHandshakeThatTrickles) {
  // The head of a handshake record of 16 KiB, and its bytes one by one. The client's hello is no
  // head of HTTP, so the peer must not read one.
  const RudeServer server(Drips({"\x16\x03\x03\x3f\xff", 5}, '\x02'), RudeServer::Reads::kNothing);
  Options options = To("https" + server.url().substr(4));
  options.limits.total = milliseconds(50);
  const auto start = std::chrono::steady_clock::now();
  const auto answer = Get(options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(15));
  EXPECT_FALSE(answer.ok());
}

TEST(Client, EndsSoonAfterAStopIsRequested) {
  const auto stop = std::make_unique<std::stop_source>();
  const RudeServer server([&stop](int peer) {
    stop->request_stop();
    RudeServer::AwaitEnd(peer, kPatienceMs);
  });
  const auto client = Client::Create(To(server.url()));
  const auto answer = client->Get("/a", {}, stop->get_token());
  EXPECT_EQ(answer.status().code(), StatusCode::kCancelled) << answer.status();
}

/// An HTTPS server on a free port of loopback.
class TlsPeer {
 public:
  TlsPeer(const TestFolder& folder, const Certificate& identity, const std::string& clients_ca = "")
      : server_(folder.Write("server.pem", identity.certificate).c_str(),
                folder.Write("server.key", identity.key).c_str(),
                clients_ca.empty() ? nullptr : clients_ca.c_str()) {
    server_.Get("/a", [](const httplib::Request& request, httplib::Response& response) {
      response.set_content("secure " + request.get_header_value("Authorization"), "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // stop() needs it
  }
  ~TlsPeer() {
    server_.stop();
    thread_.join();
  }
  TlsPeer(const TlsPeer&) = delete;
  TlsPeer& operator=(const TlsPeer&) = delete;

  std::string url() const { return fmt::format("https://127.0.0.1:{}", port_); }

 private:
  httplib::SSLServer server_;
  int port_ = 0;
  std::thread thread_;
};

class ClientOverTls : public ::testing::Test {
 protected:
  Options To(const TlsPeer& peer) {
    Options options = http_client::To(peer.url());
    options.ca_file = folder_.Write("ca.pem", authority_.certificate());
    return options;
  }
  const TestAuthority authority_{"ours"};
  const TestAuthority other_{"other"};
  const TestFolder folder_;
};

TEST_F(ClientOverTls, TrustsTheAuthorityThatIsInItsFileNow) {
  const TlsPeer peer(folder_, authority_.Issue("prometheus"));
  Options options = To(peer);
  options.token_file = folder_.Write("token", "t0ken");
  const auto client = Client::Create(options);
  ASSERT_TRUE(client.ok()) << client.status();
  const auto answer = client->Get("/a");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->body, "secure Bearer t0ken");
  folder_.Write("ca.pem", other_.certificate());
  const auto refused = client->Get("/a");
  EXPECT_EQ(refused.status().code(), StatusCode::kUnavailable) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("certificate is not accepted"));
  folder_.Write("ca.pem", "nothing");
  const auto broken = client->Get("/a");
  EXPECT_EQ(broken.status().code(), StatusCode::kFailedPrecondition) << broken.status();
  EXPECT_THAT(std::string(broken.status().message()), EndsWith("ca.pem has no PEM in it"));
}

TEST_F(ClientOverTls, RefusesACertificateOfAnotherHostOrTime) {
  for (const outrigger::testing::CertificateTerms& terms :
       {outrigger::testing::CertificateTerms{.hosts = "DNS:elsewhere.test"},
        outrigger::testing::CertificateTerms{.valid_for_seconds = -60}}) {
    const TlsPeer peer(folder_, authority_.Issue("prometheus", terms));
    const auto answer = Get(To(peer));
    EXPECT_EQ(answer.status().code(), StatusCode::kUnavailable) << answer.status();
  }
}

TEST_F(ClientOverTls, TrustsNobodyOfOursBySystemAuthorities) {
  const TlsPeer peer(folder_, authority_.Issue("prometheus"));
  Options options = To(peer);
  options.ca_file.clear();
  EXPECT_EQ(Get(options).status().code(), StatusCode::kUnavailable);
}

TEST_F(ClientOverTls, ShowsItsCertificate) {
  const TlsPeer peer(folder_, authority_.Issue("prometheus"),
                     folder_.Write("clients.pem", authority_.certificate()));
  Options options = To(peer);
  EXPECT_FALSE(Get(options).ok());
  const Certificate client = authority_.Issue("outrigger");
  options.cert_file = folder_.Write("client.pem", client.certificate);
  options.key_file = folder_.Write("client.key", client.key);
  const auto answer = Get(options);
  EXPECT_TRUE(answer.ok()) << answer.status();
  options.key_file = folder_.Write("client.key", authority_.Issue("another").key);
  const auto mixed = Get(options);
  EXPECT_EQ(mixed.status().code(), StatusCode::kFailedPrecondition) << mixed.status();
  EXPECT_THAT(std::string(mixed.status().message()), HasSubstr("client.pem"));
}

}  // namespace
}  // namespace outrigger::http_client
