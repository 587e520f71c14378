#include "apiserver/verbs/events.h"

#include <array>
#include <utility>

namespace outrigger::apiserver {
namespace {

// core/v1, events.k8s.io/v1 (pkg/apis/events/v1/conversion.go).
constexpr std::array<std::pair<const char*, const char*>, 7> kRenamed = {{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
}};

void Rename(const char* from, const char* to, Json* object) {
  const auto found = object->find(from);
  if (found == object->end()) return;
  Json value = std::move(*found);
  object->erase(from);
  (*object)[to] = std::move(value);
}

}  // namespace

Json ToEventsFace(Json core) {
  for (const char* field : {"reportingComponent", "reportingInstance"}) {
    if (core.value(field, "x").empty()) core.erase(field);
  }
  for (const auto& [from, to] : kRenamed) Rename(from, to, &core);
  return core;
}

Json FromEventsFace(Json event) {
  for (const auto& [to, from] : kRenamed) Rename(from, to, &event);
  return event;
}

}  // namespace outrigger::apiserver
