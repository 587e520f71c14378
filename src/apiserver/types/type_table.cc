#include "apiserver/types/type_table.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <utility>

#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kTableParts[] = {
#include "kubernetes.types.inc"
};

std::string TableText() {
  std::string text;
  for (const std::string_view part : kTableParts) text += part;
  return text;
}

constexpr std::string_view kTypePrefix = "io.k8s.api.";
constexpr std::string_view kMachineryPrefix = "io.k8s.apimachinery.pkg.apis.";
constexpr std::string_view kSchemaType =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
// Of a resource for which the table names none.
constexpr std::string_view kAllVerbs = "create,delete,deletecollection,get,list,patch,update,watch";

constexpr const char* kTimeSchema = R"({"format":"date-time","type":"string"})";

// In the order of FieldKind.
constexpr KindFacts kKindFacts[] = {
    {"string", Json::value_t::string, R"({"type":"string"})", nullptr},
    {"bool", Json::value_t::boolean, R"({"type":"boolean"})", nullptr},
    {"int32", Json::value_t::number_integer, R"({"type":"integer","format":"int32"})", nullptr},
    {"int64", Json::value_t::number_integer, R"({"type":"integer","format":"int64"})", nullptr},
    {"double", Json::value_t::number_integer, R"({"type":"number","format":"double"})", nullptr},
    {"bytes", Json::value_t::null, R"({"type":"string","format":"byte"})", nullptr},
    {"object", Json::value_t::object, "", nullptr},
    {"quantity", Json::value_t::string, R"({"oneOf":[{"type":"string"},{"type":"number"}]})",
     "io.k8s.apimachinery.pkg.api.resource.Quantity"},
    {"intorstring", Json::value_t::number_integer,
     R"({"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]})",
     "io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
    {"time", Json::value_t::null, kTimeSchema, "io.k8s.apimachinery.pkg.apis.meta.v1.Time"},
    {"microtime", Json::value_t::null, kTimeSchema,
     "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"},
    {"raw", Json::value_t::null, R"({"type":"object"})",
     "io.k8s.apimachinery.pkg.runtime.RawExtension"},
    {"fieldsv1", Json::value_t::null, R"({"type":"object"})",
     "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"},
    {"json", Json::value_t::null, "{}",
     "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"},
    {"schemaorbool", Json::value_t::null, "{}",
     "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool"},
    {"schemaorarray", Json::value_t::null, "{}",
     "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray"},
    {"schemaorstrings", Json::value_t::null, "{}",
     "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray"},
};

FieldKind KindOfWord(std::string_view word) {
  for (size_t i = 0; i < std::size(kKindFacts); ++i) {
    if (kKindFacts[i].word == word) return static_cast<FieldKind>(i);
  }
  return FieldKind::kMessage;
}

using TableWords = std::vector<std::string_view>;

TableWords SplitTable(std::string_view text, char separator) {
  TableWords words;
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find(separator, from), text.size());
    words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

std::vector<std::string> TableNames(std::string_view text) {
  const TableWords words = SplitTable(text, ',');
  return {words.begin(), words.end()};
}

bool StripWord(std::string_view prefix, std::string_view* word) {
  if (!word->starts_with(prefix)) return false;
  word->remove_prefix(prefix.size());
  return true;
}

std::string FullTypeName(std::string_view word) {
  if (StripWord("~", &word)) return fmt::format("{}{}", kMachineryPrefix, word);
  if (word.starts_with("io.")) return std::string(word);
  return fmt::format("{}{}", kTypePrefix, word);
}

constexpr std::pair<std::string_view, bool Field::*> kFlagWords[] = {
    {"?", &Field::pointer},    {"inline", &Field::inlined},          {"required", &Field::required},
    {"merge", &Field::merges}, {"retainkeys", &Field::retains_keys}, {"replace", &Field::replaces},
};

void ReadOption(std::string_view word, Field* field) {
  for (const auto& [name, flag] : kFlagWords) {
    if (word == name) field->*flag = true;
  }
  if (word == "always") field->omit_empty = false;
  if (StripWord("mergekey=", &word)) field->merge_key = word;
  if (StripWord("only=", &word)) field->default_only = word;
  if (StripWord("default=", &word)) field->default_value = Json::parse(word);
  if (StripWord("when=", &word)) {
    field->default_when = word.substr(0, word.find(':'));
    field->default_when_value = word.substr(word.find(':') + 1);
  }
}

const Type* FindTypeIn(const std::vector<Type>& types, std::string_view name) {
  const auto found = std::lower_bound(
      types.begin(), types.end(), name,
      [](const Type& type, std::string_view wanted) { return type.name < wanted; });
  return found != types.end() && found->name == name ? &*found : nullptr;
}

class TableReader {
 public:
  TableReader(std::vector<Type>* types, std::vector<Resource>* resources,
              std::vector<Resource>* bodies)
      : types_(*types), resources_(*resources), bodies_(*bodies) {}

