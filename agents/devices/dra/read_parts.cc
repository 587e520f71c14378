#include "devices/dra/read_parts.h"

namespace outrigger::dra {

absl::Status ReadMetadata(Value value, const Path& at, Metadata* metadata) {
  const auto owners = [metadata](Value list, const Path& place) {
    return json::ForEachElement(list, place, [metadata](Value owner, const Path& where) {
      std::string kind;
      std::string name;
      absl::Status status =
          json::ReadObject(owner, where, Field{"kind", &kind}, Field{"name", &name});
      if (kind == "Pod") metadata->owner_pod = std::move(name);
      return status;
    });
  };
  return json::ReadObject(value, at, Field{"name", &metadata->name},
                          Field{"namespace", &metadata->namespace_}, Field{"uid", &metadata->uid},
                          Field{"ownerReferences", owners});
}

absl::Status ReadQuantities(Value value, const Path& at, Quantities* quantities) {
  quantities->clear();
  return json::ForEachField(value, at, [&](std::string_view key, Value item) {
    std::optional<Quantity> quantity;
    absl::Status status = ReadQuantity(item, at.Key(key), &quantity);
    if (quantity.has_value()) quantities->insert_or_assign(std::string(key), *quantity);
    return status;
  });
}

TaintEffect ParseEffect(std::string_view text) {
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  return text == "NoExecute" ? TaintEffect::kNoExecute : TaintEffect::kNone;
}

absl::Status ReadTaint(Value value, const Path& at, Taint* taint) {
  std::string effect;
  absl::Status status = json::ReadObject(value, at, Field{"key", &taint->key},
                                         Field{"value", &taint->value}, Field{"effect", &effect});
  taint->effect = ParseEffect(effect);
  return status;
}

absl::Status ReadSelector(Value value, const Path& at, std::string* expression) {
  const auto cel = [expression](Value part, const Path& place) {
    return json::ReadObject(part, place, Field{"expression", expression});
  };
  return json::ReadObject(value, at, Field{"cel", cel});
}

absl::Status ReadConfig(Value value, const Path& at, Config* config) {
  const auto opaque = [config](Value part, const Path& place) {
    json::Object object;
    std::string_view raw;
    auto error = part.get_object().get(object);
    if (error == simdjson::SUCCESS) error = object.raw_json().get(raw);
    if (error != simdjson::SUCCESS) return json::Broken(place, error);
    config->json = std::string("{\"opaque\":").append(raw).append("}");
    return absl::OkStatus();
  };
  return json::ReadObject(value, at, Field{"requests", &config->requests}, Field{"opaque", opaque});
}

}  // namespace outrigger::dra
