#pragma once

#include <httplib.h>

#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace outrigger::usage {

/// What a scripted Prometheus was asked.
struct Asked {
  std::string path;  // "/api/v1/query"
  std::string query, time, start, end, step;
  std::string token;   // header Authorization
  std::string tenant;  // header X-Scope-OrgID
};

struct Answered {
  int status = 200;
  std::string body;
};

/// Answers queries of a test in process, over HTTP on a free port of loopback.
class ScriptedPrometheus {
 public:
  using Script = std::function<Answered(const Asked&)>;

  explicit ScriptedPrometheus(Script script) : script_(std::move(script)) {
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      const Asked asked{.path = request.path,
                        .query = request.get_param_value("query"),
                        .time = request.get_param_value("time"),
                        .start = request.get_param_value("start"),
                        .end = request.get_param_value("end"),
                        .step = request.get_param_value("step"),
                        .token = request.get_header_value("Authorization"),
                        .tenant = request.get_header_value("X-Scope-OrgID")};
      {
        const std::lock_guard lock(mutex_);
        asked_.push_back(asked);
      }
      const Answered answered = script_(asked);
      response.status = answered.status;
      response.set_content(answered.body, "application/json");
    };
    server_.Post("/.*", answer);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // stop() needs it
  }
  ~ScriptedPrometheus() {
    server_.stop();
    thread_.join();
  }
  ScriptedPrometheus(const ScriptedPrometheus&) = delete;
  ScriptedPrometheus& operator=(const ScriptedPrometheus&) = delete;

  std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }
  std::vector<Asked> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  Script script_;
  mutable std::mutex mutex_;
  std::vector<Asked> asked_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

/// {"metric":{<labels>},"value":[<time>,"<value>"]}
inline std::string InstantSeries(const std::string& labels, const std::string& value,
                                 const std::string& time = "1795658038.5") {
  return fmt::format(R"({{"metric":{{{}}},"value":[{},"{}"]}})", labels, time, value);
}

inline std::string VectorOf(const std::vector<std::string>& series) {
  std::string all;
  for (const std::string& one : series) all += (all.empty() ? "" : ",") + one;
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + all + "]}}";
}

inline Answered ErrorAnswer(int status, const std::string& type, const std::string& error) {
  return {status,
          fmt::format(R"({{"status":"error","errorType":"{}","error":"{}"}})", type, error)};
}

}  // namespace outrigger::usage
