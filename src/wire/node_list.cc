#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "wire/extender.h"
#include "wire/json_reader.h"
#include "wire/node_set.h"
#include "wire/object_readers.h"
#include "wire/parser.h"

namespace outrigger::wire {

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

}  // namespace outrigger::wire
