#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "gate.h"
#include "http/server.h"
#include "raw_http.h"

// Many clients at once.

namespace outrigger::http {

using Clients = std::vector<std::unique_ptr<testing::RawHttp>>;

inline Clients Connect(uint16_t port, size_t count) {
  Clients clients;
  for (size_t i = 0; i < count; ++i) clients.push_back(std::make_unique<testing::RawHttp>(port));
  return clients;
}

/// Whether `condition` comes true within 20 seconds.
template <typename Condition>
bool Soon(Condition condition) {
  using std::chrono::steady_clock;
  for (const auto end = steady_clock::now() + std::chrono::seconds(20);
       steady_clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return false;
}

/// Calls of /block wait at `gate`; every answer is the path.
inline Handler BlockAt(testing::Gate& gate) {
  return [&gate](const Request& request, Response* response) {
    if (request.path == "/block") gate.Pass();
    response->body = request.path;
  };
}

/// Clients whose calls of /block are all held at `gate`, or else the test has failed.
inline Clients Block(uint16_t port, size_t count, testing::Gate& gate) {
  Clients blocked = Connect(port, count);
  for (const auto& client : blocked) EXPECT_TRUE(client->SendRequest("POST", "/block"));
  EXPECT_TRUE(gate.AwaitHeld(count));
  return blocked;
}

}  // namespace outrigger::http
