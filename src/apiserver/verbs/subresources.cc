// Subresources that write something else than the object that they get (binding, eviction, scale),
// and reviews, which write nothing.

#include <utility>

#include "apiserver/select/field_path.h"
#include "apiserver/select/label_selector.h"
#include "apiserver/types/conform.h"
#include "apiserver/verbs/verbs.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Why a pod cannot be bound to a node; empty: it can (registry/core/pod/storage).
std::string WhyNotBound(const Json& pod, const std::string& name) {
  if (pod.at("metadata").contains("deletionTimestamp")) {
    return fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  }
  const std::string& node = TextAt(pod, "spec.nodeName");
  if (!node.empty()) return fmt::format("pod {} is already assigned to node \"{}\"", name, node);
  return ListAt(pod, "spec.schedulingGates").empty()
             ? ""
             : fmt::format("pod {} has non-empty .spec.schedulingGates", name);
}

void BindTo(const Json& binding, const std::string& now, Json* pod) {
  (*pod)["spec"]["nodeName"] = binding.at("target").at("name");
  for (const char* key : {"annotations", "labels"}) {
    const Json given = binding.at("metadata").value(key, Json::object());
    for (const auto& [name, value] : given.items()) (*pod)["metadata"][key][name] = value;
  }
  Json& status = (*pod)["status"];
  status.erase("nominatedNodeName");
  Json conditions = Json::array();
  for (const Json& one : ListAt(status, "conditions")) {
    if (TextAt(one, "type") != "PodScheduled") conditions.push_back(one);
  }
  conditions.push_back({{"type", "PodScheduled"},
                        {"status", "True"},
                        {"lastProbeTime", nullptr},
                        {"lastTransitionTime", now}});
  status["conditions"] = std::move(conditions);
}

void AnswerCreated(Reply* reply) {
  Json status = SuccessStatus();
  status["code"] = reply->code = 201;
  reply->body = status.dump();
}

// What speaks against taking a disruption of a budget.
std::optional<Failure> CheckBudget(const Json& budget, const std::string& name) {
  const bool is_stale =
      NumberAt(budget, "status.observedGeneration") < NumberAt(budget, "metadata.generation");
  if (!is_stale && NumberAt(budget, "status.disruptionsAllowed") > 0) return std::nullopt;
  Failure failure = Failure::TooManyRequests(
      "Cannot evict pod as it would violate the pod's disruption budget.", 10);
  if (!is_stale) failure.retry_after.reset();
  std::string why = fmt::format(
      "The disruption budget {} needs {} healthy pods and has {} currently", name,
      NumberAt(budget, "status.desiredHealthy"), NumberAt(budget, "status.currentHealthy"));
  failure.causes = {{"DisruptionBudget", std::move(why), ""}};
  return failure;
}

// Counts the eviction against the budget of the pod (registry/core/pod/storage/eviction.go).
std::optional<Failure> TakeDisruption(const Api& api, const Json& pod, bool dry_run) {
  const std::string& phase = TextAt(pod, "status.phase");
  if (phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
      pod.at("metadata").contains("deletionTimestamp")) {
    return std::nullopt;
  }
  const ServedPtr budgets = api.catalog->Find("policy", "v1", "poddisruptionbudgets");
  std::vector<ObjectName> of_pod;
  const Listing all = api.store->List(*budgets->collection, TextAt(pod, "metadata.namespace"));
  for (const StoredPtr& budget : all.objects) {
    const Json spec = budget->Parse().value("spec", Json::object());
    if (Selects(spec.value("selector", Json()), pod)) of_pod.push_back(budget->name);
  }
  if (of_pod.empty()) return std::nullopt;
  if (of_pod.size() > 1) {
    return Failure{.message =
                       "This pod has more than one PodDisruptionBudget, which the eviction "
                       "subresource does not support."};
  }
  const auto change = [&](const Json& old, Json* budget) -> std::optional<Failure> {
    if (auto failure = CheckBudget(old, of_pod[0].name)) return failure;
    Json& status = (*budget)["status"];
    status["disruptionsAllowed"] = NumberAt(status, "disruptionsAllowed") - 1;
    status["disruptedPods"][TextAt(pod, "metadata.name")] = TimeText(api.clock.wall());
    return std::nullopt;
  };
  StoredPtr stored;
  return api.writes->Change(*budgets, of_pod[0], Part::kStatus, dry_run, change, &stored);
}

// autoscaling/v1 Scale of an object.
Json ScaleOf(const Json& object) {
  const Json& metadata = object.at("metadata");
  Json scale = {{"kind", "Scale"}, {"apiVersion", "autoscaling/v1"}, {"spec", Json::object()}};
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (metadata.contains(key)) scale["metadata"][key] = metadata[key];
  }
  const int64_t replicas = NumberAt(object, "spec.replicas");
  if (replicas != 0) scale["spec"]["replicas"] = replicas;
  scale["status"]["replicas"] = NumberAt(object, "status.replicas");
  std::string selector;
  if (const Json* const labels = ValueAt(object, "spec.selector.matchLabels")) {
    for (const auto& [key, value] : labels->items()) {
      if (!selector.empty()) selector += ',';
      selector += fmt::format("{}={}", key, value.get<std::string>());
    }
  }
  scale["status"]["selector"] = std::move(selector);
  return scale;
}

}  // namespace

Json SuccessStatus() {
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", Json::object()},
          {"status", "Success"}};
}

