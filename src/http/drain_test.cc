#include <gtest/gtest.h>

#include <dirent.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gate.h"
#include "raw_http.h"
#include "start_testing.h"

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Gate;
using testing::RawHttp;

constexpr seconds kPatience{60};

size_t EntriesOf(const char* folder) {
  size_t count = 0;
  DIR* dir = ::opendir(folder);
  while (::readdir(dir) != nullptr) ++count;
  ::closedir(dir);
  return count;
}

class HttpDrain : public ::testing::Test {
 protected:
  HttpDrain()
      : server_(MustStart([this](const Request& request, Response* response) {
          if (request.path == "/block") gate_.Pass();
          response->body = request.path;
        })) {}
  ~HttpDrain() override { gate_.Open(); }

  /// `count` calls that wait in the handler.
  std::vector<std::unique_ptr<RawHttp>> Block(size_t count) {
    std::vector<std::unique_ptr<RawHttp>> clients;
    for (size_t i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<RawHttp>(server_->port()));
      EXPECT_TRUE(clients.back()->SendRequest("POST", "/block"));
    }
    EXPECT_TRUE(gate_.AwaitHeld(count));
    return clients;
  }
  /// A drain on a thread of its own. Lets held calls go in the end, so that a failed test ends.
  class Background {
   public:
    Background(Server& server, Gate& gate, milliseconds patience)
        : gate_(gate), thread_([&server, patience] { server.Drain(patience); }) {}
    ~Background() { Finish(); }
    void Finish() {
      gate_.Open();
      if (thread_.joinable()) thread_.join();
    }

   private:
    Gate& gate_;
    std::thread thread_;
  };
  Background DrainInBackground(milliseconds patience) { return {*server_, gate_, patience}; }
  /// A drain that has begun closes idle connections.
  void AwaitDrainBegun(RawHttp& idle) { ASSERT_TRUE(idle.ReadsEnd()); }

  Gate gate_;
  std::unique_ptr<Server> server_;
};

TEST_F(HttpDrain, AnswersAllCallsThatAreUnderWay) {
  RawHttp idle(server_->port());
  ASSERT_TRUE(idle.Call("GET", "/"));
  const auto blocked = Block(50);
  auto drained = DrainInBackground(kPatience);
  AwaitDrainBegun(idle);
  gate_.Open();
  for (const auto& client : blocked) {
    const auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "/block");
    EXPECT_EQ(answer->header("connection"), "close");
    EXPECT_TRUE(client->ReadsEnd());
  }
  drained.Finish();
  EXPECT_EQ(server_->stats().in_flight, 0U);
  EXPECT_EQ(server_->stats().workers, 0U);
  EXPECT_FALSE(RawHttp(server_->port()).connected());
}

TEST_F(HttpDrain, AnswersConnectionsThatComeMeanwhile) {
  RawHttp idle(server_->port());
  ASSERT_TRUE(idle.Call("GET", "/"));
  const auto blocked = Block(1);
  auto drained = DrainInBackground(kPatience);
  AwaitDrainBegun(idle);
  for (int i = 0; i < 10; ++i) {
    RawHttp late(server_->port());
    const auto answer = late.Call("GET", "/late");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "/late");
    EXPECT_EQ(answer->header("connection"), "close");
  }
  gate_.Open();
  EXPECT_TRUE(blocked.front()->ReadAnswer());
}

TEST_F(HttpDrain, GivesUpOnWhatOutlastsItsPatience) {
  const auto blocked = Block(3);
  auto drained = DrainInBackground(milliseconds(50));
  for (const auto& client : blocked) EXPECT_TRUE(client->ReadsEnd());
  EXPECT_FALSE(RawHttp(server_->port()).connected());
  drained.Finish();  // the handlers have to end before Drain() returns
  EXPECT_EQ(server_->stats().workers, 0U);
}

TEST_F(HttpDrain, DoesNotWaitForIdleOrSilentConnections) {
  RawHttp idle(server_->port());
  ASSERT_TRUE(idle.Call("GET", "/"));
  const RawHttp silent(server_->port());
  const auto start = std::chrono::steady_clock::now();
  server_->Drain(kPatience);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_TRUE(idle.ReadsEnd());
}

TEST_F(HttpDrain, CanBeAskedForAgain) {
  server_->Drain(kPatience);
  server_->Drain(kPatience);
  server_.reset();
}

TEST_F(HttpDrain, LeavesNoThreadAndNoDescriptorBehind) {
  server_->Drain(kPatience);
  const size_t threads = EntriesOf("/proc/self/task");
  const size_t descriptors = EntriesOf("/proc/self/fd");
  {
    Gate gate;
    const auto server = MustStart([&](const Request&, Response*) { gate.Pass(); });
    std::vector<std::unique_ptr<RawHttp>> clients;
    for (int i = 0; i < 20; ++i) {
      clients.push_back(std::make_unique<RawHttp>(server->port()));
      ASSERT_TRUE(clients.back()->SendRequest("POST", "/block"));
    }
    ASSERT_TRUE(gate.AwaitHeld(20));
    EXPECT_GE(EntriesOf("/proc/self/task"), threads + 20);
    gate.Open();
    for (const auto& client : clients) EXPECT_TRUE(client->ReadAnswer());
  }
  // A thread that was joined may be listed for an instant more.
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (EntriesOf("/proc/self/task") > threads && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_LE(EntriesOf("/proc/self/task"), threads);
  EXPECT_LE(EntriesOf("/proc/self/fd"), descriptors);
}

}  // namespace
}  // namespace outrigger::http
