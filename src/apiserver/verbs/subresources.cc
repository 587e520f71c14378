// Subresources that write something else than the object that they get: binding, eviction, scale.

#include <utility>

#include "apiserver/select/field_path.h"
#include "apiserver/select/label_selector.h"
#include "apiserver/types/conform.h"
#include "apiserver/verbs/writes.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

const Type* TypeOf(const char* name) {
  return TypeTable::Get().FindType(name);
}

std::string SuccessText(int code) {
  return Json{{"kind", "Status"},
              {"apiVersion", "v1"},
              {"metadata", Json::object()},
              {"status", "Success"},
              {"code", code}}
      .dump();
}

// Why a pod cannot be bound to a node; empty: it can (registry/core/pod/storage).
std::string WhyNotBound(const Json& pod, const std::string& name) {
  if (pod.at("metadata").contains("deletionTimestamp")) {
    return fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  }
  const std::string node = TextAt(pod, "spec.nodeName");
  if (!node.empty()) return fmt::format("pod {} is already assigned to node \"{}\"", name, node);
  const Json gates = pod.at("spec").value("schedulingGates", Json::array());
  return gates.empty() ? "" : fmt::format("pod {} has non-empty .spec.schedulingGates", name);
}

void SetScheduled(const std::string& now, Json* pod) {
  Json& conditions = (*pod)["status"]["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  Json condition = {{"type", "PodScheduled"},
                    {"status", "True"},
                    {"lastProbeTime", nullptr},
                    {"lastTransitionTime", now}};
  for (Json& one : conditions) {
    if (one.value("type", "") != "PodScheduled") continue;
    if (one.value("status", "") == "True")
      condition["lastTransitionTime"] = one["lastTransitionTime"];
    one = std::move(condition);
    return;
  }
  conditions.push_back(std::move(condition));
}

void BindTo(const Json& binding, const std::string& now, Json* pod) {
  (*pod)["spec"]["nodeName"] = binding.at("target").at("name");
  (*pod)["status"].erase("nominatedNodeName");
  const Json& metadata = binding.at("metadata");
  for (const char* key : {"annotations", "labels"}) {
    const Json given = metadata.value(key, Json::object());
    for (const auto& [name, value] : given.items()) (*pod)["metadata"][key][name] = value;
  }
  SetScheduled(now, pod);
}

}  // namespace

std::optional<Failure> Writes::Bind(Call* call, Reply* reply) const {
  Json binding;
  std::vector<std::string> unknown;
  if (auto failure = ReadObject(call, &binding)) return failure;
  binding.erase("apiVersion");
  binding.erase("kind");
  if (auto failure = Conform(*TypeOf("io.k8s.api.core.v1.Binding"), &binding, &unknown)) {
    return failure;
  }
  const std::string name =
      call->target.name.empty() ? TextAt(binding, "metadata.name") : call->target.name;
  if (TextAt(binding, "metadata.name") != name) {
    return Failure::BadRequest("name in URL does not match name in Binding object");
  }
  const std::string kind = TextAt(binding, "target.kind");
  std::vector<Cause> causes;
  if (!kind.empty() && kind != "Node") {
    causes.push_back(NotSupportedValue("target.kind", kind, {"Node", "<empty>"}));
  }
  if (TextAt(binding, "target.name").empty()) causes.push_back(RequiredValue("target.name"));
  if (!causes.empty()) {
    return Failure{.reason = "",
                   .message = fmt::format("{}: {}", causes[0].field, causes[0].message)};
  }
  const Subject subject{"", "pods/binding", name};
  const std::string uid = TextAt(binding, "metadata.uid");
  const std::string now = TimeText(deps_.clock.wall());
  const auto change = [&](const Json& old, Json* pod) -> std::optional<Failure> {
    const std::string own = TextAt(old, "metadata.uid");
    if (!uid.empty() && uid != own) {
      return Failure::Conflict({"", "pods", name},
                               fmt::format("Precondition failed: UID in precondition: {}, UID in "
                                           "object meta: {}",
                                           uid, own));
    }
    std::string why = WhyNotBound(old, name);
    if (!why.empty()) return Failure::Conflict(subject, std::move(why));
    BindTo(binding, now, pod);
    return std::nullopt;
  };
  StoredPtr stored;
  const bool dry_run = call->query.Text("dryRun") == "All";
  const ServedPtr pods = deps_.catalog->Find("", "v1", "pods");
  if (auto failure = Change(*pods, {call->target.namespace_, name}, Part::kBinding, dry_run, change,
                            &call->warnings, &stored)) {
    return failure;
  }
  reply->code = 201;
  reply->body = SuccessText(201);
  return std::nullopt;
}

