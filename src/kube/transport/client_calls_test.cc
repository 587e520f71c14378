#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "certificates.h"
#include "kube/errors.h"
#include "kube/kube_testing.h"
#include "kube/raw_server_testing.h"
#include "kube/scripted_testing.h"
#include "kube/transport/client.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Answers = std::deque<absl::StatusOr<WireAnswer>>;

class ClientCalls : public ::testing::Test {
 protected:
  /// A client with a script for a server; half of every jitter is taken.
  std::unique_ptr<Client> Make(Answers answers) {
    auto transport = std::make_unique<ScriptedTransport>(std::move(answers));
    transport_ = transport.get();
    options_.clock = time_.clock();
    options_.random = [] { return 0.5; };
    config_.server = "https://api";
    auto client = Client::Create(config_, options_, std::move(transport));
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  static ApiRequest Request(bool may_retry = true) {
    ApiRequest request;
    request.path = "/api/v1/nodes";
    request.may_retry = may_retry;
    return request;
  }

  FakeTime time_;
  ClientConfig config_;
  ClientOptions options_;
  ScriptedTransport* transport_ = nullptr;
};

const absl::StatusOr<WireAnswer> kGood = WireAnswer{200, "", "{}"};
const absl::StatusOr<WireAnswer> kLost = absl::UnavailableError("lost");

TEST_F(ClientCalls, AreTriedAgainWithDoublingPartsOfARandomDelay) {
  const auto client = Make({kLost, WireAnswer{503, "", ""}, WireAnswer{500, "", ""}, kGood});
  EXPECT_TRUE(client->Call(Request()).ok());
  EXPECT_THAT(time_.slept(), ElementsAre(milliseconds(50), milliseconds(100), milliseconds(200)));
}

TEST_F(ClientCalls, GiveTheServerTheTimeThatIsLeftForEachTry) {
  const auto client = Make({WireAnswer{429, "7", ""}, kGood});
  ApiRequest request = Request();
  request.timeout = seconds(10);
  request.server_times_out = true;
  EXPECT_TRUE(client->Call(request).ok());
  ASSERT_EQ(transport_->asked.size(), 2U);
  EXPECT_EQ(transport_->asked[0].target, "/api/v1/nodes?timeout=10000ms");
  EXPECT_EQ(transport_->asked[1].target, "/api/v1/nodes?timeout=2950ms");
}

TEST_F(ClientCalls, WaitAsLongAsTheServerAsksFor) {
  const auto client = Make({WireAnswer{429, "7", ""}, kGood});
  EXPECT_TRUE(client->Call(Request()).ok());
  EXPECT_THAT(time_.slept(), ElementsAre(milliseconds(7050)));
}

TEST_F(ClientCalls, DoNotWaitBeyondTheirTimeout) {
  const auto client = Make({WireAnswer{429, "31", ""}});
  const auto answer = client->Call(Request());
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ApiErrorOf(answer.status())->retry_after, seconds(31));
  EXPECT_THAT(time_.slept(), IsEmpty());
}

TEST_F(ClientCalls, EndWithTheLastErrorWhenTimeIsOver) {
  const auto client = Make({kLost});
  options_.retry.most = 1000;
  const Clock::TimePoint begin = time_.Now();
  const auto answer = client->Call(Request());
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_LE(time_.Now() - begin, seconds(30));
  EXPECT_THAT(Text(answer.status()), HasSubstr("GET /api/v1/nodes: lost"));
}

TEST_F(ClientCalls, AreTriedTenTimesAgainAtMost) {
  options_.retry.longest = milliseconds(100);
  const auto client = Make({kLost});
  EXPECT_FALSE(client->Call(Request()).ok());
  EXPECT_EQ(transport_->asked.size(), 11U);
}

TEST_F(ClientCalls, AreNotTriedAgainWhereTheyMayNotOrItDoesNotHelp) {
  for (const int code : {400, 403, 404, 409, 410, 422, 501}) {
    const auto client = Make({WireAnswer{code, "", ""}, kGood});
    EXPECT_FALSE(client->Call(Request()).ok()) << code;
  }
  const auto client = Make({kLost, kGood});
  EXPECT_FALSE(client->Call(Request(false)).ok());
  EXPECT_THAT(time_.slept(), IsEmpty());
}

// It may have been carried out, and a server that has just started refuses everybody for a while.
TEST_F(ClientCalls, AreTriedAgainWhenRefusedAfterATryWithoutAnAnswer) {
  const WireAnswer refused{403, "", ""};
  const auto client = Make({kLost, refused, refused, kGood});
  EXPECT_TRUE(client->Call(Request()).ok());
  EXPECT_EQ(transport_->asked.size(), 4U);
}

