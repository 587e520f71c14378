// How objects are shown: their text in a version of the API, lists, tables.

#include <utility>

#include "apiserver/select/columns.h"
#include "apiserver/verbs/events.h"
#include "apiserver/verbs/watches.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

Json PartialMetadata(const Json& object) {
  return {{"apiVersion", "meta.k8s.io/v1"},
          {"kind", "PartialObjectMetadata"},
          {"metadata", object.at("metadata")}};
}

}  // namespace

bool Selection::Has(const Stored& object) const {
  if (!namespace_.empty() && object.name.namespace_ != namespace_) return false;
  return selector.MatchesLabels(object.labels) &&
         selector.MatchesFields(object.name.name, object.name.namespace_, object.fields);
}

std::string Face::TextOf(const Stored& object) const {
  if (served->group != kEventsGroup) return served->Head() + object.text;
  Json event = ToEventsFace(object.Parse());
  return served->Head() + event.dump().substr(1);
}

std::string Face::ListOf(const std::vector<StoredPtr>& objects, const Json& metadata) const {
  std::string text =
      fmt::format("{{\"kind\":\"{}List\",\"apiVersion\":\"{}\",\"metadata\":{},\"items\":[",
                  served->kind, served->GroupVersion(), metadata.dump());
  size_t size = text.size() + 2;
  for (const StoredPtr& object : objects) size += object->text.size() + 64;
  text.reserve(size);
  for (const StoredPtr& object : objects) {
    if (&object != &objects.front()) text += ',';
    if (served->custom != nullptr) {
      text += TextOf(*object);
    } else if (served->group == kEventsGroup) {
      text += ToEventsFace(object->Parse()).dump();
    } else {
      text += '{';
      text += object->text;
    }
  }
  text += "]}";
  return text;
}

std::string Face::TableOf(const std::vector<StoredPtr>& objects, const Json& metadata,
                          bool with_columns, std::chrono::system_clock::time_point now) const {
  Json table = {{"kind", "Table"},
                {"apiVersion", "meta.k8s.io/v1"},
                {"metadata", metadata},
                {"columnDefinitions", Json::array()},
                {"rows", Json::array()}};
  const Columns& columns = served->custom != nullptr ? served->custom->columns
                                                     : Columns::OfKind(served->group, served->kind);
  if (with_columns) table["columnDefinitions"] = columns.Definitions();
  for (const StoredPtr& stored : objects) {
    const Json object = Json::parse(TextOf(*stored));
    Json row = {{"cells", columns.CellsOf(object, absl::FromChrono(now))}};
    if (include_object == "Object") {
      row["object"] = object;
    } else if (include_object != "None") {
      row["object"] = PartialMetadata(object);
    }
    table["rows"].push_back(std::move(row));
  }
  return table.dump();
}

}  // namespace outrigger::apiserver
