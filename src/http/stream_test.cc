#include "http/stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "crowd_testing.h"
#include "http/server.h"
#include "raw_http.h"
#include "start_testing.h"

// Answers without an end, as of a watch.

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::RawHttp;

/// A server whose answer to /watch is a stream, which the test writes to.
class HttpStream : public ::testing::Test {
 protected:
  void Start(ServerOptions options = {}, size_t max_backlog = Stream::kMaxBacklog) {
    server_ = MustStart(
        [this, max_backlog](const Request& request, Response* response) {
          response->body = request.path;
          if (request.path == "/watch") response->stream = NewStream(max_backlog);
        },
        std::move(options));
  }

  std::shared_ptr<Stream> NewStream(size_t max_backlog) {
    auto stream = std::make_shared<Stream>(max_backlog);
    stream->OnClosed([this] { ++closed_; });
    const MutexLock lock(mutex_);
    streams_.push_back(stream);
    return stream;
  }
  std::vector<std::shared_ptr<Stream>> streams() {
    const MutexLock lock(mutex_);
    return streams_;
  }
  /// The stream that answers `client`, whose head has come.
  std::shared_ptr<Stream> Watch(RawHttp& client) {
    EXPECT_TRUE(client.SendRequest("GET", "/watch"));
    EXPECT_TRUE(client.ReadTo("\r\n\r\n"));
    return streams().back();
  }
  /// What `client` gets until the end of its chunked body.
  static std::string ReadChunks(RawHttp& client) {
    std::string body;
    for (size_t size = 1; size > 0;) {
      const auto line = client.ReadTo("\r\n");
      if (!line) return body + "(cut off)";
      size = std::stoul(*line, nullptr, 16);
      std::string chunk;
      while (chunk.size() < size + 2) {
        const auto more = client.ReadTo("\n");
        if (!more) return body + "(cut off)";
        chunk += *more;
      }
      EXPECT_EQ(chunk.substr(size), "\r\n");
      body += chunk.substr(0, size);
    }
    return body;
  }

  Mutex mutex_;
  std::vector<std::shared_ptr<Stream>> streams_ ABSL_GUARDED_BY(mutex_);
  std::atomic<size_t> closed_{0};
  std::unique_ptr<Server> server_;
};

