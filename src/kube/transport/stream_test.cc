#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "kube/errors.h"
#include "kube/kube_testing.h"
#include "kube/raw_server_testing.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kHead[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

ApiRequest Watch(milliseconds timeout = seconds(20)) {
  ApiRequest request = Once("/api/v1/pods", timeout);
  request.query = {{"watch", "true"}};
  return request;
}

TEST(Stream, GivesTheBytesAsTheyComeAndEndsWithTheLastChunk) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(std::string(kHead) + "3\r\none\r\n");
    peer.Send("3\r\ntwo\r\n0\r\n\r\n");
  });
  std::string received;
  const absl::Status status = ClientOf(server.url())->Stream(Watch(), [&](std::string_view bytes) {
    received += bytes;
    return true;
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(received, "onetwo");
}

TEST(Stream, IsAnErrorWhereverItIsCut) {
  const std::string whole = std::string(kHead) + "3\r\none\r\n0\r\n\r\n";
  RawServer server([&](RawPeer& peer, size_t connection) {
    peer.ReadRequest();
    peer.Send(std::string_view(whole).substr(0, connection));
  });
  const auto client = ClientOf(server.url());
  // The very last byte is the end of an empty line: nothing is missing without it.
  for (size_t cut = 0; cut + 1 < whole.size(); ++cut) {
    std::string received;
    const absl::Status status = client->Stream(Watch(), [&](std::string_view bytes) {
      received += bytes;
      return true;
    });
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << "cut at " << cut << ": " << status;
    EXPECT_TRUE(std::string_view("one").starts_with(received));
  }
}

TEST(Stream, OutlivesItsTimeoutOnceTheHeadHasCome) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(std::string(kHead) + "3\r\none\r\n");
    peer.Pause(milliseconds(250));  // longer than the timeout
    peer.Send("3\r\ntwo\r\n0\r\n\r\n");
  });
  std::string received;
  const absl::Status status =
      ClientOf(server.url())->Stream(Watch(milliseconds(200)), [&](std::string_view bytes) {
        received += bytes;
        return true;
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(received, "onetwo");
}

TEST(Stream, EndsWhenItIsSilentForTooLong) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(std::string(kHead) + "3\r\none\r\n");
    peer.AwaitEnd();
  });
  ApiRequest request = Watch();
  request.silence = milliseconds(150);
  const auto begin = std::chrono::steady_clock::now();
  const absl::Status status =
      ClientOf(server.url())->Stream(request, [](std::string_view) { return true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
}

TEST(Stream, EndsAtItsTimeoutWhereNoHeadComes) {
  RawServer server([](RawPeer& peer, size_t) { peer.AwaitEnd(); });
  const absl::Status status =
      ClientOf(server.url())->Stream(Watch(milliseconds(150)), [](std::string_view) {
        return true;
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
}

TEST(Stream, EndsWithinMillisecondsOfStop) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(std::string(kHead) + "3\r\none\r\n");
    peer.AwaitEnd();
  });
  const auto client = ClientOf(server.url());
  Clock::Duration quickest = seconds(20);
  for (int i = 0; i < 5; ++i) {
    const auto stop = std::make_unique<std::stop_source>();
    ApiRequest request = Watch();
    request.stop = stop->get_token();
    Clock::TimePoint stopped;
    std::jthread stopping;
    const int reading = ThisThread();
    const absl::Status status = client->Stream(request, [&](std::string_view) {
      stopping = std::jthread([&] {
        EXPECT_TRUE(AwaitAsleep(reading)) << "the stream waits for more";
        stopped = std::chrono::steady_clock::now();
        stop->request_stop();
      });
      return true;
    });
    const auto ended = std::chrono::steady_clock::now();
    stopping.join();
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
    quickest = std::min(quickest, Clock::Duration(ended - stopped));
  }
  EXPECT_LT(quickest, milliseconds(100));
}

TEST(Stream, EndsWhenTheReceiverWantsNoMore) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(std::string(kHead) + "3\r\none\r\n");
    peer.AwaitEnd();
  });
  const absl::Status status =
      ClientOf(server.url())->Stream(Watch(), [](std::string_view) { return false; });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

TEST(Stream, TellsOfItsHeadOnceAndBeforeAnythingElse) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 100 Continue\r\n\r\n" + std::string(kHead));
    peer.Send("3\r\none\r\n0\r\nTrailer: x\r\n\r\n");
  });
  std::string heard;
  ApiRequest request = Watch();
  request.on_head = [&] { heard += "head "; };
  const absl::Status status = ClientOf(server.url())->Stream(request, [&](std::string_view bytes) {
    heard += bytes;
    return true;
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(heard, "head one");
}

TEST(Stream, TellsOfItsHeadThoughNothingFollows) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(kHead);
    peer.AwaitEnd();
  });
  std::stop_source stop;
  ApiRequest request = Watch();
  request.stop = stop.get_token();
  request.on_head = [&] { stop.request_stop(); };
  const absl::Status status =
      ClientOf(server.url())->Stream(request, [](std::string_view) { return true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

TEST(Stream, GivesTheReceiverNothingOfARefusal) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(Answer(410, R"({"kind":"Status","code":410,"reason":"Expired"})"));
  });
  bool called = false;
  ApiRequest request = Watch();
  request.on_head = [&] { called = true; };
  const absl::Status status = ClientOf(server.url())->Stream(request, [&](std::string_view) {
    called = true;
    return true;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
  ASSERT_TRUE(ApiErrorOf(status).has_value());
  EXPECT_EQ(ApiErrorOf(status)->reason, "Expired");
  EXPECT_FALSE(called);
}

TEST(Stream, IsNotTriedAgain) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(Answer(503, "{}"));
  });
  ApiRequest request = Watch();
  request.may_retry = true;
  EXPECT_EQ(ClientOf(server.url())->Stream(request, [](std::string_view) { return true; }).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(server.connections(), 1U);
}

}  // namespace
}  // namespace outrigger::kube
