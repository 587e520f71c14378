#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/json/reader.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "kube/errors.h"
#include "kube/scripted_api_testing.h"
#include "kube/virtual_time_testing.h"
#include "kube/watch/object_sink.h"
#include "kube/watch/reflector.h"

// What the tests of reflectors share: objects with a name and one text, and a sink that keeps them.

namespace outrigger::kube {

using Objects = std::map<std::string, std::string>;  // "namespace/name" to spec.value

class MapSink final : public ObjectSink {
 public:
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override {
    std::string value;
    ResourceList amounts;
    absl::Status status = json::ReadObject(
        object, at, json::Field{"spec", [&](json::Value spec, const json::Path& p) {
                                  return json::ReadObject(spec, p, json::Field{"value", &value},
                                                          json::Field{"amounts", &amounts});
                                }});
    if (status.ok()) objects[head.namespace_ + "/" + head.name] = value;
    return status;
  }
  void Remove(const ObjectHead& gone) override {
    objects.erase(fmt::format("{}/{}", gone.namespace_, gone.name));
  }
  void BeginReplace() override { ++begun; }
  void EndReplace(std::string_view /*version*/) override { ++ended; }

  Objects objects;
  int begun = 0;
  int ended = 0;
};

inline std::string Json(std::string_view name, int64_t version, std::string_view value) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"d","resourceVersion":"{}"}},"spec":{{"value":"{}"}}}})",
      name, version, value);
}
inline std::string EventOf(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}
inline std::string Added(std::string_view name, int64_t version, std::string_view value) {
  return EventOf("ADDED", Json(name, version, value));
}
inline std::string Modified(std::string_view name, int64_t version, std::string_view value) {
  return EventOf("MODIFIED", Json(name, version, value));
}
inline std::string Deleted(std::string_view name, int64_t version) {
  return EventOf("DELETED", Json(name, version, ""));
}
inline std::string Bookmark(int64_t version) {
  return EventOf("BOOKMARK",
                 fmt::format(R"({{"kind":"Pod","metadata":{{"resourceVersion":"{}"}}}})", version));
}
inline std::string InitialEnd(int64_t version) {
  return EventOf("BOOKMARK",
                 fmt::format(R"({{"kind":"Pod","metadata":{{"resourceVersion":"{}","annotations":)"
                             R"({{"k8s.io/initial-events-end":"true"}}}}}})",
                             version));
}
inline std::string List(int64_t version, const std::vector<std::string>& items,
                        std::string_view continue_token = "") {
  return fmt::format(
      R"({{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{}","continue":"{}"}},)"
      R"("items":[{}]}})",
      version, continue_token, fmt::join(items, ","));
}
inline std::string StatusJson(int code, std::string_view reason, std::string_view message) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{}",)"
      R"("reason":"{}","code":{}}})",
      message, reason, code);
}
inline absl::Status Refused(int code, std::string_view reason, std::string_view message,
                            std::string_view retry_after = "") {
  return ErrorOfAnswer(code, StatusJson(code, reason, message), retry_after);
}
inline absl::Status TooLarge() {
  return Refused(504, "Timeout", "Timeout: Too large resource version: 9, current: 5");
}
inline absl::Status Lost() {
  return absl::UnavailableError("connection lost");
}

/// A reflector of pods over a script, and what it makes of it.
struct Scene {
  explicit Scene(double random = 0) : options{.timing = time.timing(random)} {
    options.report = [this](const ObjectProblem& problem) {
      problems.push_back(fmt::format(
          "{}/{}: {}", problem.namespace_, problem.name,
          problem.value == nullptr ? std::string(problem.error) : problem.value->field));
    };
  }
  /// The call fails since nothing came for as long as it allows.
  void Silence() {
    api.Add([this](const ApiRequest& request, ByteSink) {
      time.Advance(request.silence);
      return absl::DeadlineExceededError("no byte within the time allowed");
    });
  }
  /// Runs until the script is over, and stops. Call `before_stop` in between.
  void Run(const std::function<void()>& before_stop = [] {}) {
    Reflector reflector(&api, kPods, &sink, options);
    reflector.Start();
    EXPECT_TRUE(api.AwaitIdle());
    state = reflector.State();
    line = reflector.Describe();
    before_stop();
    reflector.Stop();
  }

  VirtualTime time;
  ScriptedApi api;
  MapSink sink;
  ReflectorOptions options;
  ReflectorState state;  // when the script was over
  std::string line;
  std::vector<std::string> problems;
};

/// The requests in short: "watchlist", "watch 5", "list 0 limit 500", "list continue c".
inline std::vector<std::string> Calls(const ScriptedApi& api) {
  std::vector<std::string> calls;
  for (const SeenRequest& seen : api.seen()) {
    if (seen.is_watch_list()) {
      calls.emplace_back("watchlist");
    } else if (seen.is_watch()) {
      calls.push_back("watch " + seen.Query("resourceVersion"));
    } else if (seen.query.contains("continue")) {
      calls.push_back(
          fmt::format("list continue {} limit {}", seen.Query("continue"), seen.Query("limit")));
    } else {
      calls.push_back(
          fmt::format("list '{}' limit {}", seen.Query("resourceVersion"), seen.Query("limit")));
    }
  }
  return calls;
}

}  // namespace outrigger::kube
