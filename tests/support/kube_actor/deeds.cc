#include "deeds.h"

#include "nlohmann/json.hpp"

namespace outrigger::kube_actor {
namespace {

using Json = nlohmann::json;

Json Answer(const absl::Status& status, Json value = nullptr) {
  return {{"code", absl::StatusCodeToString(status.code())},
          {"text", std::string(status.message())},
          {"value", std::move(value)}};
}

PodGroup GroupOf(const Json& json) {
  PodGroup group;
  group.dialect = static_cast<Dialect>(json.value("dialect", 0));
  group.namespace_ = json.value("namespace", "");
  group.name = json.value("name", "");
  group.uid = json.value("uid", "");
  return group;
}

PodGroupStatus StatusOf(const Json& json) {
  PodGroupStatus status;
  status.phase = json.value("phase", "");
  status.reason = json.value("reason", "");
  status.message = json.value("message", "");
  status.scheduled = json.value("scheduled", int64_t{0});
  status.running = json.value("running", int64_t{0});
  return status;
}

Json ViewJson(const ClusterView& view) {
  Json groups = Json::array();
  for (const PodGroup& group : view.objects->pod_groups) {
    groups.push_back({{"dialect", static_cast<int>(group.dialect)},
                      {"name", group.name},
                      {"uid", group.uid},
                      {"minimum", group.min_member}});
  }
  Json served = Json::array();
  for (const Dialect dialect :
       {Dialect::kSchedulerPlugins, Dialect::kKoordinator, Dialect::kVolcano, Dialect::kUpstream}) {
    if (view.objects->served.Has(dialect)) served.push_back(static_cast<int>(dialect));
  }
  Json budgets = Json::object();
  for (const DisruptionBudget& budget : view.objects->budgets) {
    budgets[budget.namespace_ + "/" + budget.name] = budget.allowed;
  }
  return {{"groups", groups},
          {"budgets", budgets},
          {"served", served},
          {"classes", view.objects->priority_classes},
          {"pods", view.snapshot->PodCount()}};
}

kube::ClusterWatchOptions WatchOptions() {
  kube::ClusterWatchOptions options;
  options.reflector.missing_retry = std::chrono::milliseconds(200);
  return options;
}

}  // namespace

Deeds::Deeds(kube::Api* api)
    : cluster_(cluster::ClusterOptions()),
      watch_(api, &cluster_, WatchOptions()),
      actor_(api, &cluster_, &watch_, &changes_) {}

Deeds::~Deeds() {
  watch_.Stop();
}

std::string Deeds::Do(const std::string& command) {
  const Json json = Json::parse(command, nullptr, false);
  if (!json.is_object()) return R"({"code":"INVALID_ARGUMENT","text":"no JSON"})";
  const auto text = [&](const char* key) { return json.value(key, ""); };
  const std::string verb = text("verb"), namespace_ = text("namespace"), name = text("name");
  const std::string uid = text("uid"), node = text("node"), version = text("version");
  const PodId pod{namespace_, name, uid};
  if (verb == "nominate") return Answer(actor_.Nominate(pod, node, version, {})).dump();
  if (verb == "bind") return Answer(actor_.Bind(pod, node, {}, {})).dump();
  if (verb == "evict") return Answer(actor_.Evict(pod, {})).dump();
  if (verb == "may-evict") return Answer(actor_.MayEvict(pod, {})).dump();
  if (verb == "read") {
    const auto read = actor_.Read(namespace_, name, {});
    if (!read.ok()) return Answer(read.status()).dump();
    return Answer({}, {{"uid", read->uid},
                       {"node", read->node_name},
                       {"nominated", read->nominated_node_name},
                       {"version", read->resource_version}})
        .dump();
  }
  if (verb == "holder") {
    const auto holder = actor_.LeaseHolder(namespace_, name, {});
    return holder.ok() ? Answer({}, *holder).dump() : Answer(holder.status()).dump();
  }
  if (verb == "status") {
    return Answer(actor_.WriteStatus(GroupOf(json), StatusOf(json.at("status")), {})).dump();
  }
  if (verb == "follow") {
    watch_.Start(Needs().PodMetadata().ClusterPods().ClusterGroups().ClusterBudgets());
    return Answer({}).dump();
  }
  const auto view = actor_.Take();
  return view.ok() ? Answer({}, ViewJson(*view)).dump() : Answer(view.status()).dump();
}

}  // namespace outrigger::kube_actor
