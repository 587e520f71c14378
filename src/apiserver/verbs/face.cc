#include "apiserver/verbs/face.h"

#include <utility>

#include "apiserver/select/columns.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// core/v1, events.k8s.io/v1 (pkg/apis/events/v1/conversion.go).
constexpr std::pair<const char*, const char*> kRenamed[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

void Rename(const char* from, const char* to, Json* object) {
  if (!object->contains(from)) return;
  Json value = std::move((*object)[from]);
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

std::optional<Failure> Selection::Read(const Call& call, Selection* selection) {
  selection->namespace_ = call.target.namespace_;
  const Served& served = *call.served;
  return Selector::Parse(
      call.query.Text("labelSelector"), call.query.Text("fieldSelector"), served.group, served.kind,
      served.custom == nullptr ? nullptr : &served.custom->selectable_fields, &selection->selector);
}

bool Selection::Has(const Stored& object) const {
  if (!namespace_.empty() && object.name.namespace_ != namespace_) return false;
  return selector.MatchesLabels(object.labels) &&
         selector.MatchesFields(object.name.name, object.name.namespace_, object.fields);
}

Face Face::Of(const Call& call) {
  return {call.served, call.wants_table(), call.query.Text("includeObject") == "Object"};
}

void Face::Append(const Stored& object, std::string_view head, std::string* text) const {
  *text += head;
  if (served->group == kEventsGroup) {
    text->append(ToEventsFace(object.Parse()).dump(), 1);
  } else {
    *text += object.text;
  }
}

std::string Face::TextOf(const Stored& object) const {
  std::string text;
  Append(object, served->Head(), &text);
  return text;
}

std::string Face::Show(const StoredPtr& object, std::chrono::system_clock::time_point now) const {
  if (!as_table) return TextOf(*object);
  return TableOf({object}, {{"resourceVersion", std::to_string(object->version)}}, now);
}

std::string Face::ListOf(const std::vector<StoredPtr>& objects, const Json& metadata) const {
  std::string text =
      fmt::format("{{\"kind\":\"{}List\",\"apiVersion\":\"{}\",\"metadata\":{},\"items\":[",
                  served->kind, served->GroupVersion(), metadata.dump());
  // Items of built-in kinds do not name these.
  const std::string head = served->custom == nullptr ? "{" : served->Head();
  size_t size = text.size() + 2;
  for (const StoredPtr& object : objects) size += object->text.size() + head.size() + 1;
  text.reserve(size);
  for (const StoredPtr& object : objects) {
    if (&object != &objects.front()) text += ',';
    Append(*object, head, &text);
  }
  text += "]}";
  return text;
}

std::string Face::TableOf(const std::vector<StoredPtr>& objects, const Json& metadata,
                          std::chrono::system_clock::time_point now) const {
  const Columns& columns = served->custom != nullptr ? served->custom->columns
                                                     : Columns::OfKind(served->group, served->kind);
  Json table = {{"kind", "Table"},
                {"apiVersion", "meta.k8s.io/v1"},
                {"metadata", metadata},
                {"columnDefinitions", columns.Definitions()},
                {"rows", Json::array()}};
  for (const StoredPtr& stored : objects) {
    Json object = Json::parse(TextOf(*stored));
    Json row = {{"cells", columns.CellsOf(object, absl::FromChrono(now))}};
    if (!whole_objects) {
      object = {{"apiVersion", "meta.k8s.io/v1"},
                {"kind", "PartialObjectMetadata"},
                {"metadata", std::move(object["metadata"])}};
    }
    row["object"] = std::move(object);
    table["rows"].push_back(std::move(row));
  }
  return table.dump();
}

}  // namespace outrigger::apiserver
