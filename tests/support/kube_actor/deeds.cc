#include "deeds.h"

#include "nlohmann/json.hpp"
#include "object_deeds.h"

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

ClusterEvent ClusterEventOf(const Json& json) {
  ClusterEvent event;
  event.api_version = json.value("apiVersion", "v1");
  event.kind = json.value("kind", "");
  event.namespace_ = json.value("namespace", "");
  event.name = json.value("name", "");
  event.uid = json.value("uid", "");
  event.reason = "Tested";
  event.action = "Testing";
  event.note = json.value("note", "");
  return event;
}

Json ClassesJson(const std::vector<PriorityClass>& classes) {
  Json all = Json::object();
  for (const PriorityClass& of : classes) {
    all[of.name] = {{"uid", of.uid},
                    {"version", of.resource_version},
                    {"value", of.value},
                    {"finalizers", of.finalizers},
                    {"deleted", of.is_deleted},
                    {"managers", of.managers}};
  }
  return all;
}

Json ViewJson(const ClusterView& view) {
  Json groups = Json::array();
  for (const PodGroup& group : view.objects->pod_groups) {
    groups.push_back({{"dialect", static_cast<int>(group.dialect)},
                      {"name", group.name},
                      {"uid", group.uid},
                      {"phase", group.phase},
                      {"queue", group.queue},
                      {"version", group.resource_version},
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
          {"values", view.objects->priority_classes},
          {"classes", ClassesJson(view.objects->classes)},
          {"pods", view.snapshot->PodCount()}};
}

template <typename Options>
Options LookingOften() {
  Options options;
  options.reflector.missing_retry = std::chrono::milliseconds(200);
  return options;
}

}  // namespace

Deeds::Deeds(kube::Api* api)
    : cluster_(cluster::ClusterOptions()),
      watch_(api, &cluster_, LookingOften<kube::ClusterWatchOptions>()),
      custom_(api, LookingOften<kube::CustomWatchOptions>()),
      actor_(api, &cluster_, &watch_, &custom_, &changes_),
      custom_deeds_(&actor_) {}

Deeds::~Deeds() {
  custom_.Stop();
  watch_.Stop();
}

std::string Deeds::Do(const std::string& command) {
  const Json json = Json::parse(command, nullptr, false);
  if (!json.is_object()) return R"({"code":"INVALID_ARGUMENT","text":"no JSON"})";
  if (const auto done = testing::DoToObjects(json, &actor_, &actor_)) return done->dump();
  if (const auto done = custom_deeds_.Do(json)) return done->dump();
  const std::string verb = json.value("verb", "");
  Json answer = DoToPods(verb, json);
  if (answer.is_null()) answer = DoToGroups(verb, json);
  if (answer.is_null()) answer = DoRest(verb, json);
  return answer.dump();
}

// Null: another verb.
Json Deeds::DoToPods(const std::string& verb, const Json& command) {
  const auto text = [&](const char* key) { return command.value(key, ""); };
  const std::string namespace_ = text("namespace"), name = text("name"), uid = text("uid");
  const std::string node = text("node");
  const PodId pod{namespace_, name, uid};
  if (verb == "nominate") return Answer(actor_.Nominate(pod, node, text("version"), {}));
  if (verb == "ungate") return Answer(actor_.RemoveGate(pod, text("key"), {}, {}));
  if (verb == "bind") return Answer(actor_.Bind(pod, node, {}, {}));
  if (verb == "evict") return Answer(actor_.Evict(pod, {}));
  if (verb == "may-evict") return Answer(actor_.MayEvict(pod, {}));
  if (verb != "read") return nullptr;
  const auto read = actor_.Read(namespace_, name, {});
  if (!read.ok()) return Answer(read.status());
  return Answer({}, {{"uid", read->uid},
                     {"node", read->node_name},
                     {"nominated", read->nominated_node_name},
                     {"version", read->resource_version}});
}

Json Deeds::DoToGroups(const std::string& verb, const Json& command) {
  if (verb == "status") {
    return Answer(actor_.WriteStatus(GroupOf(command), StatusOf(command.at("status")), {}));
  }
  if (verb != "annotate") return nullptr;
  return Answer(actor_.AnnotateGroup(GroupOf(command), command.value("key", ""),
                                     command.value("text", ""), {}));
}

Json Deeds::DoRest(const std::string& verb, const Json& command) {
  if (verb == "holder") {
    const auto lease =
        actor_.ReadLease(command.value("namespace", ""), command.value("name", ""), {});
    return lease.ok() ? Answer({}, lease->holder) : Answer(lease.status());
  }
  if (verb == "event") {
    actor_.Record(ClusterEventOf(command));
    actor_.FlushEvents();
    return Answer({}, actor_.event_stats().written);
  }
  if (verb == "stand") {
    return Answer(stand_.Begin(&actor_, command.value("namespace", ""), command.value("name", "")));
  }
  if (verb == "standing") return Answer({}, stand_.Report());
  if (verb == "resign") {
    stand_.End();
    return Answer({});
  }
  if (verb == "follow") {
    watch_.Start(Needs()
                     .PodMetadata()
                     .ClusterPods()
                     .ClusterGroupStatus()
                     .ClusterPriorityClasses()
                     .ClusterBudgets());
    return Answer({});
  }
  const auto view = actor_.Take();
  return view.ok() ? Answer({}, ViewJson(*view)) : Answer(view.status());
}

}  // namespace outrigger::kube_actor