  void Read(std::string_view text) {
    const TableWords lines = SplitTable(text, '\n');
    for (const std::string_view line : lines) {  // types refer to each other
      if (!line.starts_with("type ")) continue;
      types_.emplace_back().name = FullTypeName(SplitTable(line, ' ')[1]);
    }
    for (const std::string_view line : lines) ReadLine(SplitTable(line, ' '));
  }

 private:
  // A line that is indented begins with two empty words.
  void ReadLine(const TableWords& words) {
    if (words.empty() || words[0] == "#") return;
    if (words[0] == "resource") {
      ReadResource(words);
    } else if (words[0] == "kind") {
      bodies_.push_back(ReadKindName(words));
    } else if (words[0] == "type") {
      type_ = type_ == nullptr ? types_.data() : type_ + 1;
    } else if (type_ == nullptr) {
      const auto [group, version] = SplitApiVersion(words[3]);
      resources_.back().subresources.push_back({std::string(words[2]), std::string(group),
                                                std::string(version), std::string(words[4]),
                                                TableNames(words[5])});
    } else {
      ReadField(words);
    }
  }

  Resource ReadKindName(const TableWords& words) const {
    const auto [group, version] = SplitApiVersion(words[1]);
    return {.group = std::string(group),
            .version = std::string(version),
            .kind = std::string(words[2]),
            .type = FindTypeIn(types_, FullTypeName(words[3]))};
  }

  void ReadResource(const TableWords& words) {
    Resource& resource = resources_.emplace_back(ReadKindName(words));
    resource.plural = words[4];
    resource.singular = words[5];
    resource.verbs = TableNames(kAllVerbs);
    for (size_t i = 6; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (word == "cluster") resource.namespaced = false;
      if (StripWord("short=", &word)) resource.short_names = TableNames(word);
      if (StripWord("categories=", &word)) resource.categories = TableNames(word);
      if (StripWord("verbs=", &word)) resource.verbs = TableNames(word);
    }
  }

  void ReadField(const TableWords& words) {
    Field& field = type_->fields.emplace_back();
    field.name = words[2];
    std::from_chars(words[3].data(), words[3].data() + words[3].size(), field.number);
    std::string_view word = words[4];
    field.map = StripWord("{}", &word);
    field.list = StripWord("[]", &word);
    field.kind = KindOfWord(word);
    if (field.kind == FieldKind::kMessage) field.type = FindTypeIn(types_, FullTypeName(word));
    if (word.starts_with("schema")) field.type = FindTypeIn(types_, kSchemaType);
    for (size_t i = 5; i < words.size(); ++i) ReadOption(words[i], &field);
  }

  std::vector<Type>& types_;
  std::vector<Resource>& resources_;
  std::vector<Resource>& bodies_;
  Type* type_ = nullptr;  // whose fields are read
};

void CollectFields(const Type& type, std::vector<const Field*>* all) {
  for (const Field& field : type.fields) {
    if (field.inlined) {
      CollectFields(*field.type, all);
    } else {
      all->push_back(&field);
    }
  }
}

}  // namespace

const KindFacts& FactsOf(FieldKind kind) {
  return kKindFacts[static_cast<size_t>(kind)];
}

const Field* Type::Find(std::string_view json_name) const {
  const auto found = std::lower_bound(
      flat_.begin(), flat_.end(), json_name,
      [](const Field* field, std::string_view wanted) { return field->name < wanted; });
  return found != flat_.end() && (*found)->name == json_name ? *found : nullptr;
}

const Field* Type::FindNumber(uint32_t number) const {
  for (const Field& field : fields) {
    if (field.number == number && number != 0) return &field;
  }
  return nullptr;
}

void Type::Flatten() {
  CollectFields(*this, &flat_);
  std::sort(flat_.begin(), flat_.end(),
            [](const Field* a, const Field* b) { return a->name < b->name; });
}

std::string_view Type::kind() const {
  return std::string_view(name).substr(name.rfind('.') + 1);
}

std::string_view Type::version() const {
  const std::string_view whole = std::string_view(name).substr(0, name.rfind('.'));
  return whole.substr(whole.rfind('.') + 1);
}

bool Resource::HasSubresource(std::string_view name) const {
  return std::any_of(subresources.begin(), subresources.end(),
                     [&](const Subresource& one) { return one.name == name; });
}

std::pair<std::string_view, std::string_view> SplitApiVersion(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

const TypeTable& TypeTable::Get() {
  static const std::string text = TableText();
  static const TypeTable table(text);
  return table;
}

TypeTable::TypeTable(std::string_view text) {
  TableReader(&types_, &resources_, &bodies_).Read(text);
  for (Type& type : types_) type.Flatten();
}

const Type* TypeTable::FindType(std::string_view name) const {
  return FindTypeIn(types_, name);
}

const Type* TypeTable::FindTypeOfKind(std::string_view group, std::string_view version,
                                      std::string_view kind) const {
  for (const std::vector<Resource>* all : {&resources_, &bodies_}) {
    for (const Resource& one : *all) {
      const bool everywhere = kind == "DeleteOptions";
      const bool fits = everywhere || (one.group == group && one.version == version);
      if (fits && one.kind == kind) return one.type;
    }
  }
  return nullptr;
}

}  // namespace outrigger::apiserver
