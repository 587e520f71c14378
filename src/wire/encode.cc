#include <cstddef>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include "wire/extender.h"

namespace outrigger::wire {
namespace {

using Kind = Verdict::Kind;

// Room for keys, brackets and quotes around one entry of a list or map.
constexpr size_t kAroundEntry = 32;

// Separates the entries of one list or map.
class Commas {
 public:
  explicit Commas(std::string* out) : out_(*out) {}
  void BeforeEntry() {
    if (!first_) out_ += ',';
    first_ = false;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

template <typename Append>
void ForEachOf(Kind kind, std::span<const Kind> verdicts, std::string* out, Append append) {
  Commas commas(out);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] != kind) continue;
    commas.BeforeEntry();
    append(i);
  }
}

// Enough in all but contrived cases (reasons that are mostly escapes), which cost a reallocation.
size_t SizeOfFilterResult(const ExtenderArgs& args, std::span<const Kind> verdicts,
                          std::span<const std::string> reasons) {
  size_t size = 256;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const std::string& name = args.nodes[i].name;
    if (verdicts[i] != Kind::kFits) {
      size += name.size() + reasons[i].size() + kAroundEntry;
      continue;
    }
    if (args.has_full_nodes) size += args.raw_nodes[i].size() + 1;
    if (args.has_node_names) size += name.size() + kAroundEntry;
  }
  return size;
}

}  // namespace

void EncodeFilterResult(const ExtenderArgs& args, std::span<const Kind> verdicts,
                        std::span<const std::string> reasons, std::string* out) {
  const auto append_node = [&](size_t i) { out->append(args.raw_nodes[i]); };
  const auto append_name = [&](size_t i) { AppendJsonString(args.nodes[i].name, out); };
  const auto append_reason = [&](size_t i) {
    AppendJsonString(args.nodes[i].name, out);
    out->append(":");
    AppendJsonString(reasons[i], out);
  };
  out->reserve(out->size() + SizeOfFilterResult(args, verdicts, reasons));
  out->append(R"({"Nodes":)");
  if (args.has_full_nodes) {
    out->append(R"({"metadata":{},"items":[)");
    ForEachOf(Kind::kFits, verdicts, out, append_node);
    out->append("]}");
  } else {
    out->append("null");
  }
  out->append(R"(,"NodeNames":)");
  if (args.has_node_names) {
    out->append("[");
    ForEachOf(Kind::kFits, verdicts, out, append_name);
    out->append("]");
  } else {
    out->append("null");
  }
  out->append(R"(,"FailedNodes":{)");
  ForEachOf(Kind::kRejected, verdicts, out, append_reason);
  out->append(R"(},"FailedAndUnresolvableNodes":{)");
  ForEachOf(Kind::kUnresolvable, verdicts, out, append_reason);
  out->append(R"(},"Error":""})");
}

void EncodeFilterError(std::string_view error, std::string* out) {
  out->append(R"({"Nodes":null,"NodeNames":null,"FailedNodes":{},)"
              R"("FailedAndUnresolvableNodes":{},"Error":)");
  AppendJsonString(error, out);
  out->append("}");
}

void EncodeHostPriorityList(const ExtenderArgs& args, std::span<const int> scores,
                            std::string* out) {
  size_t size = 2;
  for (const Node& node : args.nodes) size += node.name.size() + kAroundEntry;
  out->reserve(out->size() + size);
  out->append("[");
  Commas commas(out);
  for (size_t i = 0; i < scores.size(); ++i) {
    commas.BeforeEntry();
    out->append(R"({"Host":)");
    AppendJsonString(args.nodes[i].name, out);
    out->append(R"(,"Score":)");
    const fmt::format_int score(scores[i]);
    out->append(score.data(), score.size());
    out->append("}");
  }
  out->append("]");
}

void EncodeBindResult(std::string_view error, std::string* out) {
  out->append(R"({"Error":)");
  AppendJsonString(error, out);
  out->append("}");
}

void EncodePreemptionResult(std::span<const NodeVictims> chosen, std::string* out) {
  size_t size = kAroundEntry;
  for (const NodeVictims& victims : chosen) {
    size += victims.node.size() + 2 * kAroundEntry;
    for (const std::string& uid : victims.pod_uids) size += uid.size() + kAroundEntry;
  }
  out->reserve(out->size() + size);
  out->append(R"({"NodeNameToMetaVictims":{)");
  Commas between_nodes(out);
  for (const NodeVictims& victims : chosen) {
    between_nodes.BeforeEntry();
    AppendJsonString(victims.node, out);
    out->append(R"(:{"Pods":[)");
    Commas between_pods(out);
    for (const std::string& uid : victims.pod_uids) {
      between_pods.BeforeEntry();
      out->append(R"({"UID":)");
      AppendJsonString(uid, out);
      out->append("}");
    }
    const fmt::format_int violations(victims.pdb_violations);
    out->append(R"(],"NumPDBViolations":)").append(violations.data(), violations.size());
    out->append("}");
  }
  out->append("}}");
}

}  // namespace outrigger::wire
