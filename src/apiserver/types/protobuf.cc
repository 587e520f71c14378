#include "apiserver/types/protobuf.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/casts.h"
#include "absl/strings/escaping.h"
#include "apiserver/types/body.h"
#include "apiserver/types/conform.h"
#include "apiserver/types/scalars.h"
#include "apiserver/types/type_table.h"
#include "codec/protobuf/envelope.h"
#include "codec/protobuf/reader.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

using protobuf::Cursor;
using protobuf::WireField;
using protobuf::WireType;

// Reads messages by the table into what stands in them, which Conform() completes. As in Go, a
// scalar that comes again replaces the one before, a message is merged with it.
class MessageReader {
 public:
  bool Message(const Type& type, std::string_view bytes, Json* object, int depth) {
    if (depth > kMaxDepth) return Fail("nested too deeply");
    return ForEach(bytes, [&](const WireField& wire) {
      const Field* field = type.FindNumber(wire.number);
      if (field == nullptr) return true;
      if (field->inlined)
        return IsBytes(wire) && Message(*field->type, wire.bytes, object, depth + 1);
      Json& value = (*object)[std::string(field->name)];
      if (field->map) return MapEntry(*field, wire, &value, depth);
      if (field->list) return ListElement(*field, wire, &value, depth);
      return Value(*field, wire, &value, depth);
    });
  }

  const std::string& problem() const { return problem_; }

 private:
  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool IsBytes(const WireField& wire) {
    return wire.type == WireType::kBytes || Fail("a wire type that does not fit the field");
  }

  // `read` takes a field and returns false to end.
  template <typename Read>
  bool ForEach(std::string_view bytes, const Read& read) {
    Cursor cursor(bytes);
    WireField wire;
    while (cursor.Next(&wire)) {
      if (!read(wire)) return false;
    }
    const auto status = cursor.status(protobuf::Path("object"));
    return status.ok() || Fail(std::string(status.message()));
  }

  // What the numbers 1 to 3 of a small message have; the last one counts.
  bool ReadParts(std::string_view bytes, std::array<WireField, 4>* parts) {
    return ForEach(bytes, [parts](const WireField& part) {
      if (part.number >= parts->size()) return true;
      WireField& kept = (*parts)[part.number] = part;
      if (part.type == WireType::kVarint) kept.bytes = {};
      if (part.type != WireType::kVarint) kept.varint = 0;
      return true;
    });
  }

  bool MapEntry(const Field& field, const WireField& wire, Json* map, int depth) {
    std::array<WireField, 4> parts;
    if (!IsBytes(wire) || !ReadParts(wire.bytes, &parts)) return false;
    Json value;
    const WireField& given = parts[2];
    const bool is_whole = given.number == 0 || (field.list ? StringsOf(given, &value)
                                                           : Value(field, given, &value, depth));
    if (is_whole) (*map)[AsUtf8(parts[1].bytes)] = std::move(value);
    return is_whole;
  }

  // A message of texts that stands in JSON as their list.
  bool StringsOf(const WireField& wire, Json* list) {
    *list = Json::array();
    return IsBytes(wire) && ForEach(wire.bytes, [&](const WireField& item) {
             if (item.number == 1) list->push_back(AsUtf8(item.bytes));
             return true;
           });
  }

  bool ListElement(const Field& field, const WireField& wire, Json* list, int depth) {
    Json element;
    if (!Value(field, wire, &element, depth)) return false;
    list->push_back(std::move(element));
    return true;
  }

  static Json Number(FieldKind kind, uint64_t varint) {
    if (kind == FieldKind::kBool) return varint != 0;
    if (kind == FieldKind::kInt32) return static_cast<int32_t>(static_cast<uint32_t>(varint));
    return static_cast<int64_t>(varint);
  }

  static double Double(std::string_view bytes) {
    uint64_t bits = 0;
    for (size_t i = bytes.size(); i-- > 0;)
      bits = (bits << 8) | static_cast<unsigned char>(bytes[i]);
    return absl::bit_cast<double>(bits);
  }

  bool Value(const Field& field, const WireField& wire, Json* value, int depth) {
    switch (field.kind) {
      case FieldKind::kBool:
      case FieldKind::kInt32:
      case FieldKind::kInt64:
        if (wire.type != WireType::kVarint) return Fail("a wire type that does not fit the field");
        *value = Number(field.kind, wire.varint);
        return true;
      case FieldKind::kDouble:
        if (wire.type != WireType::kFixed64) return Fail("a wire type that does not fit the field");
        *value = Double(wire.bytes);
        return true;
      default:
        return IsBytes(wire) && Bytes(field, wire.bytes, value, depth);
    }
  }

