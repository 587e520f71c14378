// What `explain -f` and `--cluster` read: objects in YAML or JSON, as kubectl prints them.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "console/format/yaml_json.h"
#include "console/reading/cluster_objects.h"
#include "console/reading/manifest.h"
#include "console/reading/object_file.h"
#include "equality.h"
#include "object_file_tree.h"

namespace outrigger::fuzz {
namespace {

using nlohmann::json;

// Aliases make much of a few bytes; what is larger is not read once more.
constexpr size_t kLongest = size_t{64} << 10U;
// Below this neither the length of a key nor the nesting is more than YAML takes.
constexpr size_t kShort = 1000;

struct Object {
  std::string kind, text, place;
  friend bool operator==(const Object&, const Object&) = default;
};

struct Objects {
  absl::Status status;
  std::vector<Object> objects;
};

Objects ObjectsIn(const std::string& text) {
  Objects read;
  const auto on_object = [&read](const outrigger::json::ListedObject& object) {
    std::string raw(object.body.data, object.body.size);
    OUTRIGGER_REQUIRE(object.place.empty() || (raw.front() == '{' && raw.back() == '}'));
    read.objects.push_back({std::string(object.kind), std::move(raw), object.place});
    return absl::OkStatus();
  };
  read.status = cli::ForEachObjectInFile("f", text, on_object);
  return read;
}

std::vector<std::string> DocumentsIn(const std::string& text, absl::Status* status) {
  std::vector<std::string> documents;
  *status = cli::ForEachYamlDocument("f", text, [&documents](std::string* document) {
    documents.push_back(*document);
    return absl::OkStatus();
  });
  return documents;
}

// What is taken for JSON; a byte order mark may stand in front.
bool IsJson(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

// What is printed names the file first, and cannot steer a terminal.
void CheckMessage(std::string_view message) {
  OUTRIGGER_REQUIRE(message.starts_with("f") && message.size() > 2);
  CheckPrintable(message);
}

void CheckError(const absl::Status& status) {
  OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
  CheckMessage({status.message().data(), status.message().size()});
}

// JSON is YAML: a document's form in JSON says the same when it is read as one.
void CheckReadAgain(const std::string& document, const json& value) {
  if (document.size() > kShort) return;
  absl::Status status;
  const std::vector<std::string> again = DocumentsIn(document, &status);
  OUTRIGGER_REQUIRE(status.ok() && again.size() == 1);
  OUTRIGGER_REQUIRE(ParsedJson(again[0]) == value);
}

// Documents are JSON, say what yaml-cpp's own tree of them does, and have the objects that they
// have as files.
void CheckDocuments(const std::string& text, const Objects& read) {
  absl::Status status;
  const std::vector<std::string> documents = DocumentsIn(text, &status);
  size_t size = 0;
  for (const std::string& document : documents) size += document.size();
  if (!status.ok()) CheckError(status);
  if (!status.ok() || size > kLongest) return;
  const std::vector<json> trees = TreesOf(text);
  OUTRIGGER_REQUIRE(trees.size() == documents.size());
  std::vector<Object> objects;
  for (size_t i = 0; i < documents.size(); ++i) {
    const json value = ParsedJson(documents[i]);
    if (!value.is_null()) OUTRIGGER_REQUIRE(value == trees[i]);
    if (!value.is_null()) CheckReadAgain(documents[i], value);
    for (Object& object : ObjectsIn(documents[i]).objects) objects.push_back(std::move(object));
  }
  if (read.status.ok() && !IsJson(text)) OUTRIGGER_REQUIRE(objects == read.objects);
}

void CheckItem(const Object& object, const json& item, std::string_view implied) {
  OUTRIGGER_REQUIRE(ParsedJson(object.text) == item);
  const std::string own = TextAt(item, "kind");
  OUTRIGGER_REQUIRE(object.kind == (own.empty() ? implied : own) || object.kind == "(escaped)");
}

// The objects that nlohmann finds in a file that is JSON.
void CheckList(const std::string& text, const std::vector<Object>& objects) {
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return;
  if (objects.size() == 1 && objects[0].place.empty()) {
    CheckItem(objects[0], parsed, "");
    return;
  }
  const std::string kind = TextAt(parsed, "kind");
  OUTRIGGER_REQUIRE(kind.ends_with("List"));
  const std::string implied = kind.substr(0, kind.size() - 4);
  const json items = parsed.value("items", json::array());
  OUTRIGGER_REQUIRE(objects.size() == items.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    CheckItem(objects[i], items[i], implied);
    OUTRIGGER_REQUIRE(objects[i].place == "items[" + std::to_string(i) + "]");
  }
}

void CheckFound(const absl::StatusOr<cli::FoundObjects>& found) {
  if (!found.ok()) {
    OUTRIGGER_REQUIRE(absl::IsInvalidArgument(found.status()) || absl::IsNotFound(found.status()) ||
                      absl::IsFailedPrecondition(found.status()));
    CheckMessage({found.status().message().data(), found.status().message().size()});
    return;
  }
  OUTRIGGER_REQUIRE(!found->nodes.empty());
  std::set<std::string> names;
  for (const Node& node : found->nodes) {
    OUTRIGGER_REQUIRE(!node.name.empty() && names.insert(node.name).second);
  }
  for (const std::string& note : found->notes) CheckPrintable(note);
}

// A cluster that was written down: with the pod "p", and without.
void CheckCluster(const std::string& text) {
  const cli::PodName name{"", "p"};
  const auto with_pod = cli::ObjectsInDump("f", text)->Find(&name, true);
  const auto nodes = cli::ObjectsInDump("f", text)->Find(nullptr, false);
  CheckFound(with_pod);
  CheckFound(nodes);
  if (nodes.ok()) OUTRIGGER_REQUIRE(!nodes->pod && nodes->notes.size() <= 100);
  if (!with_pod.ok()) return;
  OUTRIGGER_REQUIRE(with_pod->pod && with_pod->pod->name == "p");
  OUTRIGGER_REQUIRE(nodes.ok() && nodes->nodes.size() == with_pod->nodes.size());
  for (size_t i = 0; i < nodes->nodes.size(); ++i) {
    OUTRIGGER_REQUIRE(testing::Same(nodes->nodes[i], with_pod->nodes[i]));
  }
}

// Each pod is of an object that was read, and what was filled in is so once and for all.
void CheckPodFile(const std::string& text, const Objects& read) {
  std::vector<std::string> notes;
  const auto pods = cli::ReadManifest("f", text, &notes);
  for (const std::string& note : notes) CheckPrintable(note);
  if (!pods.ok()) {
    CheckError(pods.status());
    return;
  }
  OUTRIGGER_REQUIRE(read.status.ok() && !pods->empty());
  OUTRIGGER_REQUIRE(pods->size() <= read.objects.size());
  for (const Pod& pod : *pods) {
    Pod again = pod;
    const std::string filled_in = cli::ApplyDefaults(&again);
    OUTRIGGER_REQUIRE(filled_in.empty() || filled_in.starts_with("priority 0, since class"));
    OUTRIGGER_REQUIRE(testing::Same(again, pod));
  }
}

void Run(const std::string& text) {
  const Objects read = ObjectsIn(text);
  if (!read.status.ok()) CheckError(read.status);
  if (IsJson(text) && read.status.ok()) CheckList(text, read.objects);
  CheckDocuments(text, read);
  size_t size = 0;
  for (const Object& object : read.objects) size += object.text.size();
  if (size > kLongest) return;
  CheckCluster(text);
  CheckPodFile(text, read);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
