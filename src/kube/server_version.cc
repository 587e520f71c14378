#include "kube/server_version.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "codec/json/path.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds kTimeout{5};
constexpr ServerVersion kCountsByPod{1, 37};

// Managed control planes append a sign to the minor: "33+".
std::optional<int> NumberAt(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object.at(key).is_string()) return {};
  const std::string& text = object.at(key).get_ref<const std::string&>();
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, number);
  const bool whole = next == end || (next + 1 == end && *next == '+');
  if (error != std::errc() || !whole || number < 0) return {};
  return number;
}

}  // namespace

absl::StatusOr<ServerVersion> FindServerVersion(Api& api, const std::stop_token& stop) {
  ApiRequest request;
  request.path = "/version";
  request.timeout = kTimeout;
  request.stop = stop;
  const auto answer = api.Call(request);
  if (!answer.ok()) return answer.status();
  const Json json = Json::parse(answer->body, nullptr, false);
  const auto major = NumberAt(json, "major");
  const auto minor = NumberAt(json, "minor");
  if (major && minor) return ServerVersion{*major, *minor};
  return absl::InvalidArgumentError(fmt::format(
      "/version: expected numbers as \"major\" and \"minor\", found {}", json::Cut(answer->body)));
}

ResizeCounting ResizeCountingOf(const ServerVersion& version) {
  return version < kCountsByPod ? ResizeCounting::kByContainer : ResizeCounting::kByPod;
}

}  // namespace outrigger::kube