  bool Bytes(const Field& field, std::string_view bytes, Json* value, int depth) {
    switch (field.kind) {
      case FieldKind::kString:
        *value = AsUtf8(bytes);
        return true;
      case FieldKind::kBytes:
        *value = absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
        return true;
      case FieldKind::kMessage:
        if (!value->is_object()) *value = Json::object();
        return Message(*field.type, bytes, value, depth + 1);
      case FieldKind::kSchemaOrBool:
      case FieldKind::kSchemaOrArray:
      case FieldKind::kSchemaOrStrings:
        return Schema(field, bytes, value, depth);
      default:
        return Scalar(field.kind, bytes, value);
    }
  }

  // Of the kinds that are small messages.
  bool Scalar(FieldKind kind, std::string_view bytes, Json* value) {
    std::array<WireField, 4> parts;
    if (!ReadParts(bytes, &parts)) return false;
    switch (kind) {
      case FieldKind::kQuantity:
        *value = parts[1].number == 0 ? "0" : AsUtf8(parts[1].bytes);
        return true;
      case FieldKind::kIntOrString:
        *value = parts[1].varint == 0 ? Number(FieldKind::kInt32, parts[2].varint)
                                      : Json(AsUtf8(parts[3].bytes));
        return true;
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
        return bytes.empty() ? (*value = nullptr, true) : Time(kind, parts, value);
      default:
        return Raw(parts[1].bytes, value);
    }
  }

  bool Time(FieldKind kind, const std::array<WireField, 4>& parts, Json* value) {
    auto text = TimeText(static_cast<int64_t>(parts[1].varint),
                         static_cast<int32_t>(parts[2].varint), kind == FieldKind::kMicroTime);
    if (!text) return Fail("a time whose year does not have four digits");
    *value = text->empty() ? Json() : Json(*std::move(text));
    return true;
  }

  // JSON in bytes.
  bool Raw(std::string_view text, Json* value) {
    *value = nullptr;
    if (text.empty()) return true;
    std::vector<std::string> duplicates;
    auto problem = ParseJson(text, value, &duplicates);
    return !problem || Fail(*std::move(problem));
  }

  // A JSONSchemaProps, or what else may stand there: a bool (1), or a list (2).
  bool Schema(const Field& field, std::string_view bytes, Json* value, int depth) {
    *value = field.kind == FieldKind::kSchemaOrBool ? Json(false) : Json();
    return ForEach(bytes, [&](const WireField& wire) {
      const bool in_list = wire.number == 2 && field.kind != FieldKind::kSchemaOrBool;
      if (wire.type == WireType::kVarint) {
        if (!value->is_object()) *value = wire.varint != 0;
        return true;
      }
      if (!IsBytes(wire)) return false;
      if (in_list && !value->is_array()) *value = Json::array();
      Json& element = in_list ? value->emplace_back() : *value;
      if (in_list && field.kind == FieldKind::kSchemaOrStrings) {
        element = AsUtf8(wire.bytes);
        return true;
      }
      if (!element.is_object()) element = Json::object();
      return Message(*field.type, wire.bytes, &element, depth + 1);
    });
  }

  std::string problem_;
};

}  // namespace

std::optional<Failure> FromProtobuf(std::string_view body, Json* object) {
  protobuf::Envelope envelope;
  const auto status = protobuf::OpenEnvelope(body, &envelope);
  if (!status.ok()) return Failure::BadRequest(std::string(status.message()));
  const auto [group, version] = SplitApiVersion(envelope.api_version);
  const Type* type = TypeTable::Get().FindTypeOfKind(group, version, envelope.kind);
  if (type == nullptr) {
    return Failure::BadRequest(
        fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme "
                    "\"pkg/api/legacyscheme/scheme.go:30\"",
                    envelope.kind, envelope.api_version));
  }
  *object = {{"apiVersion", envelope.api_version}, {"kind", envelope.kind}};
  MessageReader reader;
  if (!reader.Message(*type, envelope.raw, object, 0)) {
    return Failure::BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                           envelope.kind, version, envelope.kind,
                                           reader.problem()));
  }
  return Conform(*type, object, nullptr);
}

}  // namespace outrigger::apiserver
