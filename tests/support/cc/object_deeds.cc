#include "object_deeds.h"

#include <map>
#include <string>
#include <utility>

namespace outrigger::testing {
namespace {

using nlohmann::json;

std::string TextOf(const json& command, const char* key) {
  return command.value(key, "");
}

json AnswerOf(const absl::Status& status, json value = nullptr) {
  return {{"code", absl::StatusCodeToString(status.code())},
          {"text", std::string(status.message())},
          {"value", std::move(value)}};
}

StringMap MapAt(const json& command, const char* key) {
  StringMap map;
  const json texts = command.value(key, json::object());
  for (const auto& [name, value] : texts.items()) {
    map.Set(name, value.get<std::string>());
  }
  return map;
}

json JsonOf(const StringMap& map) {
  json object = json::object();
  for (const auto& [key, value] : map) object[std::string(key)] = value;
  return object;
}

json JsonOf(const PriorityClass& of) {
  json owners = json::array();
  for (const OwnerReference& owner : of.owners) {
    owners.push_back({{"apiVersion", owner.api_version},
                      {"kind", owner.kind},
                      {"name", owner.name},
                      {"uid", owner.uid}});
  }
  return {{"name", of.name},
          {"uid", of.uid},
          {"version", of.resource_version},
          {"value", of.value},
          {"globalDefault", of.global_default},
          {"preemptionPolicy", of.preemption_policy},
          {"description", of.description},
          {"labels", JsonOf(of.labels)},
          {"annotations", JsonOf(of.annotations)},
          {"owners", std::move(owners)},
          {"finalizers", of.finalizers},
          {"isDeleted", of.is_deleted},
          {"manifest", of.manifest}};
}

json JsonOf(const ConfigMap& map) {
  return {{"namespace", map.namespace_},
          {"name", map.name},
          {"uid", map.uid},
          {"version", map.resource_version},
          {"labels", JsonOf(map.labels)},
          {"data", map.data}};
}

template <typename T>
json AnswerOf(const absl::StatusOr<T>& read) {
  if (!read.ok()) return AnswerOf(read.status());
  if constexpr (std::is_same_v<T, bool>) {
    return AnswerOf(absl::OkStatus(), *read);
  } else {
    return AnswerOf(absl::OkStatus(), JsonOf(*read));
  }
}

json Make(const json& command, bool tries, PriorityClassAccess* classes) {
  const json given = command.value("manifest", json());
  const std::string manifest = given.is_string() ? given.get<std::string>() : given.dump();
  const NewPriorityClass made{.manifest = manifest,
                              .value = command.value("value", int32_t{0}),
                              .annotations = MapAt(command, "annotations")};
  if (tries) return AnswerOf(classes->TryCreatePriorityClass(made, {}));
  return AnswerOf(classes->CreatePriorityClass(made, {}));
}

ConfigMap ConfigMapOf(const json& command) {
  ConfigMap map;
  map.namespace_ = TextOf(command, "namespace");
  map.name = TextOf(command, "name");
  map.uid = TextOf(command, "uid");
  map.resource_version = TextOf(command, "version");
  map.labels = MapAt(command, "labels");
  const json data = command.value("data", json::object());
  for (const auto& [key, value] : data.items()) {
    map.data[key] = value.get<std::string>();
  }
  return map;
}

std::optional<json> DoToClasses(const json& command, PriorityClassAccess* classes) {
  const std::string verb = TextOf(command, "verb");
  const std::string name = TextOf(command, "name");
  const std::string uid = TextOf(command, "uid");
  if (verb == "class-read") return AnswerOf(classes->ReadPriorityClass(name, {}));
  if (verb == "class-create" || verb == "class-try") {
    return Make(command, verb == "class-try", classes);
  }
  if (verb == "class-delete") {
    return AnswerOf(classes->DeletePriorityClass(name, uid, TextOf(command, "version"), {}));
  }
  if (verb == "pod-try") {
    return AnswerOf(classes->TryPod(TextOf(command, "namespace"), name, {}).status());
  }
  if (verb != "owner") return std::nullopt;
  const OwnerReference owner{TextOf(command, "kind"), name, uid, TextOf(command, "apiVersion")};
  return AnswerOf(classes->OwnerExists(owner, {}));
}

}  // namespace

std::optional<json> DoToObjects(const json& command, PriorityClassAccess* classes,
                                ConfigMapAccess* maps) {
  const ConfigMap map = ConfigMapOf(command);
  const std::string verb = TextOf(command, "verb");
  if (verb == "map-read") return AnswerOf(maps->ReadConfigMap(map.namespace_, map.name, {}));
  if (verb == "map-write") return AnswerOf(maps->WriteConfigMap(map, {}));
  if (verb == "map-delete") return AnswerOf(maps->DeleteConfigMap(map, {}));
  return DoToClasses(command, classes);
}

}  // namespace outrigger::testing
