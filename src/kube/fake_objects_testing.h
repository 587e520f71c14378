#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kube/api.h"
#include "kube/errors.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {

/// Objects by path, with resource versions and their preconditions, as the API server keeps them:
/// get, create, update, merge patch and delete. Does not imitate: lists, watches, validation,
/// server-side apply. Thread-safe.
class FakeObjects final : public Api {
 public:
  using Json = nlohmann::json;

  absl::StatusOr<ApiResponse> Call(const ApiRequest& request) override {
    if (before) {
      absl::Status fault = before(request);
      if (!fault.ok()) return fault;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(std::string(request.method) + " " + request.path);
    if (request.method == "POST") return Create(request);
    const auto found = objects_.find(request.path);
    if (found == objects_.end()) return Refuse(404, "NotFound");
    if (request.method == "GET") return ApiResponse{200, found->second.dump()};
    if (request.method == "DELETE") {
      objects_.erase(found);
      return ApiResponse{200, "{}"};
    }
    if (request.method == "PUT") return Replace(request, &found->second);
    if (request.method == "PATCH") {
      found->second.merge_patch(Json::parse(request.body));
      return Stored(&found->second);
    }
    return Refuse(405, "MethodNotAllowed");
  }
  absl::Status Stream(const ApiRequest& /*request*/, ByteSink /*sink*/) override {
    return absl::UnimplementedError("no streams");
  }

  /// What is asked before each call; an error is its answer. Set before use.
  std::function<absl::Status(const ApiRequest& request)> before;

  Json At(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(path);
    return found == objects_.end() ? Json() : found->second;
  }
  void Put(const std::string& path, Json object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Stored(&(objects_[path] = std::move(object)));
  }
  void Remove(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    objects_.erase(path);
  }
  std::vector<std::string> Paths() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> paths;
    for (const auto& [path, object] : objects_) paths.push_back(path);
    return paths;
  }
  std::vector<std::string> calls() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return calls_;
  }

 private:
  static absl::Status Refuse(int code, const std::string& reason) {
    return ErrorOfAnswer(code, Json{{"kind", "Status"}, {"code", code}, {"reason", reason}}.dump(),
                         "");
  }
  ApiResponse Stored(Json* object) {
    (*object)["metadata"]["resourceVersion"] = std::to_string(++version_);
    return {200, object->dump()};
  }
  absl::StatusOr<ApiResponse> Create(const ApiRequest& request) {
    Json object = Json::parse(request.body);
    const std::string path = request.path + "/" + object["metadata"]["name"].get<std::string>();
    if (objects_.count(path) > 0) return Refuse(409, "AlreadyExists");
    return Stored(&(objects_[path] = std::move(object)));
  }
  absl::StatusOr<ApiResponse> Replace(const ApiRequest& request, Json* present) {
    Json object = Json::parse(request.body);
    const Json& given = object["metadata"]["resourceVersion"];
    if (given.is_string() && given != (*present)["metadata"]["resourceVersion"]) {
      return Refuse(409, "Conflict");
    }
    *present = std::move(object);
    return Stored(present);
  }

  std::mutex mutex_;  // guards what follows
  std::map<std::string, Json> objects_;
  std::vector<std::string> calls_;
  int version_ = 0;
};

}  // namespace outrigger::kube
