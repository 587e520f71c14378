#include "devices/allocation/model/attribute_sets.h"

#include <algorithm>
#include <utility>

#include "devices/allocation/model/amount.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

bool ByName(const Attribute& a, const Attribute& b) {
  return a.name < b.name;
}

void AppendPart(std::string_view part, std::string* key) {
  *key += fmt::format("{}:{}", part.size(), part);
}

std::string QuantityKey(const Quantity& quantity) {
  const bool negative = quantity < Quantity();
  const std::optional<Amount> amount = ToAmount(negative ? -quantity : quantity);
  // Amounts beyond all bounds compare by their text.
  if (!amount.has_value()) return "q" + quantity.ToString();
  return fmt::format("q{}{}.{}", negative ? "-" : "", static_cast<int64_t>(*amount / kBillion),
                     static_cast<int64_t>(*amount % kBillion));
}

}  // namespace

std::string KeyOf(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "s" + *text;
  if (const auto* number = std::get_if<int64_t>(&value)) return fmt::format("i{}", *number);
  if (const auto* version = std::get_if<Version>(&value)) return "v" + version->text;
  if (const auto* quantity = std::get_if<Quantity>(&value)) return QuantityKey(*quantity);
  return "";
}

Attributes MergeAttributes(const Attributes& pool, const Attributes& device) {
  Attributes merged = device;
  const size_t own = merged.size();
  for (const Attribute& attribute : pool) {
    const bool overridden =
        std::any_of(device.begin(), device.begin() + static_cast<std::ptrdiff_t>(own),
                    [&](const Attribute& other) { return other.name == attribute.name; });
    if (!overridden) merged.push_back(attribute);
  }
  std::sort(merged.begin(), merged.end(), ByName);
  return merged;
}

SetId AttributeSets::Add(std::string_view driver, Attributes attributes) {
  std::string key;
  AppendPart(driver, &key);
  for (const Attribute& attribute : attributes) {
    AppendPart(attribute.name, &key);
    AppendPart(KeyOf(attribute.value), &key);
  }
  const auto [at, is_new] = ids_.try_emplace(std::move(key), static_cast<SetId>(sets_.size()));
  if (is_new) {
    sets_.push_back(std::make_shared<const AttributeSet>(
        AttributeSet{std::string(driver), std::move(attributes)}));
  }
  return at->second;
}

const AttributeValue* FindValue(const AttributeSet& set, std::string_view attribute) {
  const auto at =
      std::lower_bound(set.attributes.begin(), set.attributes.end(), attribute,
                       [](const Attribute& one, std::string_view name) { return one.name < name; });
  if (at == set.attributes.end() || at->name != attribute) return nullptr;
  return std::holds_alternative<std::monostate>(at->value) ? nullptr : &at->value;
}

}  // namespace outrigger::devices
