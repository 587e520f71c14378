#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kube/api.h"
#include "kube/transport/transport.h"

namespace outrigger::kube {

/// Answers one after the other; the last for ever. Remembers what was asked.
class ScriptedTransport final : public Transport {
 public:
  struct Asked {
    std::string method, target, body;
    std::vector<std::string> headers;
    Clock::TimePoint deadline;
  };
  explicit ScriptedTransport(std::deque<absl::StatusOr<WireAnswer>> answers)
      : answers_(std::move(answers)) {}

  absl::StatusOr<WireAnswer> Send(const WireRequest& request, const ByteSink* /*sink*/) override {
    asked.push_back({std::string(request.method), request.target, std::string(request.body),
                     request.headers, request.deadline});
    if (on_send) on_send();
    auto answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }

  std::vector<Asked> asked;
  std::function<void()> on_send;

 private:
  std::deque<absl::StatusOr<WireAnswer>> answers_;
};

/// An Api that answers one after the other, and remembers what was asked.
class ScriptedApi final : public Api {
 public:
  struct Asked {
    std::string method, path, body, content_type;
    std::vector<std::pair<std::string, std::string>> query;
    bool rate_limited = true, may_retry = true, errors_are_of_all_tries = false;
    bool server_times_out = false;
  };
  explicit ScriptedApi(std::deque<absl::StatusOr<std::string>> answers)
      : answers_(std::move(answers)) {}

  absl::StatusOr<ApiResponse> Call(const ApiRequest& request) override {
    asked.push_back({std::string(request.method), request.path, std::string(request.body),
                     std::string(request.content_type), request.query, request.rate_limited,
                     request.may_retry, request.errors_are_of_all_tries, request.server_times_out});
    if (answers_.empty()) return absl::InternalError("not scripted");
    auto answer = answers_.front();
    answers_.pop_front();
    if (!answer.ok()) return answer.status();
    return ApiResponse{200, *std::move(answer)};
  }
  absl::Status Stream(const ApiRequest& /*request*/, ByteSink /*sink*/) override {
    return absl::InternalError("not scripted");
  }

  std::vector<Asked> asked;

 private:
  std::deque<absl::StatusOr<std::string>> answers_;
};

}  // namespace outrigger::kube
