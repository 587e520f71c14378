#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/json.h"

// The types and resources of the Kubernetes API that the server has built in: the table
// kubernetes.types, which tests/support/cmd/api-types writes from upstream's sources.

namespace outrigger::apiserver {

enum class FieldKind : uint8_t {
  kString,
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kBytes,  // in JSON base64
  kMessage,
  kQuantity,
  kIntOrString,
  kTime,       // in seconds
  kMicroTime,  // in microseconds
  kRaw,        // any JSON: runtime.RawExtension
  kFieldsV1,   // any JSON
  kJson,       // any JSON: apiextensions' JSON
  // A JSONSchemaProps, or something else.
  kSchemaOrBool,
  kSchemaOrArray,
  kSchemaOrStrings,
};

/// What is known of the values of a kind.
struct KindFacts {
  std::string_view word;    // in the table
  Json::value_t zero;       // of Go, in JSON; of a quantity "0"
  const char* schema;       // in OpenAPI; of a message its type has it
  const char* schema_name;  // by which others refer to it; nullptr: it stands where it is used
};
const KindFacts& FactsOf(FieldKind kind);

struct Type;

/// A field of a type. Texts are views into the table, which lives for ever.
struct Field {
  std::string_view name;  // in JSON; of an inlined one the name of its type in Go
  uint32_t number = 0;    // of protobuf; 0: none (apiVersion, kind)
  FieldKind kind = FieldKind::kString;
  bool list = false;
  bool map = false;        // by text; with `list` a map of lists
  bool pointer = false;    // of Go: a zero value is not the same as an absent one
  bool omit_empty = true;  // false: printed even where it is absent
  bool inlined = false;    // a message whose fields stand in the JSON of the parent
  bool required = false;
  bool merges = false;  // strategic merge patch merges the list, by `merge_key` if it has one
  bool retains_keys = false;
  bool replaces = false;  // strategic merge patch takes the message as one
  std::string_view merge_key = {};
  const Type* type = nullptr;  // of a message; of the kinds with a schema JSONSchemaProps
  std::optional<Json> default_value = {};
  std::string_view default_only = {};  // the kind of whole object that it is for; empty: all
  std::string_view default_when = {};  // the field beside it that must have the value; empty: none
  std::string_view default_when_value = {};
};

/// A struct of Go. Immutable.
struct Type {
  std::string name;  // as in OpenAPI v3: "io.k8s.api.core.v1.Pod"
  std::vector<Field> fields = {};

  /// The field of that name, also one that stands in an inlined message. nullptr: there is none.
  const Field* Find(std::string_view json_name) const;
  /// The field of that number of protobuf. nullptr: there is none.
  const Field* FindNumber(uint32_t number) const;
  /// All fields, by name, those of inlined messages in place of these.
  std::span<const Field* const> flat() const { return flat_; }

  std::string_view kind() const;     // "Pod"
  std::string_view version() const;  // "v1"
  /// Once, when the fields are there (for ever, and those of inlined messages, too).
  void Flatten();

 private:
  std::vector<const Field*> flat_ = {};
};

struct Subresource {
  std::string name;   // "status"
  std::string group;  // of the kind that is read and written there
  std::string version;
  std::string kind;
  std::vector<std::string> verbs;
};

/// What is served under a path.
struct Resource {
  std::string group = {};    // "apps"; "" of the core group
  std::string version = {};  // "v1"
  std::string kind = {};     // "Deployment"
  std::string plural = {};   // "deployments"
  std::string singular = {};
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  bool namespaced = true;
  std::vector<std::string> verbs = {};
  std::vector<Subresource> subresources = {};
  const Type* type = nullptr;

  bool HasSubresource(std::string_view name) const;
};

/// The group and the version of "apps/v1"; of "v1" the group is "".
std::pair<std::string_view, std::string_view> SplitApiVersion(std::string_view api_version);

/// Immutable, so thread-safe.
class TypeTable {
 public:
  /// The table of the program, read when it is first asked for (some milliseconds).
  static const TypeTable& Get();

  TypeTable(const TypeTable&) = delete;
  TypeTable& operator=(const TypeTable&) = delete;

  /// nullptr: there is none.
  const Type* FindType(std::string_view name) const;
  /// The type of a resource's kind, or of a body such as DeleteOptions (of every group), Status,
  /// Scale and Eviction. nullptr: there is none.
  const Type* FindTypeOfKind(std::string_view group, std::string_view version,
                             std::string_view kind) const;

  /// In the order of discovery: the core group, then the others, each by its versions.
  std::span<const Resource> resources() const { return resources_; }
  std::span<const Type> types() const { return types_; }  // by name

 private:
  explicit TypeTable(std::string_view text);

  std::vector<Type> types_;
  std::vector<Resource> resources_;
  std::vector<Resource> bodies_;  // what is no resource: without a plural
};

}  // namespace outrigger::apiserver
