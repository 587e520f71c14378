#include "json/node_list.h"

#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "json/object_readers.h"
#include "json/parser.h"
#include "json/reader.h"

namespace outrigger::json {
namespace {

// Debian's abseil has a string_view of its own.
absl::string_view Key(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

absl::Status ReadNodes(Value value, const Path& at, const Needs& needs, std::vector<Node>* nodes,
                       std::vector<std::string_view>* raw) {
  size_t count = 0;
  absl::Status status = ForEachElement(value, at, [&](Value item, const Path& place) {
    if (count == nodes->size()) nodes->emplace_back();
    Node& node = (*nodes)[count++];
    ClearNode(&node);  // what a null leaves behind
    std::string_view bytes;
    absl::Status read = ReadField(item, place, [&](Value object, const Path& where) {
      return ReadNode(object, where.AsObject(), needs, &node, &bytes);
    });
    if (raw != nullptr) raw->push_back(bytes);
    return read;
  });
  nodes->resize(count);
  return status;
}

absl::Status CheckNames(const std::vector<Node>& nodes, const Path& at,
                        absl::flat_hash_set<absl::string_view>* names) {
  names->clear();
  names->reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string& name = nodes[i].name;
    if (name.empty()) {
      return absl::FailedPreconditionError(
          fmt::format("{}: the node has no name", at.Index(i).Text()));
    }
    if (!names->insert(Key(name)).second) {
      return absl::FailedPreconditionError(
          fmt::format("{}: node \"{}\" is given twice", at.Index(i).Text(), Cut(name)));
    }
  }
  return absl::OkStatus();
}

absl::Status DecodeNodeList(Body body, const Needs& needs, std::vector<Node>* nodes,
                            std::vector<MalformedValue>* malformed) {
  malformed->clear();
  const ParserLease parser;
  const Path list("", malformed);
  const Path single("Node", malformed);
  Object root;
  std::string_view kind;
  absl::Status status = parser->Open(body, &root);
  if (status.ok()) status = ReadObject(root, list, Field{"kind", &kind});
  if (status.ok()) status = parser->Close();
  // A second pass, since kubectl writes `kind` behind `items`.
  if (status.ok()) status = parser->Rewind(&root);
  if (!status.ok()) return status;

  if (kind == "Node") {
    nodes->resize(1);
    status = ReadNode(root, single.AsObject(), needs, &nodes->front());
  } else if (kind == "NodeList" || kind == "List") {
    nodes->clear();
    status = ReadObject(root, list, Field{"items", [&](Value value, const Path& at) {
                                            return ReadNodes(value, at, needs, nodes, nullptr);
                                          }});
  } else {
    return Invalid(
        list.Key("kind"),
        fmt::format("expected \"NodeList\", \"List\" or \"Node\", found \"{}\"", Cut(kind)));
  }
  return status.ok() ? CheckNames(*nodes, list.Key("items"), &parser->name_set) : status;
}

}  // namespace outrigger::json