std::optional<Failure> Bind(const Api& api, Call* call, Reply* reply) {
  Json binding;
  if (auto failure = ReadBodyOf("io.k8s.api.core.v1.Binding", call, &binding)) return failure;
  const std::string name = TextAt(binding, "metadata.name");
  if (!call->target.name.empty() && name != call->target.name) {
    return Failure::BadRequest("name in URL does not match name in Binding object");
  }
  const std::string& kind = TextAt(binding, "target.kind");
  if ((!kind.empty() && kind != "Node") || TextAt(binding, "target.name").empty()) {
    return Failure{.reason = "", .message = "target: Required value: the name of a Node"};
  }
  const std::string uid = TextAt(binding, "metadata.uid");
  const auto change = [&](const Json& old, Json* pod) -> std::optional<Failure> {
    std::string why = WhyNotBound(old, name);
    if (!why.empty()) return Failure::Conflict({"", "pods/binding", name}, std::move(why));
    BindTo(binding, TimeText(api.clock.wall()), pod);
    if (!uid.empty()) (*pod)["metadata"]["uid"] = uid;  // must be the pod's
    return std::nullopt;
  };
  StoredPtr stored;
  const ServedPtr pods = api.catalog->Find("", "v1", "pods");
  if (auto failure = api.writes->Change(*pods, {call->target.namespace_, name}, Part::kBinding,
                                        call->is_dry_run(), change, &stored)) {
    return failure;
  }
  AnswerCreated(reply);
  return std::nullopt;
}

std::optional<Failure> Evict(const Api& api, Call* call, Reply* reply) {
  Json eviction;
  if (auto failure = ReadBodyOf("io.k8s.api.policy.v1.Eviction", call, &eviction)) return failure;
  if (TextAt(eviction, "metadata.name") != call->target.name) {
    return Failure::BadRequest("name in URL does not match name in Eviction object");
  }
  const StoredPtr stored = api.store->Get(*call->served->collection, call->object_name());
  if (stored == nullptr) return Failure::NotFound(call->subject());
  Deletion deletion = Deletion::Of(eviction.value("deleteOptions", Json::object()));
  deletion.dry_run |= call->is_dry_run();
  if (auto failure = TakeDisruption(api, stored->Parse(), deletion.dry_run)) return failure;
  StoredPtr last;
  bool gone = false;
  if (auto failure =
          api.writes->Erase(*call->served, call->object_name(), deletion, &last, &gone)) {
    return failure;
  }
  AnswerCreated(reply);
  return std::nullopt;
}

std::optional<Failure> Scale(const Api& api, Call* call, Reply* reply) {
  StoredPtr stored = api.store->Get(*call->served->collection, call->object_name());
  if (stored == nullptr) return Failure::NotFound(call->subject());
  Json given;
  const bool is_patch = call->http.method == "PATCH";
  if (call->http.method == "PUT") {
    if (auto failure = ReadBodyOf("io.k8s.api.autoscaling.v1.Scale", call, &given)) return failure;
  } else if (is_patch) {
    if (auto failure = ReadPatch(*call, &given)) return failure;
  }
  const auto change = [&](const Json& old, Json* object) -> std::optional<Failure> {
    Json scale = is_patch ? ScaleOf(old) : given;
    if (is_patch) {
      if (auto failure = ApplyPatch(*call, given, &scale)) return failure;
      scale.erase("apiVersion");
      scale.erase("kind");
      std::vector<std::string> unknown;
      const Type* type = TypeTable::Get().FindType("io.k8s.api.autoscaling.v1.Scale");
      if (auto failure = Conform(*type, &scale, &unknown)) return failure;
    }
    const Json* const asked = ValueAt(scale, "spec.replicas");
    const Json replicas = asked == nullptr ? Json(0) : *asked;
    if (!replicas.is_number_integer() || replicas < 0) {
      return Failure::Invalid(
          {"autoscaling", "Scale", call->target.name},
          {InvalidValue("spec.replicas", replicas, "must be greater than or equal to 0")});
    }
    (*object)["spec"]["replicas"] = replicas;
    (*object)["metadata"]["resourceVersion"] = TextAt(scale, "metadata.resourceVersion");
    return std::nullopt;
  };
  if (!given.is_null()) {
    if (auto failure = api.writes->Change(*call->served, call->object_name(), Part::kMain,
                                          call->is_dry_run(), change, &stored)) {
      return failure;
    }
  }
  reply->body = ScaleOf(stored->Parse()).dump();
  return std::nullopt;
}

std::optional<Failure> Review(const Api& /*api*/, Call* call, Reply* reply) {
  static const Json kStatuses = Json::parse(R"({
    "TokenReview": {"authenticated": true, "user": {
      "username": "system:admin", "groups": ["system:masters", "system:authenticated"]}},
    "SelfSubjectReview": {"userInfo": {
      "username": "system:admin", "groups": ["system:masters", "system:authenticated"]}},
    "SelfSubjectRulesReview": {"incomplete": false,
      "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
      "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}})");
  Json object;
  if (auto failure = ReadBody(call, &object)) return failure;
  object["apiVersion"] = call->served->GroupVersion();
  object["kind"] = call->served->kind;
  if (!object.contains("metadata")) object["metadata"] = Json::object();
  object["status"] = kStatuses.value(call->served->kind, Json{{"allowed", true}});
  reply->code = 201;
  reply->body = object.dump();
  return std::nullopt;
}

}  // namespace outrigger::apiserver
