#include "apiserver/types/protobuf.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/base/casts.h"
#include "absl/strings/escaping.h"
#include "apiserver/types/body.h"
#include "apiserver/types/conform.h"
#include "apiserver/types/scalars.h"
#include "apiserver/types/type_table.h"
#include "codec/json/text.h"
#include "codec/protobuf/envelope.h"
#include "codec/protobuf/reader.h"
#include "fmt/format.h"
#include "protozero/exception.hpp"
#include "protozero/varint.hpp"

namespace outrigger::apiserver {
namespace {

using protobuf::Cursor;
using protobuf::WireField;
using protobuf::WireType;

std::string AsUtf8Text(std::string_view bytes) {
  std::string text;
  json::AppendUtf8(bytes, &text);
  return text;
}

Json AsBase64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

/// Reads messages by the table into what stands in them, which Conform() completes. As in Go, a
/// scalar that comes again replaces the one before, a message is merged with it.
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

  bool MapEntry(const Field& field, const WireField& wire, Json* map, int depth) {
    if (!IsBytes(wire)) return false;
    std::string key;
    Json value;
    const bool is_whole = ForEach(wire.bytes, [&](const WireField& part) {
      if (part.number == 1) return IsBytes(part) && (key = AsUtf8Text(part.bytes), true);
      if (part.number != 2) return true;
      return field.list ? StringsOf(part, &value) : Value(field, part, &value, depth);
    });
    if (is_whole) (*map)[key] = std::move(value);
    return is_whole;
  }

  // A message of texts that stands in JSON as their list.
  bool StringsOf(const WireField& wire, Json* list) {
    *list = Json::array();
    return IsBytes(wire) && ForEach(wire.bytes, [&](const WireField& item) {
             if (item.number == 1) list->push_back(AsUtf8Text(item.bytes));
             return true;
           });
  }

  bool ListElement(const Field& field, const WireField& wire, Json* list, int depth) {
    const bool is_number = field.kind == FieldKind::kInt32 || field.kind == FieldKind::kInt64;
    if (is_number && wire.type == WireType::kBytes) return Packed(field, wire.bytes, list);
    Json element;
    if (!Value(field, wire, &element, depth)) return false;
    list->push_back(std::move(element));
    return true;
  }

  // Numbers one behind the other.
  bool Packed(const Field& field, std::string_view bytes, Json* list) {
    const char* next = bytes.data();
    const char* const end = next + bytes.size();
    try {
      while (next != end) list->push_back(Number(field.kind, protozero::decode_varint(&next, end)));
      return true;
    } catch (const protozero::exception&) {
      return Fail("a number is cut off");
    }
  }

  static Json Number(FieldKind kind, uint64_t varint) {
    if (kind == FieldKind::kBool) return varint != 0;
    if (kind == FieldKind::kInt32) return static_cast<int32_t>(static_cast<uint32_t>(varint));
    return static_cast<int64_t>(varint);
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
        return Double(wire, value);
      default:
        return IsBytes(wire) && Bytes(field, wire.bytes, value, depth);
    }
  }

  bool Double(const WireField& wire, Json* value) {
    if (wire.type != WireType::kFixed64) return Fail("a wire type that does not fit the field");
    uint64_t bits = 0;
    for (size_t i = 8; i-- > 0;) bits = (bits << 8) | static_cast<unsigned char>(wire.bytes[i]);
    *value = absl::bit_cast<double>(bits);
    return true;
  }

