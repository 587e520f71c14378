#include "devices/objects/parts.h"

#include <chrono>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "codec/json/words.h"
#include "fmt/format.h"
#include "sdk/base/nearest.h"

namespace outrigger::device_objects {
namespace {

absl::Status ReadOwner(Value value, const Path& at, std::string* pod_uid) {
  std::string kind;
  std::string uid;
  absl::Status status = json::ReadObject(value, at, Field{"kind", &kind}, Field{"uid", &uid});
  if (status.ok() && kind == "Pod" && pod_uid->empty()) *pod_uid = std::move(uid);
  return status;
}

absl::Status ReadConfig(Value value, const Path& at, devices::ConfigReference* config) {
  return ReadSpecFields(value, at, Field{"apiVersion", &config->api_version},
                        Field{"kind", &config->kind}, Field{"namespace", &config->namespace_},
                        Field{"name", &config->name});
}

// Empty for a name that is not an old one.
std::string_view NewNameOf(std::string_view name) {
  for (const RenamedField& field : {kMatchAttributes, kMaxDeviceCount, kDeviceType}) {
    if (name == field.old_name) return field.name;
  }
  return {};
}

}  // namespace

std::string FieldHint(std::string_view key, std::initializer_list<std::string_view> known) {
  const std::string nearest = Nearest(json::Cut(key), {known.begin(), known.end()});
  if (!nearest.empty()) {
    const std::string_view renamed = NewNameOf(nearest);
    return fmt::format("a known field; did you mean {}?", renamed.empty() ? nearest : renamed);
  }
  std::vector<std::string> names(known.begin(), known.end());
  std::erase_if(names, [](const std::string& name) { return !NewNameOf(name).empty(); });
  return fmt::format("one of the fields {}", absl::StrJoin(names, ", "));
}

void ReportBothNames(const Path& at, const RenamedField& field) {
  at.Key(field.old_name)
      .Malformed(field.old_name,
                 fmt::format("equal to {0}, its new name; give {0} alone", field.name));
}

void TakeOldTypes(const Path& at, std::vector<std::string> old, std::string* type) {
  if (old.size() > 1) {
    at.Key(kDeviceType.old_name).Malformed(absl::StrJoin(old, ", "), "one type; give deviceType");
  } else if (!old.empty()) {
    TakeOld(at, kDeviceType, std::move(old[0]), type);
  }
}

absl::Status ReadAmounts(Value value, const Path& at, devices::Amounts* amounts) {
  amounts->clear();
  return json::ForEachField(value, at, [&](std::string_view key, Value item) {
    const Path place = at.Key(key);
    std::optional<Quantity> quantity;
    absl::Status status = json::ReadField(item, place, [&](Value amount, const Path& where) {
      return ReadQuantity(amount, where, &quantity);
    });
    if (quantity.has_value()) amounts->insert_or_assign(std::string(key), *quantity);
    return status;
  });
}

absl::Status ReadAllocatedAmounts(Value value, const Path& at, devices::Amounts* amounts) {
  amounts->clear();
  return json::ForEachElement(value, at, [&](Value element, const Path& place) {
    std::string name;
    std::optional<Quantity> amount;
    const auto read = [&amount](Value quantity, const Path& where) {
      return ReadQuantity(quantity, where, &amount);
    };
    absl::Status status =
        ReadFields(element, place, Field{"name", &name}, Field{"allocation", read});
    if (amount.has_value()) amounts->insert_or_assign(std::move(name), *amount);
    return status;
  });
}

absl::Status ReadAttribute(Value value, const Path& at, devices::Attribute* attribute) {
  std::optional<std::string> text;
  std::optional<int64_t> number;
  std::optional<Quantity> quantity;
  std::optional<std::string> version;
  const auto read_quantity = [&](Value amount, const Path& place) {
    return ReadQuantity(amount, place, &quantity);
  };
  absl::Status status =
      ReadSpecFields(value, at, Field{"name", &attribute->name}, Field{"stringValue", &text},
                     Field{"intValue", &number}, Field{"quantityValue", read_quantity},
                     Field{"semVerValue", &version});
  const int values = (text ? 1 : 0) + (number ? 1 : 0) + (quantity ? 1 : 0) + (version ? 1 : 0);
  if (values > 1) {
    at.Malformed(attribute->name, "one of stringValue, intValue, quantityValue and semVerValue");
    return status;
  }
  if (text) attribute->value = *std::move(text);
  if (number) attribute->value = *number;
  if (quantity) attribute->value = *quantity;
  if (version) attribute->value = devices::Version{*std::move(version)};
  return status;
}

absl::Status ReadMetadata(Value value, const Path& at, Metadata* metadata) {
  const auto owners = [metadata](Value list, const Path& place) {
    return json::ForEachElement(list, place, [metadata](Value owner, const Path& where) {
      return ReadOwner(owner, where, &metadata->owner_pod_uid);
    });
  };
  std::string deleted;
  devices::ObjectVersion& version = metadata->version;
  absl::Status status = json::ReadObject(
      value, at, Field{"name", &metadata->name}, Field{"namespace", &metadata->namespace_},
      Field{"uid", &version.uid}, Field{"resourceVersion", &version.resource_version},
      Field{"generation", &version.generation}, Field{"deletionTimestamp", &deleted},
      Field{"ownerReferences", owners});
  version.deleting = !deleted.empty();
  return status;
}

absl::Status ReadConfigs(Value value, const Path& at, std::vector<devices::ConfigReference>* list) {
  return json::ForEachElement(value, at, [list](Value element, const Path& place) {
    return ReadConfig(element, place, &list->emplace_back());
  });
}

std::string ConfigsFault(const std::vector<devices::ConfigReference>& configs,
                         std::string_view namespace_) {
  for (const devices::ConfigReference& config : configs) {
    const absl::Status status = devices::CheckConfig(config);
    if (!status.ok()) return std::string(status.message());
    if (config.namespace_.empty() || namespace_.empty() || config.namespace_ == namespace_) {
      continue;
    }
    return fmt::format("config {} {}/{}: namespace \"{}\" is not that of the claim", config.kind,
                       config.namespace_, config.name, config.namespace_);
  }
  return {};
}

absl::Status ReadWallTime(Value value, const Path& at, std::optional<devices::WallTime>* time) {
  std::string_view text;
  absl::Status status = json::Read(value, at, &text);
  if (!status.ok()) return status;
  absl::Time parsed;
  std::string error;
  // ParseTime() knows words for infinite times, too.
  const bool has_digit =
      !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text.front()));
  const absl::string_view form(text.data(), text.size());
  if (has_digit && absl::ParseTime(absl::RFC3339_full, form, &parsed, &error)) {
    *time = std::chrono::floor<std::chrono::seconds>(absl::ToChronoTime(parsed));
  } else {
    at.Malformed(text, json::kAcceptedTime);
  }
  return status;
}

absl::Status CheckType(const Path& at, std::string_view api_version, std::string_view kind,
                       const CustomKind& expected) {
  const std::string version = fmt::format("{}/{}", expected.group, expected.version);
  if (!api_version.empty() && api_version != version) {
    return json::Invalid(at.Key("apiVersion"),
                         fmt::format("\"{}\" is not {}", json::Cut(api_version), version));
  }
  if (kind.empty() || kind == expected.kind) return absl::OkStatus();
  return json::Invalid(at.Key("kind"),
                       fmt::format("\"{}\" is not {}", json::Cut(kind), expected.kind));
}

}  // namespace outrigger::device_objects
