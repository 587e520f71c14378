#include <functional>
#include <string_view>
#include <vector>

#include "codec/json/node_list.h"
#include "codec/json/object_readers.h"
#include "codec/json/parser.h"
#include "codec/json/reader.h"
#include "serve/wire/extender.h"
#include "serve/wire/node_set.h"

namespace outrigger::wire {
namespace {

using json::CheckNames;
using json::Field;
using json::KeyCase;
using json::ListNames;
using json::Object;
using json::Parser;
using json::ParserLease;
using json::Path;
using json::ReadObject;
using json::Value;

// What is read before anything is judged: which forms were given, and the names in one of them.
absl::Status ReadArgs(Object root, const Needs& needs, ExtenderArgs* args, bool* has_pod,
                      std::vector<std::string_view>* names) {
  const auto pod = [&](Value value, const Path& at) {
    *has_pod = true;
    return ReadPod(value, at.AsObject(), needs, &args->pod);
  };
  const auto items = [&](Value value, const Path& at) {
    return ReadNodes(value, at, needs, &args->nodes, &args->raw_nodes);
  };
  const auto nodes = [&](Value value, const Path& at) {
    args->has_full_nodes = true;
    return ReadObject<KeyCase::kAny>(value, at, Field{"items", items});
  };
  const auto node_names = [&](Value value, const Path& at) {
    args->has_node_names = true;
    return Read(value, at, names);
  };
  const Path at("", &args->malformed);
  return ReadObject<KeyCase::kAny>(root, at, Field{"Pod", pod}, Field{"Nodes", nodes},
                                   Field{"NodeNames", node_names});
}

bool Within(Body body, std::string_view text) {
  const std::less_equal<> not_after;
  return not_after(body.data, text.data()) &&
         not_after(text.data() + text.size(), body.data + body.size);
}

// Names with escapes lie in the parser, which others use after this call.
void KeepUnescaped(Body body, ExtenderArgs* args) {
  size_t size = 0;
  for (const std::string_view name : args->names) size += Within(body, name) ? 0 : name.size();
  args->names_in_body = size == 0;
  if (size == 0) return;
  args->unescaped.clear();
  args->unescaped.reserve(size);  // or views into it would move
  for (std::string_view& name : args->names) {
    if (Within(body, name)) continue;
    const size_t at = args->unescaped.size();
    args->unescaped.append(name);
    name = std::string_view(args->unescaped).substr(at);
  }
}

absl::Status CheckFullNodes(Parser& parser, const ExtenderArgs& args) {
  absl::Status status =
      CheckNames(args.names, Path("").Key("Nodes").Key("items"), &parser.name_set);
  if (!status.ok() || !args.has_node_names) return status;
  return CheckSameNames(parser.names, args.names, parser.name_set);
}

}  // namespace

absl::Status ReadExtenderArgs(Body body, const Needs& needs, ExtenderArgs* args) {
  args->raw_nodes.clear();
  args->malformed.clear();
  args->has_full_nodes = false;
  args->has_node_names = false;
  args->names_in_body = false;
  bool has_pod = false;

  const ParserLease parser;
  parser->names.clear();
  Object root;
  absl::Status status = parser->Open(body, &root);
  if (status.ok()) status = ReadArgs(root, needs, args, &has_pod, &parser->names);
  if (status.ok()) status = parser->Close();
  if (!status.ok()) return status;

  if (!has_pod) return absl::FailedPreconditionError("Pod is missing");
  if (!args->has_full_nodes && !args->has_node_names) {
    return absl::FailedPreconditionError("neither Nodes nor NodeNames is set; set one of them");
  }
  if (!args->has_full_nodes) {
    args->nodes.clear();
    args->names.swap(parser->names);
    KeepUnescaped(body, args);
    return absl::OkStatus();
  }
  args->nodes.resize(args->raw_nodes.size());  // without `items`, those of the last call are there
  ListNames(args->nodes, &args->names);
  return CheckFullNodes(*parser, *args);
}

absl::Status CheckNodeNames(const ExtenderArgs& args) {
  if (args.has_full_nodes) return absl::OkStatus();  // they have been checked
  const ParserLease parser;
  return CheckNames(args.names, Path("").Key("NodeNames"), &parser->name_set);
}

absl::Status DecodeExtenderArgs(Body body, const Needs& needs, ExtenderArgs* args) {
  absl::Status status = ReadExtenderArgs(body, needs, args);
  return status.ok() ? CheckNodeNames(*args) : status;
}

}  // namespace outrigger::wire