std::optional<Failure> Writes::Evict(Call* call, Reply* reply) const {
  Json eviction;
  std::vector<std::string> unknown;
  if (auto failure = ReadObject(call, &eviction)) return failure;
  eviction.erase("apiVersion");
  eviction.erase("kind");
  if (auto failure = Conform(*TypeOf("io.k8s.api.policy.v1.Eviction"), &eviction, &unknown)) {
    return failure;
  }
  if (TextAt(eviction, "metadata.name") != call->target.name) {
    return Failure::BadRequest("name in URL does not match name in Eviction object");
  }
  const ServedPtr pods = deps_.catalog->Find("", "v1", "pods");
  const StoredPtr stored = deps_.store->Get(*pods->collection, call->object_name());
  if (stored == nullptr) return Failure::NotFound(call->subject());
  const Json options = eviction.value("deleteOptions", Json::object());
  const bool dry_run = call->query.Text("dryRun") == "All" || options.contains("dryRun");
  if (auto failure = TakeDisruption(stored->Parse(), dry_run)) return failure;
  Deletion deletion;
  if (options.contains("gracePeriodSeconds")) deletion.grace = options["gracePeriodSeconds"];
  deletion.uid = TextAt(options, "preconditions.uid");
  deletion.version = TextAt(options, "preconditions.resourceVersion");
  deletion.dry_run = dry_run;
  StoredPtr last;
  bool gone = false;
  if (auto failure = Erase(*pods, call->object_name(), deletion, &last, &gone)) return failure;
  reply->code = 201;
  reply->body = SuccessText(201);
  return std::nullopt;
}

// Counts the eviction against the budgets of the pod (registry/core/pod/storage/eviction.go).
std::optional<Failure> Writes::TakeDisruption(const Json& pod, bool dry_run) const {
  const std::string phase = TextAt(pod, "status.phase");
  const bool runs = phase != "Succeeded" && phase != "Failed" && phase != "Pending" &&
                    !pod.at("metadata").contains("deletionTimestamp");
  if (!runs) return std::nullopt;
  const ServedPtr budgets = deps_.catalog->Find("policy", "v1", "poddisruptionbudgets");
  const std::string name = TextAt(pod, "metadata.name");
  std::vector<ObjectName> of_pod;
  const Listing all = deps_.store->List(*budgets->collection, TextAt(pod, "metadata.namespace"));
  for (const StoredPtr& budget : all.objects) {
    const Json spec = budget->Parse().value("spec", Json::object());
    if (Selects(spec.value("selector", Json()), pod)) of_pod.push_back(budget->name);
  }
  if (of_pod.size() > 1) {
    return Failure{.code = 500,
                   .message =
                       "This pod has more than one PodDisruptionBudget, which the eviction "
                       "subresource does not support."};
  }
  if (of_pod.empty()) return std::nullopt;
  const std::string now = TimeText(deps_.clock.wall());
  const auto change = [&](const Json& old, Json* budget) -> std::optional<Failure> {
    Json& status = (*budget)["status"];
    const int64_t allowed =
        old.value("status", Json::object()).value("disruptionsAllowed", int64_t{0});
    const int64_t seen =
        old.value("status", Json::object()).value("observedGeneration", int64_t{0});
    if (seen < old.at("metadata").value("generation", int64_t{0})) {
      Failure failure = Failure::TooManyRequests(
          "Cannot evict pod as it would violate the pod's disruption budget.", 10);
      failure.causes = {
          {"DisruptionBudget",
           fmt::format("The disruption budget {} is still being processed by the server.",
                       of_pod[0].name),
           ""}};
      return failure;
    }
    if (allowed <= 0) {
      Failure failure = Failure::TooManyRequests(
          "Cannot evict pod as it would violate the pod's disruption budget.", 0);
      failure.retry_after.reset();
      failure.causes = {
          {"DisruptionBudget",
           fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                       of_pod[0].name, status.value("desiredHealthy", 0),
                       status.value("currentHealthy", 0)),
           ""}};
      return failure;
    }
    status["disruptionsAllowed"] = allowed - 1;
    status["disruptedPods"][name] = now;
    return std::nullopt;
  };
  StoredPtr stored;
  std::vector<std::string> warnings;
  return Change(*budgets, of_pod[0], Part::kStatus, dry_run, change, &warnings, &stored);
}

