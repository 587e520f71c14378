#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/node_list.h"
#include "codec/json/object_readers.h"
#include "codec/json/parser.h"
#include "codec/json/path.h"
#include "codec/json/reader.h"
#include "fmt/format.h"
#include "sdk/names/name_set.h"
#include "serve/wire/extender.h"

namespace outrigger::wire {
namespace {

using json::CheckNames;
using json::Cut;
using json::Field;
using json::KeyCase;
using json::ListNames;
using json::Object;
using json::Parser;
using json::ParserLease;
using json::Path;
using json::ReadObject;
using json::Value;

absl::Status Disagree(std::string_view how, std::string_view name) {
  return absl::FailedPreconditionError(
      fmt::format("Nodes and NodeNames disagree: {} \"{}\"; set one, or the same nodes in both",
                  how, Cut(name)));
}

// FailedPrecondition unless `given` has exactly the names of `nodes`, each once, in any order.
// `set` holds `nodes`, which differ.
absl::Status CheckSameNames(std::span<const std::string_view> given,
                            std::span<const std::string_view> nodes, const names::NameSet& set) {
  std::vector<bool> seen(nodes.size());
  for (const std::string_view name : given) {
    const size_t at = set.Find(name);
    if (at == names::NameSet::kNone || seen[at]) {
      return Disagree("only NodeNames has, or has twice,", name);
    }
    seen[at] = true;
  }
  const auto left = std::find(seen.begin(), seen.end(), false);
  if (left == seen.end()) return absl::OkStatus();
  return Disagree("only Nodes has", nodes[static_cast<size_t>(left - seen.begin())]);
}

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

using json::ForEachElement;
using json::ForEachField;
using json::ReadField;

absl::Status ReadUidOfPod(Value value, const Path& at, std::string* uid) {
  return ReadObject(value, at, Field{"metadata", [uid](Value metadata, const Path& place) {
                                       return ReadObject(metadata, place, Field{"uid", uid});
                                     }});
}

absl::Status ReadUidOfMetaPod(Value value, const Path& at, std::string* uid) {
  return ReadObject<KeyCase::kAny>(value, at, Field{"UID", uid});
}

using ReadUid = absl::Status (*)(Value value, const Path& at, std::string* uid);

// Victims and MetaVictims differ in what a pod looks like.
absl::Status ReadVictims(Value value, const Path& at, ReadUid read_uid, NodeVictims* victims) {
  const auto pods = [&](Value list, const Path& place) {
    return ForEachElement(list, place, [&](Value pod, const Path& where) {
      std::string& uid = victims->pod_uids.emplace_back();
      return ReadField(
          pod, where, [&](Value object, const Path& path) { return read_uid(object, path, &uid); });
    });
  };
  return ReadObject<KeyCase::kAny>(value, at, Field{"Pods", pods},
                                   Field{"NumPDBViolations", &victims->pdb_violations});
}

auto ReadCandidates(ReadUid read_uid, bool* given, std::vector<NodeVictims>* candidates) {
  return [=](Value value, const Path& at) {
    *given = true;
    return ForEachField(value, at, [&](std::string_view node, Value victims) {
      candidates->emplace_back().node = node;
      return ReadVictims(victims, at.Key(node), read_uid, &candidates->back());
    });
  };
}

// How the two maps are called is left to the caller: only one of them is set.
absl::Status CheckCandidates(const std::vector<NodeVictims>& candidates, Parser* parser) {
  auto& names = parser->names;
  names.clear();
  for (const NodeVictims& victims : candidates) {
    if (victims.node.empty()) {
      return absl::FailedPreconditionError("victims are given for a node without a name");
    }
    names.push_back(victims.node);
    for (const std::string& uid : victims.pod_uids) {
      if (!uid.empty()) continue;
      return absl::FailedPreconditionError(
          fmt::format("a victim on node \"{}\" has no UID", Cut(victims.node)));
    }
  }
  const size_t twice = parser->name_set.Assign(names);
  if (twice == names::NameSet::kNone) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("victims of node \"{}\" are given twice", Cut(names[twice])));
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

absl::Status DecodeBindArgs(Body body, BindArgs* args) {
  *args = BindArgs();
  const ParserLease parser;
  Object root;
  absl::Status status = parser->Open(body, &root);
  if (status.ok()) {
    status = ReadObject<KeyCase::kAny>(root, Path(""), Field{"PodName", &args->pod_name},
                                       Field{"PodNamespace", &args->pod_namespace},
                                       Field{"PodUID", &args->pod_uid}, Field{"Node", &args->node});
  }
  if (status.ok()) status = parser->Close();
  if (!status.ok()) return status;

  struct Required {
    const char* key;
    const std::string& text;
  };
  for (const Required& required :
       {Required{"PodName", args->pod_name}, Required{"PodNamespace", args->pod_namespace},
        Required{"PodUID", args->pod_uid}, Required{"Node", args->node}}) {
    if (required.text.empty()) {
      return absl::FailedPreconditionError(fmt::format("{} is missing or empty", required.key));
    }
  }
  return status;
}

absl::Status DecodePreemptArgs(Body body, const Needs& needs, PreemptArgs* args) {
  args->candidates.clear();
  args->malformed.clear();
  bool has_pod = false;
  bool has_victims = false;
  bool has_meta_victims = false;
  const auto pod = [&](Value value, const Path& at) {
    has_pod = true;
    return ReadPod(value, at.AsObject(), needs, &args->pod);
  };

  const ParserLease parser;
  Object root;
  absl::Status status = parser->Open(body, &root);
  if (status.ok()) {
    status = ReadObject<KeyCase::kAny>(
        root, Path("", &args->malformed), Field{"Pod", pod},
        Field{"NodeNameToVictims", ReadCandidates(ReadUidOfPod, &has_victims, &args->candidates)},
        Field{"NodeNameToMetaVictims",
              ReadCandidates(ReadUidOfMetaPod, &has_meta_victims, &args->candidates)});
  }
  if (status.ok()) status = parser->Close();
  if (!status.ok()) return status;

  if (!has_pod) return absl::FailedPreconditionError("Pod is missing");
  if (has_victims == has_meta_victims) {
    return absl::FailedPreconditionError(
        fmt::format("{} NodeNameToVictims and NodeNameToMetaVictims set; expected exactly one",
                    has_victims ? "both" : "neither of"));
  }
  return CheckCandidates(args->candidates, &*parser);
}

}  // namespace outrigger::wire