TEST_F(HttpStream, SendsWhatIsWrittenAtOnceAndServesTheNextRequestBehindIt) {
  Start();
  RawHttp client(server_->port());
  ASSERT_TRUE(client.SendRequest("GET", "/watch"));
  const auto head = client.ReadTo("\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_NE(head->find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(head->find("Content-Length"), std::string::npos);
  const auto stream = streams().back();
  stream->Write("one\n");
  EXPECT_EQ(client.ReadTo("one\n\r\n"), "4\r\none\n\r\n");
  EXPECT_EQ(server_->stats().streams, 1U);
  EXPECT_FALSE(stream->closed());
  stream->Write("two\n");
  stream->End();
  stream->Write("after the end");
  EXPECT_EQ(ReadChunks(client), "two\n");
  EXPECT_EQ(client.Call("GET", "/next")->body, "/next");
  EXPECT_TRUE(stream->closed());
  EXPECT_EQ(closed_, 1U);
  EXPECT_EQ(server_->stats().streams, 0U);
}

TEST_F(HttpStream, HasWhatWasWrittenBeforeItsAnswerAndKeepsPipelinedRequests) {
  const auto server = MustStart([](const Request& request, Response* response) {
    response->body = request.path;
    if (request.path != "/watch") return;
    response->stream = std::make_shared<Stream>();
    for (int i = 0; i < 200; ++i) response->stream->Write("line\n");
    response->stream->End();
  });
  RawHttp client(server->port());
  ASSERT_TRUE(client.SendRequest("GET", "/watch") && client.SendRequest("GET", "/next"));
  ASSERT_TRUE(client.ReadTo("\r\n\r\n"));
  // One chunk: small writes go out together.
  EXPECT_EQ(client.ReadTo("\r\n"), "3e8\r\n");
  ASSERT_TRUE(client.ReadTo("line\n\r\n0\r\n\r\n"));
  EXPECT_EQ(client.ReadAnswer()->body, "/next");
}

TEST_F(HttpStream, OfTwoHundredWatchersTakesFewThreadsAndNoCopies) {
  ServerOptions options;
  options.max_workers = 2;
  Start(options);
  constexpr size_t kWatchers = 200;
  const Clients clients = Connect(server_->port(), kWatchers);
  for (const auto& client : clients) Watch(*client);
  const auto all = streams();
  ASSERT_EQ(all.size(), kWatchers);
  for (int round = 0; round < 50; ++round) {
    const auto event = std::make_shared<const std::string>("event\n");
    for (const auto& stream : all) stream->Write(event);
  }
  for (const auto& stream : all) stream->End();
  std::string expected;
  for (int round = 0; round < 50; ++round) expected += "event\n";
  for (const auto& client : clients) EXPECT_EQ(ReadChunks(*client), expected);
  EXPECT_LE(server_->stats().workers, 2U);
}

TEST_F(HttpStream, TakesWritesOfSeveralThreadsWholeAndInTheirOrder) {
  Start();
  RawHttp client(server_->port());
  const auto stream = Watch(client);
  std::vector<std::thread> writers;
  for (char name = 'a'; name < 'e'; ++name) {
    writers.emplace_back([stream, name] {
      for (int i = 0; i < 1000; ++i) stream->Write(name + std::to_string(i) + "\n");
    });
  }
  for (std::thread& writer : writers) writer.join();
  stream->End();
  const std::string body = ReadChunks(client);
  std::vector<int> next(4, 0);
  for (size_t at = 0; at < body.size();) {
    const size_t end = body.find('\n', at);
    const auto writer = static_cast<size_t>(body[at] - 'a');
    ASSERT_LT(writer, next.size());
    ASSERT_EQ(body.substr(at + 1, end - at - 1), std::to_string(next[writer]++));
    at = end + 1;
  }
  EXPECT_EQ(next, std::vector<int>(4, 1000));
}

TEST_F(HttpStream, OfAPeerThatReadsNothingIsCutOff) {
  Start({}, 100'000);
  RawHttp client(server_->port());
  const auto stream = Watch(client);
  const auto event = std::make_shared<const std::string>(10'000, 'x');
  // The kernel takes some megabytes first.
  for (int i = 0; i < 100'000 && !stream->closed(); ++i) {
    stream->Write(event);
    std::this_thread::yield();
  }
  EXPECT_TRUE(stream->closed());
  EXPECT_TRUE(Soon([&] { return closed_ == 1 && server_->stats().connections == 0; }));
  EXPECT_FALSE(client.ReadTo("0\r\n\r\n"));
}

TEST_F(HttpStream, OfAPeerThatTakesNothingForTooLongIsCutOff) {
  ServerOptions options;
  options.answer_timeout = milliseconds(50);
  Start(options, size_t{1} << 30);
  RawHttp client(server_->port());
  RawHttp late(server_->port());
  const auto stream = Watch(client);
  Watch(late)->Write(std::string(size_t{50} << 20, 'x'));
  EXPECT_TRUE(Soon([&] { return closed_ == 1; }));
  EXPECT_FALSE(stream->closed()) << "to have nothing to send, for as long, is no fault";
  stream->Write(std::string(size_t{50} << 20, 'x'));
  EXPECT_TRUE(Soon([&] { return closed_ == 2; }));
}

TEST_F(HttpStream, EndsWhenItsPeerHangsUp) {
  Start();
  auto client = std::make_unique<RawHttp>(server_->port());
  const auto stream = Watch(*client);
  EXPECT_FALSE(stream->closed());
  client.reset();
  EXPECT_TRUE(Soon([&] { return closed_ == 1; }));
  EXPECT_TRUE(stream->closed());
  EXPECT_TRUE(Soon([&] { return server_->stats().connections == 0; }));
  stream->Write("nobody reads this");
  std::atomic<bool> told{false};
  stream->OnClosed([&] { told = true; });
  EXPECT_TRUE(told);
}

TEST_F(HttpStream, EndsProperlyAndAtOnceWithADrain) {
  Start();
  RawHttp waits(server_->port());
  RawHttp has_bytes(server_->port());
  Watch(waits);
  const auto stream = Watch(has_bytes);
  stream->Write("last\n");
  const auto start = std::chrono::steady_clock::now();
  server_->Drain(seconds(60));
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_EQ(ReadChunks(waits), "");
  EXPECT_EQ(ReadChunks(has_bytes), "last\n");
  EXPECT_TRUE(waits.ReadsEnd());
  EXPECT_EQ(closed_, 2U);
  server_.reset();
  stream->Write("the stream outlives the server");
}

TEST_F(HttpStream, ForHttp10EndsWithTheConnection) {
  Start();
  RawHttp client(server_->port());
  ASSERT_TRUE(client.Send("GET /watch HTTP/1.0\r\n\r\n"));
  const auto head = client.ReadTo("\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->find("Transfer-Encoding"), std::string::npos);
  EXPECT_NE(head->find("Connection: close"), std::string::npos);
  streams().back()->Write("plain\n");
  EXPECT_EQ(client.ReadTo("\n"), "plain\n");
  streams().back()->End();
  EXPECT_TRUE(client.ReadsEnd());
}

TEST_F(HttpStream, OfAHeadRequestIsClosedUnread) {
  Start();
  RawHttp client(server_->port());
  ASSERT_TRUE(client.SendRequest("HEAD", "/watch"));
  EXPECT_EQ(client.ReadAnswer(/*to_head=*/true)->header("transfer-encoding"), "chunked");
  EXPECT_EQ(client.Call("GET", "/next")->body, "/next");
  EXPECT_EQ(closed_, 1U);
}

TEST(Stream, GivesWhatWaitsAndWakesItsReaderOnce) {
  Stream stream(1000);
  int woken = 0;
  stream.SetWake([&] { ++woken; });
  std::vector<Stream::Bytes> pieces;
  EXPECT_EQ(stream.Take(100, &pieces), Stream::State::kOpen);
  stream.Write("a");
  stream.Write("b");
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(stream.Take(1, &pieces), Stream::State::kOpen);
  stream.End();
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(stream.Take(1, &pieces), Stream::State::kEnded);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(*pieces[0] + *pieces[1], "ab");
}

TEST(Stream, CountsWhatEachWriteTakes) {
  Stream stream(10 * (1 + Stream::kPerWrite));
  std::vector<Stream::Bytes> pieces;
  for (int i = 0; i < 10; ++i) stream.Write("x");
  EXPECT_FALSE(stream.closed());
  stream.Take(1, &pieces);
  stream.Write("x");
  EXPECT_FALSE(stream.closed());
  stream.Write("x");
  EXPECT_TRUE(stream.closed());
  EXPECT_EQ(stream.Take(1, &pieces), Stream::State::kClosed);
}

}  // namespace
}  // namespace outrigger::http
