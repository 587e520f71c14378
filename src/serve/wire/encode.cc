#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "codec/json/appender.h"
#include "codec/json/text.h"
#include "fmt/format.h"
#include "serve/wire/extender.h"

namespace outrigger::wire {
namespace {

using json::Appender;
using Kind = Verdict::Kind;

// Room for keys, brackets and quotes around one entry of a list or map.
constexpr size_t kAroundEntry = 32;
// The same around the list of full nodes.
constexpr size_t kAroundNodes = 64;
// The same around the two maps of failures.
constexpr size_t kAroundFailures = 256;

// Separates the entries of one list or map.
template <typename Out>
class Commas {
 public:
  explicit Commas(Out* out) : out_(*out) {}
  void BeforeEntry() {
    if (!first_) out_.append(",");
    first_ = false;
  }

 private:
  Out& out_;
  bool first_ = true;
};

template <typename Append>
void ForEachOf(Kind kind, std::span<const Kind> verdicts, Appender* out, Append append) {
  Commas commas(out);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] != kind) continue;
    commas.BeforeEntry();
    append(i);
  }
}

// Where a copy is cheaper than one more piece to send.
constexpr size_t kShortEcho = 4096;

/// Echoes values of a list of the request. Where only a comma lies between two in the request, as
/// Go writes it, they are one piece: all nodes of a call in which all fit.
class ListEcho {
 public:
  ListEcho(std::string* out, std::vector<Echo>* echoes) : out_(*out), echoes_(echoes) {}

  void Add(std::string_view raw) {
    const char* const end = run_.data() + run_.size();
    if (!run_.empty() && raw.data() == end + 1 && *end == ',') {
      run_ = {run_.data(), run_.size() + 1 + raw.size()};
    } else {
      Finish();
      run_ = raw;
    }
  }
  void Finish() {
    if (run_.empty()) return;
    if (!first_) out_ += ',';
    first_ = false;
    if (echoes_ == nullptr || run_.size() < kShortEcho) {
      out_.append(run_);
    } else {
      echoes_->push_back({out_.size(), run_});
    }
    run_ = {};
  }

 private:
  std::string& out_;
  std::vector<Echo>* const echoes_;
  std::string_view run_;
  bool first_ = true;
};

// What EchoNodes() copies, at most.
size_t SizeOfNodes(const ExtenderArgs& args, std::span<const Kind> verdicts) {
  size_t size = 0;
  for (size_t i = 0; i < args.raw_nodes.size(); ++i) {
    if (verdicts[i] == Kind::kFits) size += args.raw_nodes[i].size() + 1;
  }
  return size;
}

void EchoNodes(const ExtenderArgs& args, std::span<const Kind> verdicts, std::string* out,
               std::vector<Echo>* echoes) {
  out->append(R"({"metadata":{},"items":[)");
  ListEcho echo(out, echoes);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == Kind::kFits) echo.Add(args.raw_nodes[i]);
  }
  echo.Finish();
  out->append("]}");
}

void AppendNames(const ExtenderArgs& args, std::span<const Kind> verdicts, std::string* out) {
  size_t size = 0;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == Kind::kFits) size += args.names[i].size() + kAroundEntry;
  }
  Appender appender(out, size);
  ForEachOf(Kind::kFits, verdicts, &appender,
            [&](size_t i) { appender.AppendQuoted(args.names[i]); });
}

// With their quotes they are what the request has.
void EchoNames(const ExtenderArgs& args, std::span<const Kind> verdicts, std::string* out,
               std::vector<Echo>* echoes) {
  ListEcho echo(out, echoes);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const std::string_view name = args.names[i];
    if (verdicts[i] == Kind::kFits) echo.Add({name.data() - 1, name.size() + 2});
  }
  echo.Finish();
}