  bool Bytes(const Field& field, std::string_view bytes, Json* value, int depth) {
    switch (field.kind) {
      case FieldKind::kString:
        *value = AsUtf8Text(bytes);
        return true;
      case FieldKind::kBytes:
        *value = AsBase64(bytes);
        return true;
      case FieldKind::kMessage:
        if (!value->is_object()) *value = Json::object();
        return Message(*field.type, bytes, value, depth + 1);
      case FieldKind::kQuantity:
        return Quantity(bytes, value);
      case FieldKind::kIntOrString:
        return IntOrString(bytes, value);
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
        return Time(bytes, field.kind == FieldKind::kMicroTime, value);
      case FieldKind::kRaw:
      case FieldKind::kFieldsV1:
      case FieldKind::kJson:
        return Raw(bytes, value);
      default:
        return Schema(field, bytes, value, depth);
    }
  }

  bool Quantity(std::string_view bytes, Json* value) {
    *value = "0";
    return ForEach(bytes, [&](const WireField& wire) {
      if (wire.number == 1) *value = AsUtf8Text(wire.bytes);
      return true;
    });
  }

  bool IntOrString(std::string_view bytes, Json* value) {
    uint64_t type = 0;
    uint64_t number = 0;
    std::string text;
    const bool is_whole = ForEach(bytes, [&](const WireField& wire) {
      if (wire.number == 1) type = wire.varint;
      if (wire.number == 2) number = wire.varint;
      if (wire.number == 3) text = AsUtf8Text(wire.bytes);
      return true;
    });
    *value = type == 0 ? Number(FieldKind::kInt32, number) : Json(std::move(text));
    return is_whole;
  }

  bool Time(std::string_view bytes, bool micro, Json* value) {
    uint64_t seconds = 0;
    uint64_t nanoseconds = 0;
    *value = nullptr;  // the zero time
    if (bytes.empty()) return true;
    const bool is_whole = ForEach(bytes, [&](const WireField& wire) {
      if (wire.number == 1) seconds = wire.varint;
      if (wire.number == 2) nanoseconds = wire.varint;
      return true;
    });
    if (!is_whole) return false;
    auto text = TimeText(static_cast<int64_t>(seconds), static_cast<int32_t>(nanoseconds), micro);
    if (!text) return Fail("a time whose year does not have four digits");
    if (!text->empty()) *value = *std::move(text);
    return true;
  }

  // JSON in bytes.
  bool Raw(std::string_view bytes, Json* value) {
    std::string_view text;
    if (!ForEach(bytes, [&](const WireField& wire) {
          if (wire.number == 1) text = wire.bytes;
          return true;
        })) {
      return false;
    }
    *value = nullptr;
    if (text.empty()) return true;
    std::vector<std::string> duplicates;
    auto problem = ParseJson(text, value, &duplicates);
    return !problem || Fail(*std::move(problem));
  }

  // A JSONSchemaProps under the number 1 or 2, and what else there may be under the other.
  bool Schema(const Field& field, std::string_view bytes, Json* value, int depth) {
    const bool or_bool = field.kind == FieldKind::kSchemaOrBool;
    const uint32_t schema_number = or_bool ? 2 : 1;
    Json schema;
    Json other = or_bool ? Json(false) : Json();
    const bool is_whole = ForEach(bytes, [&](const WireField& wire) {
      if (wire.number == schema_number)
        return IsBytes(wire) && SchemaInto(field, wire, &schema, depth);
      if (wire.number == 1) other = wire.varint != 0;
      if (wire.number != 2 || or_bool) return true;
      if (!IsBytes(wire)) return false;
      if (field.kind == FieldKind::kSchemaOrStrings) {
        other.push_back(AsUtf8Text(wire.bytes));
        return true;
      }
      return SchemaInto(field, wire, &other.emplace_back(), depth);
    });
    const bool other_first = !or_bool && !other.is_null();
    *value = std::move(schema.is_null() || other_first ? other : schema);
    return is_whole;
  }

  bool SchemaInto(const Field& field, const WireField& wire, Json* schema, int depth) {
    if (!schema->is_object()) *schema = Json::object();
    return Message(*field.type, wire.bytes, schema, depth + 1);
  }

  std::string problem_;
};

std::pair<std::string_view, std::string_view> SplitApiVersion(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

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
