#include <algorithm>
#include <utility>

#include "codec/json/object_readers.h"
#include "codec/json/words.h"
#include "fmt/format.h"

namespace outrigger::json {
namespace {

// Appends the taint. One whose effect is not known is left out and listed: kube-scheduler, too,
// acts on known effects only.
absl::Status AppendTaint(Value value, const Path& at, std::vector<Taint>* taints) {
  Taint& taint = taints->emplace_back();
  std::string_view effect;
  absl::Status status = ReadObject(value, at, Field{"key", &taint.key},
                                   Field{"value", &taint.value}, Field{"effect", &effect});
  if (const auto known = ParseEffect(effect)) {
    taint.effect = *known;
    return status;
  }
  taints->pop_back();
  if (status.ok()) at.Key("effect").Malformed(effect, kAcceptedEffect);
  return status;
}

absl::Status ReadAnnotations(Value value, const Path& at, const Needs& needs, StringMap* map) {
  if (needs.Has(Needs::kNodeAllAnnotations)) return Read(value, at, map);
  map->clear();
  const auto& wanted = needs.annotation_keys();
  absl::Status status = ForEachField(value, at, [&](std::string_view key, Value item) {
    const Path place = at.Key(key);
    if (!std::binary_search(wanted.begin(), wanted.end(), key)) return SkipValue(item, place);
    std::string_view text;
    absl::Status read = ReadField(item, place, &text);
    if (read.ok()) map->Append(key, text);
    return read;
  });
  map->Normalize();
  return status;
}

absl::Status ReadMetadata(Value value, const Path& at, const Needs& needs, Node* node) {
  const bool annotations =
      needs.Has(Needs::kNodeAllAnnotations) || !needs.annotation_keys().empty();
  const auto read_annotations = [&](Value map, const Path& place) {
    return ReadAnnotations(map, place, needs, &node->annotations);
  };
  return ReadObject(
      value, at, Field{"name", &node->name},
      Field{"labels", &node->labels, needs.Has(Needs::kNodeLabels)},
      Field{"annotations", read_annotations, annotations},
      Field{"resourceVersion", &node->resource_version, needs.Has(Needs::kNodeVersion)});
}

absl::Status ReadSpec(Value value, const Path& at, Node* node) {
  const auto taints = [node](Value list, const Path& place) {
    return ForEachElement(list, place, [node](Value item, const Path& where) {
      return ReadField(item, where, [node](Value taint, const Path& path) {
        return AppendTaint(taint, path, &node->taints);
      });
    });
  };
  return ReadObject(value, at, Field{"taints", taints},
                    Field{"unschedulable", &node->unschedulable});
}

absl::Status ReadAddresses(Value value, const Path& at, std::vector<NodeAddress>* addresses) {
  return ForEachElement(value, at, [addresses](Value item, const Path& where) {
    NodeAddress& address = addresses->emplace_back();
    return ReadField(item, where, [&address](Value object, const Path& place) {
      return ReadObject(object, place, Field{"type", &address.type},
                        Field{"address", &address.address});
    });
  });
}

// Of several conditions of that type the first counts.
absl::Status ReadConditions(Value value, const Path& at, ConditionStatus* ready) {
  bool seen = false;
  return ForEachElement(value, at, [&](Value item, const Path& where) {
    std::string_view type;
    std::string_view is;
    absl::Status status = ReadField(item, where, [&](Value object, const Path& place) {
      return ReadObject(object, place, Field{"type", &type}, Field{"status", &is});
    });
    if (type == "Ready" && !std::exchange(seen, true)) *ready = ParseConditionStatus(is);
    return status;
  });
}

absl::Status ReadStatus(Value value, const Path& at, const Needs& needs, Node* node) {
  const auto addresses = [node](Value list, const Path& place) {
    return ReadAddresses(list, place, &node->addresses);
  };
  const auto conditions = [node](Value list, const Path& place) {
    return ReadConditions(list, place, &node->ready);
  };
  return ReadObject(value, at,
                    Field{"allocatable", &node->allocatable, needs.Has(Needs::kNodeAllocatable)},
                    Field{"capacity", &node->capacity, needs.Has(Needs::kNodeCapacity)},
                    Field{"addresses", addresses, needs.Has(Needs::kNodeAddresses)},
                    Field{"conditions", conditions, needs.Has(Needs::kNodeReady)});
}

absl::Status CheckKind(Value value, const Path& at) {
  std::string_view kind;
  absl::Status status = Read(value, at, &kind);
  if (!status.ok() || kind == "Node") return status;
  return Invalid(at, fmt::format("expected \"Node\", found \"{}\"", Cut(kind)));
}

// What `value`, which has been read, took of the body: up to the token that comes next, without the
// blanks before that.
absl::Status RawBytes(Value value, const Path& at, std::string_view* raw) {
  const char* begin = value.raw_json_token().data();
  const char* next = nullptr;
  if (const auto error = value.current_location().get(next)) return Broken(at, error);
  while (next > begin && next[-1] != '}') --next;
  *raw = {begin, static_cast<size_t>(next - begin)};
  return absl::OkStatus();
}

template <typename ObjectOrValue>
absl::Status ReadFields(ObjectOrValue object, const Path& at, const Needs& needs, Node* node) {
  const auto metadata = [&](Value part, const Path& place) {
    return ReadMetadata(part, place, needs, node);
  };
  const auto spec = [&](Value part, const Path& place) { return ReadSpec(part, place, node); };
  const auto status = [&](Value part, const Path& place) {
    return ReadStatus(part, place, needs, node);
  };
  ClearNode(node);
  auto* const malformed = at.malformed();
  const size_t first_malformed = malformed == nullptr ? 0 : malformed->size();
  absl::Status read = ReadObject(object, at, Field{"kind", CheckKind}, Field{"metadata", metadata},
                                 Field{"spec", spec, needs.Has(Needs::kNodeTaints)},
                                 Field{"status", status, ReadsNodeStatus(needs)});
  // Only now the name is known for sure: keys come in any order.
  for (size_t i = first_malformed; malformed != nullptr && i < malformed->size(); ++i) {
    (*malformed)[i].node = node->name;
  }
  return read;
}

}  // namespace

bool ReadsNodeStatus(const Needs& needs) {
  return needs.Has(Needs::kNodeAllocatable) || needs.Has(Needs::kNodeCapacity) ||
         needs.Has(Needs::kNodeAddresses) || needs.Has(Needs::kNodeReady);
}

ConditionStatus ParseConditionStatus(std::string_view text) {
  if (text == "True") return ConditionStatus::kTrue;
  return text == "False" ? ConditionStatus::kFalse : ConditionStatus::kUnknown;
}

void ClearNode(Node* node) {
  node->name.clear();
  node->labels.clear();
  node->annotations.clear();
  node->allocatable.clear();
  node->capacity.clear();
  node->taints.clear();
  node->unschedulable = false;
  node->addresses.clear();
  node->ready = ConditionStatus::kUnknown;
  node->resource_version.clear();
  node->revision = 0;
  node->known = true;
}

absl::Status ReadNode(Value value, const Path& at, const Needs& needs, Node* node,
                      std::string_view* raw) {
  absl::Status status = ReadFields(value, at, needs, node);
  return status.ok() ? RawBytes(value, at, raw) : status;
}

absl::Status ReadNode(Object object, const Path& at, const Needs& needs, Node* node) {
  return ReadFields(object, at, needs, node);
}

}  // namespace outrigger::json