// Enough in all but contrived cases (reasons that are mostly escapes), which cost a reallocation;
// 0 without failures.
size_t SizeOfFailures(const ExtenderArgs& args, std::span<const Kind> verdicts,
                      std::span<const std::string> reasons) {
  size_t size = 0;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == Kind::kFits || verdicts[i] == Kind::kLeftOut) continue;
    size += args.names[i].size() + reasons[i].size() + kAroundEntry;
  }
  return size;
}

void AppendFailures(const ExtenderArgs& args, std::span<const Kind> verdicts,
                    std::span<const std::string> reasons, Appender* out) {
  const auto append_reason = [&](size_t i) {
    out->AppendQuoted(args.names[i]);
    out->append(":");
    out->AppendQuoted(reasons[i]);
  };
  out->append(R"(,"FailedNodes":{)");
  ForEachOf(Kind::kRejected, verdicts, out, append_reason);
  out->append(R"(},"FailedAndUnresolvableNodes":{)");
  ForEachOf(Kind::kUnresolvable, verdicts, out, append_reason);
  out->append(R"(},"Error":""})");
}

}  // namespace

void EncodeFilterResult(const ExtenderArgs& args, std::span<const Kind> verdicts,
                        std::span<const std::string> reasons, std::string* out,
                        std::vector<Echo>* echoes) {
  const size_t failures = SizeOfFailures(args, verdicts, reasons);
  const size_t nodes = echoes == nullptr ? SizeOfNodes(args, verdicts) : 0;
  out->reserve(out->size() + kAroundNodes + nodes + kAroundFailures + failures);
  out->append(R"({"Nodes":)");
  if (args.has_full_nodes) {
    EchoNodes(args, verdicts, out, echoes);
  } else {
    out->append("null");
  }
  out->append(R"(,"NodeNames":)");
  if (!args.has_node_names) {
    out->append("null");
  } else {
    out->append("[");
    if (args.names_in_body) {
      EchoNames(args, verdicts, out, echoes);
    } else {
      AppendNames(args, verdicts, out);
    }
    out->append("]");
  }
  if (failures == 0) {
    out->append(R"(,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
    return;
  }
  Appender appender(out, kAroundFailures + failures);
  AppendFailures(args, verdicts, reasons, &appender);
}

void EncodeFilterError(std::string_view error, std::string* out) {
  out->append(R"({"Nodes":null,"NodeNames":null,"FailedNodes":{},)"
              R"("FailedAndUnresolvableNodes":{},"Error":)");
  json::AppendString(error, out);
  out->append("}");
}

void EncodeHostPriorityList(const ExtenderArgs& args, std::span<const int> scores,
                            std::string* out) {
  if (std::all_of(scores.begin(), scores.end(), [](int score) { return score == 0; })) {
    out->append("[]");
    return;
  }
  size_t size = 2;
  for (const std::string_view name : args.names) size += name.size() + kAroundEntry;
  Appender appender(out, size);
  appender.append("[");
  Commas commas(&appender);
  for (size_t i = 0; i < scores.size(); ++i) {
    commas.BeforeEntry();
    appender.append(R"({"Host":)");
    appender.AppendQuoted(args.names[i]);
    appender.append(R"(,"Score":)");
    const fmt::format_int score(scores[i]);
    appender.append({score.data(), score.size()});
    appender.append("}");
  }
  appender.append("]");
}

void EncodeBindResult(std::string_view error, std::string* out) {
  out->append(R"({"Error":)");
  json::AppendString(error, out);
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
    json::AppendString(victims.node, out);
    out->append(R"(:{"Pods":[)");
    Commas between_pods(out);
    for (const std::string& uid : victims.pod_uids) {
      between_pods.BeforeEntry();
      out->append(R"({"UID":)");
      json::AppendString(uid, out);
      out->append("}");
    }
    const fmt::format_int violations(victims.pdb_violations);
    out->append(R"(],"NumPDBViolations":)").append(violations.data(), violations.size());
    out->append("}");
  }
  out->append("}}");
}

}  // namespace outrigger::wire
