#include "apiserver/types/table_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kTypePrefix = "io.k8s.api.";
constexpr std::string_view kMachineryPrefix = "io.k8s.apimachinery.pkg.apis.";
constexpr std::string_view kSchemaType =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
// Of a resource for which the table names none.
constexpr std::string_view kAllVerbs = "create,delete,deletecollection,get,list,patch,update,watch";

constexpr std::array<std::pair<std::string_view, FieldKind>, 16> kKindWords = {{
    {"string", FieldKind::kString},
    {"bool", FieldKind::kBool},
    {"int32", FieldKind::kInt32},
    {"int64", FieldKind::kInt64},
    {"double", FieldKind::kDouble},
    {"bytes", FieldKind::kBytes},
    {"quantity", FieldKind::kQuantity},
    {"intorstring", FieldKind::kIntOrString},
    {"time", FieldKind::kTime},
    {"microtime", FieldKind::kMicroTime},
    {"raw", FieldKind::kRaw},
    {"fieldsv1", FieldKind::kFieldsV1},
    {"json", FieldKind::kJson},
    {"schemaorbool", FieldKind::kSchemaOrBool},
    {"schemaorarray", FieldKind::kSchemaOrArray},
    {"schemaorstrings", FieldKind::kSchemaOrStrings},
}};

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

std::pair<std::string_view, std::string_view> GroupAndVersion(std::string_view word) {
  const size_t slash = word.find('/');
  if (slash == std::string_view::npos) return {"", word};
  return {word.substr(0, slash), word.substr(slash + 1)};
}

// `type` is the name of a message, without prefix; empty for the other kinds.
FieldKind ReadKind(std::string_view word, Field* field, std::string_view* type) {
  field->map = StripWord("{}", &word);
  field->list = StripWord("[]", &word);
  for (const auto& [name, kind] : kKindWords) {
    if (name != word) continue;
    if (word.starts_with("schema")) *type = kSchemaType;
    return kind;
  }
  *type = word;
  return FieldKind::kMessage;
}

constexpr std::pair<std::string_view, bool Field::*> kFlagWords[] = {
    {"?", &Field::pointer},    {"inline", &Field::inlined},          {"required", &Field::required},
    {"merge", &Field::merges}, {"retainkeys", &Field::retains_keys}, {"replace", &Field::replaces},
};

constexpr std::pair<std::string_view, std::string_view Field::*> kTextWords[] = {
    {"mergekey=", &Field::merge_key},
    {"list=", &Field::list_type},
    {"only=", &Field::default_only},
};

void ReadOption(std::string_view word, Field* field) {
  for (const auto& [name, flag] : kFlagWords) {
    if (word == name) field->*flag = true;
  }
  for (const auto& [name, text] : kTextWords) {
    if (std::string_view rest = word; StripWord(name, &rest)) field->*text = rest;
  }
  if (word == "always") field->omit_empty = false;
  if (word == "atomic" || word == "granular") field->map_type = word;
  if (StripWord("keys=", &word)) field->map_keys = SplitTable(word, ',');
  if (StripWord("default=", &word)) field->default_value = Json::parse(word);
  if (StripWord("when=", &word)) {
    field->default_when = word.substr(0, word.find(':'));
    field->default_when_value = word.substr(word.find(':') + 1);
  }
}

// Names of types are kept until all types are there.
class TableReader {
 public:
  TableReader(std::vector<Type>* types, std::vector<Resource>* resources,
              std::vector<Resource>* bodies)
      : types_(*types), resources_(*resources), bodies_(*bodies) {}

  void Read(std::string_view text) {
    for (const std::string_view line : SplitTable(text, '\n')) ReadLine(SplitTable(line, ' '));
    auto name = field_types_.begin();
    for (Type& type : types_) {
      for (Field& field : type.fields) field.type = Find(*name++);
    }
    for (size_t i = 0; i < resources_.size(); ++i) resources_[i].type = Find(resource_types_[i]);
    for (size_t i = 0; i < bodies_.size(); ++i) bodies_[i].type = Find(body_types_[i]);
  }

 private:
  // A line that is indented begins with two empty words.
  void ReadLine(const TableWords& words) {
    if (words.empty() || words[0] == "#") return;
    if (words[0] == "resource") {
      ReadResource(words);
    } else if (words[0] == "kind") {
      bodies_.push_back(Named(words));
      body_types_.push_back(words[3]);
    } else if (words[0] == "type") {
      Type& type = types_.emplace_back();
      type.name = FullTypeName(words[1]);
      type.atomic = words.back() == "atomic";
    } else if (types_.empty()) {
      const auto [group, version] = GroupAndVersion(words[3]);
      resources_.back().subresources.push_back({std::string(words[2]), std::string(group),
                                                std::string(version), std::string(words[4]),
                                                TableNames(words[5])});
    } else {
      ReadField(words);
    }
  }

  static Resource Named(const TableWords& words) {
    const auto [group, version] = GroupAndVersion(words[1]);
    return {.group = std::string(group),
            .version = std::string(version),
            .kind = std::string(words[2])};
  }

  void ReadResource(const TableWords& words) {
    Resource& resource = resources_.emplace_back(Named(words));
    resource_types_.push_back(words[3]);
    resource.plural = words[4];
    resource.singular = words[5];
    resource.verbs = TableNames(kAllVerbs);
    for (size_t i = 6; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (word == "cluster") {
        resource.namespaced = false;
      } else if (StripWord("short=", &word)) {
        resource.short_names = TableNames(word);
      } else if (StripWord("categories=", &word)) {
        resource.categories = TableNames(word);
      } else if (StripWord("verbs=", &word)) {
        resource.verbs = TableNames(word);
      }
    }
  }

  void ReadField(const TableWords& words) {
    Field& field = types_.back().fields.emplace_back();
    field.name = words[2];
    std::from_chars(words[3].data(), words[3].data() + words[3].size(), field.number);
    std::string_view type;
    field.kind = ReadKind(words[4], &field, &type);
    field_types_.push_back(type);
    for (size_t i = 5; i < words.size(); ++i) ReadOption(words[i], &field);
  }

  const Type* Find(std::string_view word) const {
    if (word.empty()) return nullptr;
    const std::string name = FullTypeName(word);
    const auto found = std::lower_bound(
        types_.begin(), types_.end(), name,
        [](const Type& type, const std::string& wanted) { return type.name < wanted; });
    return found == types_.end() || found->name != name ? nullptr : &*found;
  }

  std::vector<Type>& types_;
  std::vector<Resource>& resources_;
  std::vector<Resource>& bodies_;
  TableWords field_types_;
  TableWords resource_types_;
  TableWords body_types_;
};

}  // namespace

void ReadTypeTable(std::string_view text, std::vector<Type>* types,
                   std::vector<Resource>* resources, std::vector<Resource>* bodies) {
  TableReader(types, resources, bodies).Read(text);
}

}  // namespace outrigger::apiserver