// A binding whose first try arrived and got no answer is not refused by what the second one got.
TEST_F(ClientCalls, WithErrorsOfAllTriesAreOpenWhereAnEarlierTryIs) {
  struct Row {
    Answers answers;
    bool of_all_tries;
    absl::StatusCode code;
  };
  using absl::StatusCode;
  const WireAnswer refused{403, "", ""};
  const WireAnswer busy{429, "31", ""};
  const WireAnswer conflict{409, "", ""};
  for (const Row& row :
       {Row{{kLost, refused}, true, StatusCode::kUnavailable},
        Row{{kLost, busy}, true, StatusCode::kUnavailable},
        Row{{kLost, conflict}, true, StatusCode::kUnavailable},
        Row{{WireAnswer{500, "", ""}, refused}, true, StatusCode::kUnavailable},
        Row{{WireAnswer{504, "", ""}, busy}, true, StatusCode::kUnavailable},
        Row{{kLost, busy}, false, StatusCode::kResourceExhausted},
        Row{{WireAnswer{429, "", ""}, refused}, true, StatusCode::kPermissionDenied},
        Row{{refused}, true, StatusCode::kPermissionDenied},
        Row{{busy}, true, StatusCode::kResourceExhausted},
        Row{{kLost, kGood}, true, StatusCode::kOk}}) {
    const auto client = Make(row.answers);
    ApiRequest request = Request();
    request.errors_are_of_all_tries = row.of_all_tries;
    const auto answer = client->Call(request);
    EXPECT_EQ(answer.status().code(), row.code) << answer.status();
    if (answer.ok()) continue;
    EXPECT_EQ(ApiErrorOf(answer.status())->code, row.answers.back()->code);
  }
}

TEST_F(ClientCalls, KeepOneDeadlineForAllTries) {
  const auto client = Make({kLost, kLost, kGood});
  EXPECT_TRUE(client->Call(Request()).ok());
  ASSERT_EQ(transport_->asked.size(), 3U);
  EXPECT_EQ(transport_->asked[0].deadline, transport_->asked[2].deadline);
}

TEST_F(ClientCalls, EndWhenTheyAreStoppedBetweenTwoTries) {
  const auto client = Make({kLost, kGood});
  const auto stop = std::make_unique<std::stop_source>();
  transport_->on_send = [&stop] { stop->request_stop(); };
  ApiRequest request = Request();
  request.stop = stop->get_token();
  EXPECT_EQ(client->Call(request).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(transport_->asked.size(), 1U);
}

TEST_F(ClientCalls, TakeANewTokenAfterA401AndAskAgainOnce) {
  const testing::TestFolder folder;
  config_.token_file = folder.Write("token", "old\n");
  const auto client = Make({kGood, WireAnswer{401, "", ""}, kGood});
  EXPECT_TRUE(client->Call(Request(false)).ok());
  folder.Write("token", "new\n");
  EXPECT_TRUE(client->Call(Request(false)).ok()) << "also where it may not retry: nothing was done";
  ASSERT_EQ(transport_->asked.size(), 3U);
  EXPECT_THAT(transport_->asked[1].headers, Contains("Authorization: Bearer old"));
  EXPECT_THAT(transport_->asked[2].headers, Contains("Authorization: Bearer new"));
}

TEST_F(ClientCalls, LetA401StandWhereTheTokenIsTheSame) {
  config_.token = "fixed";
  const auto client = Make({WireAnswer{401, "", ""}, kGood});
  EXPECT_EQ(client->Call(Request()).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(transport_->asked.size(), 1U);
}

TEST_F(ClientCalls, LetASecond401Stand) {
  const testing::TestFolder folder;
  config_.token_file = folder.Write("token", "old");
  const auto client = Make({WireAnswer{401, "", ""}});
  folder.Write("token", "new");
  EXPECT_EQ(client->Call(Request()).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_LE(transport_->asked.size(), 2U);
}

TEST_F(ClientCalls, QueueBehindTheLimitUnlessTheyAreExempt) {
  options_.qps = 10;
  options_.burst = 2;
  const auto client = Make({kGood});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(client->Call(Request()).ok());
  EXPECT_THAT(time_.slept(), ElementsAre(milliseconds(100), milliseconds(100)));
  ApiRequest exempt = Request();
  exempt.rate_limited = false;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(client->Call(exempt).ok());
  EXPECT_EQ(time_.slept().size(), 2U);
}

TEST_F(ClientCalls, SayThatTheLimitLeavesNoTime) {
  options_.qps = 0.01;
  options_.burst = 1;
  const auto client = Make({kGood});
  EXPECT_TRUE(client->Call(Request()).ok());
  EXPECT_EQ(client->Call(Request()).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(ClientRetries, ReachAServerThatIsBusyAtFirst) {
  RawServer server([](RawPeer& peer, size_t connection) {
    peer.ReadRequest();
    if (connection == 0) return;  // hangs up without an answer
    peer.Send(connection == 1 ? Answer(503, "") : Answer(200, "{}"));
  });
  ApiRequest request;
  request.path = "/api";
  const auto answer = ClientOf(server.url())->Call(request);
  EXPECT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(server.connections(), 3U);
}

}  // namespace
}  // namespace outrigger::kube
