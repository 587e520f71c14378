#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/json/reader.h"
#include "devices/dra/objects.h"

// Readers of parts that several kinds have.

namespace outrigger::dra {

using json::Field;
using json::Path;
using json::ReadList;
using json::ReadQuantity;
using json::Value;

struct Metadata {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string owner_pod;  ///< the name of the pod that it belongs to; empty: none
};

absl::Status ReadMetadata(Value value, const Path& at, Metadata* metadata);

absl::Status ReadQuantities(Value value, const Path& at, Quantities* quantities);
absl::Status ReadTaint(Value value, const Path& at, Taint* taint);
/// A selector: {cel: {expression}}.
absl::Status ReadSelector(Value value, const Path& at, std::string* expression);
absl::Status ReadConfig(Value value, const Path& at, Config* config);
/// Effects that are not known are kNone.
TaintEffect ParseEffect(std::string_view text);

/// ReadList() as the target of a Field.
template <typename Item, typename Reader>
auto ListOf(std::vector<Item>* list, Reader read) {
  return [list, read](Value value, const Path& at) { return ReadList(value, at, list, read); };
}

absl::Status ReadSlice(json::Object object, const Path& at, Slice* slice);
absl::Status ReadClaimSpec(Value value, const Path& at, Claim* claim);
absl::Status ReadClaimStatus(Value value, const Path& at, Claim* claim);

}  // namespace outrigger::dra
