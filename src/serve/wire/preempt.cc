#include <string>
#include <vector>

#include "codec/json/object_readers.h"
#include "codec/json/parser.h"
#include "codec/json/reader.h"
#include "fmt/format.h"
#include "serve/wire/extender.h"

namespace outrigger::wire {
namespace {

using json::Cut;
using json::Field;
using json::ForEachElement;
using json::ForEachField;
using json::KeyCase;
using json::Object;
using json::Parser;
using json::ParserLease;
using json::Path;
using json::ReadField;
using json::ReadObject;
using json::Value;

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
