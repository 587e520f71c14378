#include "wire/node_set.h"

#include "fmt/format.h"
#include "wire/object_readers.h"

namespace outrigger::wire {
namespace {

// Debian's abseil has a string_view of its own.
absl::string_view Key(std::string_view text) {
  return {text.data(), text.size()};
}

absl::Status Disagree(std::string_view how, std::string_view name) {
  return absl::FailedPreconditionError(
      fmt::format("Nodes and NodeNames disagree: {} \"{}\"; set one, or the same nodes in both",
                  how, Cut(name)));
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

absl::Status CheckSameNames(const std::vector<std::string_view>& given,
                            absl::flat_hash_set<absl::string_view>* names) {
  for (const std::string_view name : given) {
    // A name that was taken out before is one that NodeNames has twice.
    if (names->erase(Key(name)) == 0) return Disagree("only NodeNames has, or has twice,", name);
  }
  if (names->empty()) return absl::OkStatus();
  const absl::string_view left = *names->begin();
  return Disagree("only Nodes has", {left.data(), left.size()});
}

}  // namespace outrigger::wire
