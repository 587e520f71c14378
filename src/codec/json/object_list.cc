#include "codec/json/object_list.h"

#include "codec/json/object_readers.h"
#include "codec/json/parser.h"
#include "codec/json/pod_group_reader.h"
#include "codec/json/reader.h"
#include "fmt/format.h"

namespace outrigger::json {
namespace {

constexpr std::string_view kList = "List";

absl::Status At(const std::string& place, const absl::Status& status) {
  if (status.ok() || place.empty()) return status;
  return absl::Status(status.code(), fmt::format("{}: {}", place, std::string(status.message())));
}

// `value`, which is an object, as bytes. It is stepped over.
absl::Status TakeObject(Value value, const Path& at, std::string_view* raw) {
  if (*value.raw_json_token().data() != '{') return Expected(at, "an object", value);
  const char* const begin = value.raw_json_token().data();
  absl::Status status = SkipValue(value, at);
  if (!status.ok()) return status;
  const char* next = nullptr;
  if (const auto error = value.current_location().get(next)) return Broken(at, error);
  while (next > begin && next[-1] != '}') --next;
  *raw = {begin, static_cast<size_t>(next - begin)};
  return absl::OkStatus();
}

struct ObjectType {
  std::string_view kind;
  std::string_view api_version;
};

// What an object says that it is; empty where it does not. Views are into the body, since a kind
// that was escaped is none that anybody knows.
absl::Status TypeOf(Body body, ObjectType* type) {
  const ParserLease parser;
  Object root;
  absl::Status status = parser->Open(body, &root);
  if (!status.ok()) return status;
  const auto take_into = [&](std::string_view* text) {
    return [&body, text](Value value, const Path& at) {
      std::string_view read;
      absl::Status result = Read(value, at, &read);
      const bool in_body = read.data() >= body.data && read.data() <= body.data + body.size;
      *text = in_body ? read : "(escaped)";
      return result;
    };
  };
  status = ReadObject(root, Path(""), Field{"kind", take_into(&type->kind)},
                      Field{"apiVersion", take_into(&type->api_version)});
  return status.ok() ? parser->Close() : status;
}

absl::Status Report(std::string_view raw, const ObjectType& implied, const std::string& place,
                    OnObject on_object) {
  ListedObject object{implied.kind, {raw.data(), raw.size()}, place, implied.api_version};
  ObjectType own;
  absl::Status status = At(place, TypeOf(object.body, &own));
  if (!status.ok()) return status;
  if (!own.kind.empty()) object.kind = own.kind;
  if (!own.api_version.empty()) object.api_version = own.api_version;
  if (object.kind.empty()) {
    return absl::InvalidArgumentError(fmt::format("{}: the object has no kind", place));
  }
  return on_object(object);
}

absl::Status ReadItems(Body body, const ObjectType& implied, OnObject on_object) {
  const ParserLease parser;
  Object root;
  absl::Status status = parser->Open(body, &root);
  if (!status.ok()) return status;
  const auto items = [&](Value value, const Path& at) {
    return ForEachElement(value, at, [&](Value item, const Path& place) {
      std::string_view raw;
      absl::Status taken = TakeObject(item, place, &raw);
      return taken.ok() ? Report(raw, implied, place.Text(), on_object) : taken;
    });
  };
  return ReadObject(root, Path(""), Field{"items", items});
}

// Reads an object by `read` (Object, const Path&), with a parser of its own.
template <typename ReadIt>
absl::Status Decode(const ListedObject& object, std::vector<MalformedValue>* malformed,
                    ReadIt read) {
  const ParserLease parser;
  Object root;
  absl::Status status = At(object.place, parser->Open(object.body, &root));
  if (!status.ok()) return status;
  status = read(root, Path(object.place, malformed).AsObject());
  return status.ok() ? At(object.place, parser->Close()) : status;
}

}  // namespace

absl::Status ForEachObject(Body body, OnObject on_object) {
  ObjectType type;
  absl::Status status = TypeOf(body, &type);
  if (!status.ok()) return status;
  if (type.kind.empty()) {
    return absl::InvalidArgumentError(
        "kind: expected a kind such as \"List\", \"NodeList\" or \"Pod\", found none");
  }
  if (!type.kind.ends_with(kList)) return on_object({type.kind, body, "", type.api_version});
  if (type.kind == kList) return ReadItems(body, {}, on_object);  // of objects of any kind
  type.kind.remove_suffix(kList.size());
  return ReadItems(body, type, on_object);
}

absl::Status DecodeNode(const ListedObject& object, const Needs& needs, Node* node,
                        std::vector<MalformedValue>* malformed) {
  absl::Status status = Decode(object, malformed, [&](Object root, const Path& at) {
    return ReadNode(root, at, needs, node);
  });
  if (status.ok() && node->name.empty()) {
    return At(object.place, absl::InvalidArgumentError("the node has no name"));
  }
  return status;
}

absl::Status DecodePod(const ListedObject& object, const Needs& needs, Pod* pod,
                       std::vector<MalformedValue>* malformed) {
  absl::Status status = Decode(object, malformed, [&](Object root, const Path& at) {
    return ReadPod(root, at, needs, pod);
  });
  if (status.ok() && pod->name.empty()) {
    return At(object.place, absl::InvalidArgumentError("the pod has no name"));
  }
  return status;
}

absl::Status DecodePodGroup(const ListedObject& object, Dialect dialect, PodGroup* group,
                            std::vector<MalformedValue>* malformed) {
  return Decode(object, malformed, [&](Object root, const Path& at) {
    return ReadPodGroup(root, at, dialect, GroupParts::kAllButStatus, group);
  });
}

absl::Status DecodePriorityClass(const ListedObject& object, std::string* name, int32_t* value) {
  name->clear();
  *value = 0;
  const auto metadata = [name](Value part, const Path& at) {
    return ReadObject(part, at, Field{"name", name});
  };
  absl::Status status = Decode(object, nullptr, [&](Object root, const Path& at) {
    return ReadObject(root, at, Field{"metadata", metadata}, Field{"value", value});
  });
  if (status.ok() && name->empty()) {
    return At(object.place, absl::InvalidArgumentError("the PriorityClass has no name"));
  }
  return status;
}

absl::Status DecodeVolume(const ListedObject& object, Volume* volume) {
  return Decode(object, nullptr,
                [&](Object root, const Path& at) { return ReadVolume(root, at, volume); });
}

absl::Status DecodeVolumeClaim(const ListedObject& object, VolumeClaim* claim) {
  return Decode(object, nullptr,
                [&](Object root, const Path& at) { return ReadVolumeClaim(root, at, claim); });
}

absl::Status DecodeDeviceClaim(const ListedObject& object, DeviceClaim* claim) {
  return Decode(object, nullptr,
                [&](Object root, const Path& at) { return ReadDeviceClaim(root, at, claim); });
}

absl::Status DecodeDeviceClass(const ListedObject& object, DeviceClass* of) {
  return Decode(object, nullptr,
                [&](Object root, const Path& at) { return ReadDeviceClass(root, at, of); });
}

}  // namespace outrigger::json
