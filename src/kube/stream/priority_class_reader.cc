#include "kube/stream/priority_class_reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codec/json/parser.h"

namespace outrigger::kube {
namespace {

using json::Field;
using json::Path;
using json::Value;

absl::Status ReadOwners(Value value, const Path& at, std::vector<OwnerReference>* owners) {
  return json::ForEachElement(value, at, [owners](Value element, const Path& place) {
    OwnerReference& owner = owners->emplace_back();
    return json::ReadField(element, place, [&owner](Value object, const Path& inner) {
      return json::ReadObject(object, inner, Field{"kind", &owner.kind}, Field{"name", &owner.name},
                              Field{"uid", &owner.uid}, Field{"apiVersion", &owner.api_version});
    });
  });
}

// One that writes several parts has an entry for each.
absl::Status ReadManagers(Value value, const Path& at, std::vector<std::string>* managers) {
  return json::ForEachElement(value, at, [managers](Value element, const Path& place) {
    std::string manager;
    const auto entry = [&manager](Value object, const Path& inner) {
      return json::ReadObject(object, inner, Field{"manager", &manager});
    };
    absl::Status status = json::ReadField(element, place, entry);
    const bool is_known = std::find(managers->begin(), managers->end(), manager) != managers->end();
    if (!manager.empty() && !is_known) managers->push_back(std::move(manager));
    return status;
  });
}

absl::Status ReadMetadata(Value value, const Path& at, PriorityClass* read) {
  const auto owners = [read](Value list, const Path& place) {
    return ReadOwners(list, place, &read->owners);
  };
  const auto managers = [read](Value list, const Path& place) {
    return ReadManagers(list, place, &read->managers);
  };
  const auto deleted = [read](Value time, const Path& place) {
    read->is_deleted = true;
    return json::TakeString(time, place);
  };
  return json::ReadObject(value, at, Field{"name", &read->name}, Field{"uid", &read->uid},
                          Field{"resourceVersion", &read->resource_version},
                          Field{"labels", &read->labels}, Field{"annotations", &read->annotations},
                          Field{"ownerReferences", owners}, Field{"finalizers", &read->finalizers},
                          Field{"deletionTimestamp", deleted}, Field{"managedFields", managers});
}

}  // namespace

absl::Status ReadPriorityClassJson(json::Object object, const Path& at, PriorityClass* read) {
  *read = PriorityClass();
  const auto metadata = [read](Value part, const Path& place) {
    return ReadMetadata(part, place, read);
  };
  absl::Status status =
      json::ReadObject(object, at, Field{"metadata", metadata}, Field{"value", &read->value},
                       Field{"globalDefault", &read->global_default},
                       Field{"preemptionPolicy", &read->preemption_policy},
                       Field{"description", &read->description});
  if (status.ok() && read->name.empty()) {
    return json::Invalid(at.Key("metadata").Key("name"), "is empty");
  }
  return status;
}

absl::StatusOr<PriorityClass> ReadPriorityClassJson(std::string_view text) {
  std::string padded(text);
  padded.append(json::kPadding, ' ');
  const json::ParserLease parser;
  json::Object root;
  absl::Status status = parser->Open({padded.data(), text.size()}, &root);
  if (!status.ok()) return status;
  PriorityClass read;
  status = ReadPriorityClassJson(root, Path("PriorityClass").AsObject(), &read);
  if (status.ok()) status = parser->Close();
  if (!status.ok()) return status;
  return read;
}

}  // namespace outrigger::kube