namespace {

std::string SelectorText(const Json& selector) {
  std::string text;
  const Json labels = selector.contains("matchLabels") ? selector["matchLabels"] : selector;
  if (!labels.is_object()) return text;
  for (const auto& [key, value] : labels.items()) {
    if (!value.is_string()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value.get<std::string>());
  }
  return text;
}

// Where an object has its replicas, and the selector of their pods.
struct ScalePaths {
  std::string spec = "spec.replicas";
  std::string status = "status.replicas";
  std::string selector = "spec.selector";
};

// Of a definition they are JSONPaths of fields: ".spec.replicas".
ScalePaths ScalePathsOf(const Served& served) {
  if (served.custom == nullptr) return {};
  const auto plain = [](const std::string& path) { return path.empty() ? path : path.substr(1); };
  return {plain(served.custom->spec_replicas_path), plain(served.custom->status_replicas_path),
          plain(served.custom->label_selector_path)};
}

// autoscaling/v1 Scale of an object.
Json ScaleOf(const Json& object, const ScalePaths& paths) {
  const Json& metadata = object.at("metadata");
  Json scale = {{"kind", "Scale"}, {"apiVersion", "autoscaling/v1"}};
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (metadata.contains(key)) scale["metadata"][key] = metadata[key];
  }
  scale["spec"] = Json::object();
  if (const int64_t replicas = NumberAt(object, paths.spec)) scale["spec"]["replicas"] = replicas;
  scale["status"]["replicas"] = NumberAt(object, paths.status);
  const Json* const selector = paths.selector.empty() ? nullptr : ValueAt(object, paths.selector);
  if (selector != nullptr) {
    scale["status"]["selector"] =
        selector->is_string() ? selector->get<std::string>() : SelectorText(*selector);
  }
  return scale;
}

void SetNumberAt(std::string_view path, const Json& value, Json* object) {
  while (path.find('.') != path.npos) {
    object = &(*object)[std::string(path.substr(0, path.find('.')))];
    path.remove_prefix(path.find('.') + 1);
  }
  (*object)[std::string(path)] = value;
}

}  // namespace

std::optional<Failure> Writes::Scale(Call* call, Reply* reply) const {
  const Served& served = *call->served;
  const ScalePaths paths = ScalePathsOf(served);
  if (call->http.method == "GET") {
    const StoredPtr stored = deps_.store->Get(*served.collection, call->object_name());
    if (stored == nullptr) return Failure::NotFound(call->subject());
    reply->body = ScaleOf(stored->Parse(), paths).dump();
    return std::nullopt;
  }
  Json given;
  if (call->http.method == "PUT") {
    if (auto failure = ReadObject(call, &given)) return failure;
  }
  const auto change = [&](const Json& old, Json* object) -> std::optional<Failure> {
    Json scale = given;
    if (scale.is_null()) {
      scale = ScaleOf(old, paths);
      if (auto failure = PatchScale(call, &scale)) return failure;
    }
    const Json replicas = scale.value("spec", Json::object()).value("replicas", Json(0));
    if (!replicas.is_number_integer() || replicas < 0) {
      return Failure::Invalid(
          {"autoscaling", "Scale", call->target.name},
          {InvalidValue("spec.replicas", replicas, "must be greater than or equal to 0")});
    }
    SetNumberAt(paths.spec, replicas, object);
    const std::string version = TextAt(scale, "metadata.resourceVersion");
    if (!version.empty()) (*object)["metadata"]["resourceVersion"] = version;
    return std::nullopt;
  };
  StoredPtr stored;
  if (auto failure =
          Change(served, call->object_name(), Part::kMain, call->query.Text("dryRun") == "All",
                 change, &call->warnings, &stored)) {
    return failure;
  }
  reply->body = ScaleOf(stored->Parse(), paths).dump();
  return std::nullopt;
}

}  // namespace outrigger::apiserver
