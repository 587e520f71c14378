#include "device_objects/parts.h"

#include <utility>

#include "json/accepted.h"

namespace outrigger::device_objects {
namespace {

// A string, or a number as it is written.
absl::Status TextOf(Value value, const Path& at, std::string_view* text) {
  *text = json::Token(value);
  if (text->starts_with('"')) return json::Read(value, at, text);
  if (json::IsNumber(*text)) return absl::OkStatus();
  return json::Expected(at, "a quantity (a string or a number)", value);
}

}  // namespace

absl::Status ReadQuantity(Value value, const Path& at, std::optional<Quantity>* quantity) {
  std::string_view text;
  absl::Status status = TextOf(value, at, &text);
  if (!status.ok()) return status;
  const auto parsed = Quantity::Parse(text);
  if (parsed.ok()) {
    *quantity = *parsed;
  } else {
    at.Malformed(text, json::kAcceptedQuantity);
  }
  return status;
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

absl::Status ReadAttribute(Value value, const Path& at, devices::Attribute* attribute) {
  std::optional<std::string> text;
  std::optional<int64_t> number;
  std::optional<Quantity> quantity;
  std::optional<std::string> version;
  const auto read_quantity = [&](Value amount, const Path& place) {
    return ReadQuantity(amount, place, &quantity);
  };
  absl::Status status =
      ReadFields(value, at, Field{"name", &attribute->name}, Field{"stringValue", &text},
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

}  // namespace outrigger::device_objects
