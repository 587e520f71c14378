#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kube/errors.h"
#include "kube/transport/client.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

/// Time that passes only when somebody sleeps or a test says so. Thread-safe.
class FakeTime {
 public:
  Clock clock() {
    return {
        .now = [this] { return Now(); },
        .wall =
            [this] { return std::chrono::system_clock::time_point() + Now().time_since_epoch(); },
        .sleep =
            [this](Clock::Duration time, const std::stop_token& stop) {
              const std::lock_guard<std::mutex> lock(mutex_);
              slept_.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(time));
              now_ += time;
              return !stop.stop_requested();
            }};
  }
  void Pass(Clock::Duration time) {
    const std::lock_guard<std::mutex> lock(mutex_);
    now_ += time;
  }
  Clock::TimePoint Now() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }
  std::vector<std::chrono::milliseconds> slept() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return slept_;
  }

 private:
  std::mutex mutex_;
  Clock::TimePoint now_{std::chrono::hours(1000)};
  std::vector<std::chrono::milliseconds> slept_;
};

/// A client; a failure ends the test program.
inline std::unique_ptr<Client> MustCreate(const ClientConfig& config, ClientOptions options = {}) {
  auto client = Client::Create(config, std::move(options));
  if (!client.ok()) {
    ADD_FAILURE() << client.status();
    std::abort();
  }
  return *std::move(client);
}

/// Of a server in clear at `url`, without a limit of calls.
inline std::unique_ptr<Client> ClientOf(const std::string& url) {
  ClientConfig config;
  config.server = url;
  ClientOptions options;
  options.qps = 0;
  return MustCreate(config, std::move(options));
}

/// A GET that is tried once.
inline ApiRequest Once(std::string path,
                       std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
  ApiRequest request;
  request.path = std::move(path);
  request.timeout = timeout;
  request.may_retry = false;
  return request;
}

inline std::string Text(const absl::Status& status) {
  return std::string(MessageOf(status));
}

}  // namespace outrigger::kube
