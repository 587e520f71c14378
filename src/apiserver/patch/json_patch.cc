#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "apiserver/patch/patch.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr size_t kMaxOperations = 10'000;
constexpr size_t kMaxCopiedBytes = 3 << 20;
constexpr size_t kMaxLevels = 1000;

// Where an operation acts: a member or item of `holder`.
struct PatchPlace {
  Json* holder;
  std::string key;
  size_t level;  // of the value, counted from the object
};

// Of a list with `size` places; negative numbers count from its end.
std::optional<size_t> IndexIn(const std::string& key, size_t size) {
  int64_t index = 0;
  if (!absl::SimpleAtoi(key, &index)) return std::nullopt;
  const auto count = static_cast<int64_t>(size);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<size_t>(index);
}

Json* PlacedValue(const PatchPlace& place) {
  if (place.holder->is_array()) {
    const std::optional<size_t> index = IndexIn(place.key, place.holder->size());
    return index ? &(*place.holder)[*index] : nullptr;
  }
  const auto member = place.holder->find(place.key);
  return member == place.holder->end() ? nullptr : &*member;
}

// What is before the first '/' does not count.
std::optional<PatchPlace> FindPlace(const std::string& path, Json* root) {
  const std::vector<std::string> parts = absl::StrSplit(path, '/');
  if (parts.size() < 2) return std::nullopt;
  PatchPlace place = {root, "", 0};
  for (size_t i = 1; i < parts.size(); ++i) {
    if (i > 1) place.holder = PlacedValue(place);
    if (place.holder == nullptr || !place.holder->is_structured()) return std::nullopt;
    place.key = absl::StrReplaceAll(parts[i], {{"~1", "/"}, {"~0", "~"}});
    place.level = i;
  }
  return place;
}

// Whether `value` has more than `levels` of lists and objects.
bool IsDeeper(const Json& value, size_t levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  for (const Json& item : value) {
    if (IsDeeper(item, levels - 1)) return true;
  }
  return false;
}

const std::string* TextIn(const Json& operation, const char* name) {
  const auto member = operation.find(name);
  if (member == operation.end() || !member->is_string()) return nullptr;
  return &member->get_ref<const std::string&>();
}

Json ValueIn(const Json& operation) {
  const auto value = operation.find("value");
  return value == operation.end() ? Json() : *value;
}

bool PutAt(const std::optional<PatchPlace>& place, Json value) {
  if (!place || place->level > kMaxLevels) return false;
  if (IsDeeper(value, kMaxLevels - place->level)) return false;
  Json& holder = *place->holder;
  if (holder.is_object()) {
    holder[place->key] = std::move(value);
  } else if (place->key == "-") {
    holder.push_back(std::move(value));
  } else {
    const std::optional<size_t> index = IndexIn(place->key, holder.size() + 1);
    if (!index) return false;
    holder.insert(holder.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
  }
  return true;
}

bool RemoveAt(const std::optional<PatchPlace>& place) {
  if (!place || PlacedValue(*place) == nullptr) return false;
  if (place->holder->is_object()) {
    place->holder->erase(place->key);
  } else {
    place->holder->erase(*IndexIn(place->key, place->holder->size()));
  }
  return true;
}

bool ReplaceAt(const std::string& path, Json value, Json* root) {
  if (path.empty()) {
    if (!value.is_structured()) return false;
    *root = std::move(value);
    return true;
  }
  const std::optional<PatchPlace> place = FindPlace(path, root);
  if (!place) return false;
  if (place->holder->is_object()) return PutAt(place, std::move(value));
  return RemoveAt(place) && PutAt(place, std::move(value));
}

// A member that is not there equals null.
bool TestAt(const std::string& path, const Json& value, Json* root) {
  if (path.empty()) return *root == value;
  const std::optional<PatchPlace> place = FindPlace(path, root);
  if (!place) return false;
  const Json* found = PlacedValue(*place);
  if (found != nullptr) return *found == value;
  return place->holder->is_object() && value.is_null();
}

bool MoveValue(const std::string& from, const std::string& path, Json* root) {
  const std::optional<PatchPlace> source = FindPlace(from, root);
  Json* found = source ? PlacedValue(*source) : nullptr;
  if (found == nullptr) return false;
  Json value = std::move(*found);
  return RemoveAt(source) && PutAt(FindPlace(path, root), std::move(value));
}

bool CopyValue(const std::string& from, const std::string& path, size_t* copied, Json* root) {
  const std::optional<PatchPlace> source = FindPlace(from, root);
  if (!source) return false;
  const Json* found = PlacedValue(*source);
  if (found == nullptr && source->holder->is_array()) return false;
  Json value = found == nullptr ? Json() : *found;
  if (found != nullptr) *copied += value.dump().size();
  return *copied <= kMaxCopiedBytes && PutAt(FindPlace(path, root), std::move(value));
}

bool ApplyOperation(const Json& operation, size_t* copied, Json* root) {
  const std::string* op = TextIn(operation, "op");
  const std::string* path = TextIn(operation, "path");
  const std::string* from = TextIn(operation, "from");
  if (op == nullptr || path == nullptr) return false;
  if (*op == "add") return PutAt(FindPlace(*path, root), ValueIn(operation));
  if (*op == "remove") return RemoveAt(FindPlace(*path, root));
  if (*op == "replace") return ReplaceAt(*path, ValueIn(operation), root);
  if (*op == "test") return TestAt(*path, ValueIn(operation), root);
  if (*op == "move") return from != nullptr && MoveValue(*from, *path, root);
  if (*op == "copy") return from != nullptr && CopyValue(*from, *path, copied, root);
  return false;
}

}  // namespace

std::optional<Failure> ApplyJsonPatch(const Json& patch, Json* object) {
  if (!patch.is_array() || std::any_of(patch.begin(), patch.end(), [](const Json& operation) {
        return !operation.is_object() || TextIn(operation, "path") == nullptr;
      })) {
    return Failure::BadRequest("error decoding patch: a JSON patch is a list of operations");
  }
  if (patch.size() > kMaxOperations) {
    return Failure::TooLarge(
        fmt::format("Request entity too large: The allowed maximum operations in a JSON patch is "
                    "{}, got {}",
                    kMaxOperations, patch.size()));
  }
  size_t copied = 0;
  for (const Json& operation : patch) {
    if (ApplyOperation(operation, &copied, object)) continue;
    return Failure{.code = 422,
                   .reason = "Invalid",
                   .message = "the server rejected our request due to an error in our request"};
  }
  return std::nullopt;
}

}  // namespace outrigger::apiserver
