// Five hundred bindings at once, each on a connection of its own, while others go on.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gate.h"
#include "http/server.h"
#include "kube/kube_testing.h"
#include "kube/write/binding.h"

namespace outrigger::kube {
namespace {

TEST(ClientConcurrency, FiveHundredBindingsAreInFlightAtOnce) {
  constexpr size_t kCalls = 500;
  testing::Gate gate;
  std::mutex mutex;
  std::set<std::string> paths;
  http::ServerOptions options;
  options.max_connections = 1024;
  options.max_blocked = kCalls;
  options.may_block = [](std::string_view method, std::string_view) { return method == "POST"; };
  auto server =
      http::Server::Start(options, [&](const http::Request& request, http::Response* answer) {
        answer->body = "{}";
        if (request.method != "POST") return;
        {
          const std::lock_guard<std::mutex> lock(mutex);
          paths.insert(std::string(request.path));
        }
        gate.Pass();
        answer->status = 201;
      });
  ASSERT_TRUE(server.ok()) << server.status();
  ClientConfig config;
  config.server = "http://127.0.0.1:" + std::to_string((*server)->port());
  // A limit that no call but an exempt one could pass this often.
  ClientOptions limited;
  limited.qps = 0.001;
  limited.burst = 1;
  const auto client = MustCreate(config, limited);
  std::atomic<size_t> bound{0};
  std::vector<std::jthread> callers;
  const testing::OpensAtEnd opens(gate);
  for (size_t i = 0; i < kCalls; ++i) {
    callers.emplace_back([&, i] {
      const std::string pod = "pod-" + std::to_string(i);
      if (Bind(*client, {"default", pod, "uid-1", "node-1"}).ok()) ++bound;
    });
  }
  ASSERT_TRUE(gate.AwaitHeld(kCalls));
  const auto other = client->Call(Once("/api"));
  EXPECT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(bound, 0U);
  gate.Open();
  for (std::jthread& caller : callers) caller.join();
  EXPECT_EQ(bound, kCalls);
  EXPECT_EQ(paths.size(), kCalls);
}

}  // namespace
}  // namespace outrigger::kube
