#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/admission/admission.h"
#include "apiserver/controllers/controllers.h"
#include "apiserver/select/field_path.h"
#include "apiserver/store/store.h"
#include "apiserver/types/conform.h"
#include "apiserver/types/defaults.h"
#include "apiserver/verbs/catalog.h"
#include "apiserver/verbs/writes.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {

/// The API without its server, the controllers, and a clock that stands still. Objects are in the
/// namespace "default" unless they say another.
class TestCluster {
 public:
  explicit TestCluster(Store::Limits limits = {})
      : store(limits),
        catalog_(&store),
        admission_(&store, {}),
        writes({&store, &catalog_, &admission_, 1, ClockOf()}),
        controllers({&store, &catalog_, &writes, ClockOf()}) {
    Make("v1", "namespaces", {{"metadata", {{"name", "default"}}}});
  }

  const Served& Kind(const std::string& group, const std::string& plural) const {
    return *catalog_.Find(group == "v1" ? "" : group, "v1", plural);
  }

  /// As a client's POST does it. Returns the object.
  Json Make(const std::string& group, const std::string& plural, Json object) {
    const Served& kind = Kind(group, plural);
    if (kind.namespaced && !object["metadata"].contains("namespace")) {
      object["metadata"]["namespace"] = "default";
    }
    std::vector<std::string> notes;
    auto failure = Conform(*kind.type, &object, &notes);
    SetDefaults(*kind.type, &object);
    StoredPtr stored;
    if (!failure) failure = writes.Add(kind, std::move(object), false, &notes, &stored);
    EXPECT_FALSE(failure) << failure->message;
    return failure ? Json() : stored->Parse();
  }

  /// Null: there is none.
  Json Get(const std::string& group, const std::string& plural, const std::string& name,
           const std::string& namespace_ = "default") const {
    const Served& kind = Kind(group, plural);
    const StoredPtr found = store.Get(*kind.collection, {kind.namespaced ? namespace_ : "", name});
    return found == nullptr ? Json() : found->Parse();
  }
  std::vector<Json> List(const std::string& group, const std::string& plural) const {
    std::vector<Json> all;
    for (const auto& one : store.List(*Kind(group, plural).collection, "").objects) {
      all.push_back(one->Parse());
    }
    return all;
  }
  std::vector<Json> Pods() const { return List("v1", "pods"); }

  void Edit(const std::string& group, const std::string& plural, const std::string& name,
            const std::function<void(Json*)>& edit, Part part = Part::kMain,
            const std::string& namespace_ = "default") {
    const Served& kind = Kind(group, plural);
    StoredPtr stored;
    const auto failure = writes.Change(
        kind, {kind.namespaced ? namespace_ : "", name}, part, false,
        [&](const Json&, Json* object) -> std::optional<Failure> {
          edit(object);
          return std::nullopt;
        },
        &stored);
    EXPECT_FALSE(failure) << failure->message;
  }

  void Delete(const std::string& group, const std::string& plural, const std::string& name,
              Deletion deletion = {}, const std::string& namespace_ = "default") {
    const Served& kind = Kind(group, plural);
    StoredPtr last;
    bool gone = false;
    const auto failure =
        writes.Erase(kind, {kind.namespaced ? namespace_ : "", name}, deletion, &last, &gone);
    EXPECT_FALSE(failure) << failure->message;
  }

  /// As a scheduler and a kubelet do it.
  void Bind(const std::string& pod, const std::string& node) {
    Edit(
        "v1", "pods", pod, [&](Json* object) { (*object)["spec"]["nodeName"] = node; },
        Part::kBinding);
  }
  void SetPhase(const std::string& pod, const std::string& phase, bool ready = false) {
    Edit(
        "v1", "pods", pod,
        [&](Json* object) {
          Json& status = (*object)["status"];
          status["phase"] = phase;
          status["conditions"] = Json::array({{{"type", "Ready"},
                                               {"status", ready ? "True" : "False"},
                                               {"lastTransitionTime", TimeText(wall)}}});
        },
        Part::kStatus);
  }
  /// All pods that are not deleted run, and are ready.
  void RunPods() {
    for (const Json& pod : Pods()) {
      const bool is_over = TextAt(pod, "status.phase") == "Failed" ||
                           TextAt(pod, "status.phase") == "Succeeded" ||
                           pod["metadata"].contains("deletionTimestamp");
      if (!is_over) SetPhase(TextAt(pod, "metadata.name"), "Running", /*ready=*/true);
    }
  }

  void Settle() { controllers.Settle(); }
  void Advance(std::chrono::seconds time) {
    now += time;
    wall += time;
    Settle();
  }

  Clock::TimePoint now = Clock::TimePoint(std::chrono::hours(1));
  std::chrono::system_clock::time_point wall =
      std::chrono::system_clock::time_point(std::chrono::hours(500'000));
  Store store;

 private:
  Clock ClockOf() {
    Clock clock;
    clock.now = [this] { return now; };
    clock.wall = [this] { return wall; };
    return clock;
  }

  Catalog catalog_;
  Admission admission_;

 public:
  Writes writes;
  Controllers controllers;
};

/// Null: there is none of this type.
inline const Json* FindCondition(const Json& object, const std::string& type) {
  for (const Json& condition : ListAt(object, "status.conditions")) {
    if (TextAt(condition, "type") == type) return &condition;
  }
  return nullptr;
}

inline Json PodSpec(const std::string& image = "a") {
  return {{"containers", Json::array({{{"name", "c"}, {"image", image}}})}};
}

inline Json Workload(const std::string& name, int replicas, const std::string& image = "a") {
  return {
      {"metadata", {{"name", name}}},
      {"spec",
       {{"replicas", replicas},
        {"selector", {{"matchLabels", {{"app", name}}}}},
        {"template", {{"metadata", {{"labels", {{"app", name}}}}}, {"spec", PodSpec(image)}}}}}};
}

}  // namespace outrigger::apiserver
