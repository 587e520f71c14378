#include "kube/write/binding.h"

#include <string>

#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

std::string BindingBody(const Binding& binding) {
  Json body = {{"apiVersion", "v1"},
               {"kind", "Binding"},
               {"metadata",
                {{"name", binding.pod}, {"namespace", binding.namespace_}, {"uid", binding.uid}}},
               {"target", {{"kind", "Node"}, {"name", binding.node}}}};
  for (const auto& [key, value] : binding.annotations) {
    body["metadata"]["annotations"][std::string(key)] = value;
  }
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool IsConflict(const absl::Status& status) {
  const auto said = ApiErrorOf(status);
  return said ? said->code == 409 : absl::IsAborted(status) || absl::IsAlreadyExists(status);
}

// What the conflict is about; Ok if the pod is where it should be.
absl::Status Explain(Api& api, const Binding& binding, const CallOptions& options,
                     const absl::Status& conflict) {
  CallOptions reading = options;
  reading.rate_limited = false;
  const auto text = Get(api, kPods, {binding.namespace_, binding.pod}, reading);
  // No try can bind it any more.
  absl::Status aborted = WithCode(conflict, absl::StatusCode::kAborted);
  if (absl::IsNotFound(text.status())) return aborted;
  if (!text.ok()) {
    // An earlier try of the same call may have bound it, and its answer been lost.
    return absl::UnavailableError(fmt::format("{}; it is unknown whether the pod is bound: {}",
                                              MessageOf(conflict), MessageOf(text.status())));
  }
  const Json pod = Json::parse(*text, nullptr, false);
  if (!pod.is_object()) return conflict;
  const std::string node = TextAt(pod, "/spec/nodeName");
  if (TextAt(pod, "/metadata/uid") != binding.uid) return aborted;
  if (node == binding.node) return absl::OkStatus();
  // Not bound: after a try without an answer it may be yet.
  if (node.empty()) return conflict;
  return WithMessage(aborted, fmt::format("{}; it is bound to node {}", MessageOf(conflict), node));
}

}  // namespace

absl::Status Bind(Api& api, const Binding& binding, const CallOptions& options) {
  if (binding.namespace_.empty() || binding.pod.empty() || binding.uid.empty() ||
      binding.node.empty()) {
    return absl::InvalidArgumentError("a binding needs namespace, pod, uid and node");
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::string body = BindingBody(binding);
  ApiRequest request;
  request.method = "POST";
  request.path = PathOf(kPods, binding.namespace_, binding.pod, "binding");
  request.body = body;
  request.timeout = options.timeout;
  request.stop = options.stop;
  request.rate_limited = false;
  request.errors_are_of_all_tries = true;
  request.server_times_out = true;
  absl::Status status = api.Call(request).status();
  if (!IsConflict(status)) return status;
  return Explain(api, binding, WithTimeLeft(options, begin), status);
}

}  // namespace outrigger::kube
