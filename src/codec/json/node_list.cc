#include "codec/json/node_list.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "codec/json/object_readers.h"
#include "codec/json/parser.h"
#include "codec/json/reader.h"
#include "fmt/format.h"

namespace outrigger::json {
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

void ListNames(const std::vector<Node>& nodes, std::vector<std::string_view>* names) {
  names->resize(nodes.size());
  std::transform(nodes.begin(), nodes.end(), names->begin(),
                 [](const Node& node) -> std::string_view { return node.name; });
}

absl::Status CheckNames(std::span<const std::string_view> names, const Path& at,
                        names::NameSet* set) {
  const auto empty = std::find(names.begin(), names.end(), std::string_view());
  const auto first_empty = static_cast<size_t>(empty - names.begin());
  const size_t twice = set->Assign(names);
  if (twice < first_empty) {
    return absl::FailedPreconditionError(
        fmt::format("{}: node \"{}\" is given twice", at.Index(twice).Text(), Cut(names[twice])));
  }
  if (empty == names.end()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("{}: the node has no name", at.Index(first_empty).Text()));
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
  if (!status.ok()) return status;
  ListNames(*nodes, &parser->names);
  return CheckNames(parser->names, list.Key("items"), &parser->name_set);
}

}  // namespace outrigger::json
