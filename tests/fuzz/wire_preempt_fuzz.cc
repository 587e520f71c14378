// A preempt call in either form, and an answer that takes a part of what it offers.
#include <set>
#include <string>
#include <vector>

#include "check.h"
#include "wire_input.h"

namespace outrigger::fuzz {
namespace {

void CheckAccepted(const wire::PreemptArgs& args) {
  std::set<std::string_view> nodes;
  for (const NodeVictims& victims : args.candidates) {
    OUTRIGGER_REQUIRE(!victims.node.empty());
    OUTRIGGER_REQUIRE(nodes.insert(victims.node).second);
    for (const std::string& uid : victims.pod_uids) OUTRIGGER_REQUIRE(!uid.empty());
  }
  OUTRIGGER_REQUIRE(args.malformed.size() <= wire::kMaxMalformed);
}

bool Same(const NodeVictims& a, const NodeVictims& b) {
  return a.node == b.node && a.pod_uids == b.pod_uids && a.pdb_violations == b.pdb_violations;
}

// With fewer needs a call is accepted where it is with all, and says the same of the victims.
void CheckFewer(wire::Body body, const absl::Status& all_status, const wire::PreemptArgs& all) {
  static auto* const reused = new wire::PreemptArgs;
  if (!BothAccept(wire::DecodePreemptArgs(body, Needs(), reused), all_status)) return;
  OUTRIGGER_REQUIRE(reused->pod.name == all.pod.name);
  OUTRIGGER_REQUIRE(reused->candidates.size() == all.candidates.size());
  for (size_t i = 0; i < all.candidates.size(); ++i) {
    OUTRIGGER_REQUIRE(Same(reused->candidates[i], all.candidates[i]));
  }
}

// In the body a pod is {"UID": ...}, in any case, or {"metadata": {"uid": ...}}.
void CheckAgainst(const nlohmann::json& parsed, const wire::PreemptArgs& args) {
  const nlohmann::json& meta = AnyCase(parsed, "NodeNameToMetaVictims");
  const nlohmann::json& map = meta.is_null() ? AnyCase(parsed, "NodeNameToVictims") : meta;
  OUTRIGGER_REQUIRE(map.is_object() && map.size() == args.candidates.size());
  for (const NodeVictims& victims : args.candidates) {
    const nlohmann::json& node = Exact(map, victims.node);
    const nlohmann::json& pods = AnyCase(node, "Pods");
    OUTRIGGER_REQUIRE(victims.pod_uids.size() == (pods.is_null() ? 0 : pods.size()));
    for (size_t i = 0; i < victims.pod_uids.size(); ++i) {
      const nlohmann::json& uid =
          meta.is_null() ? Exact(Exact(pods[i], "metadata"), "uid") : AnyCase(pods[i], "UID");
      OUTRIGGER_REQUIRE(TextOf(uid) == victims.pod_uids[i]);
    }
    const nlohmann::json& violations = AnyCase(node, "NumPDBViolations");
    OUTRIGGER_REQUIRE(victims.pdb_violations ==
                      (violations.is_null() ? 0 : violations.get<int64_t>()));
  }
}

// Every other node, with every other of its victims.
std::vector<NodeVictims> Choose(const wire::PreemptArgs& args) {
  std::vector<NodeVictims> chosen;
  for (size_t i = 0; i < args.candidates.size(); i += 2) {
    NodeVictims& victims = chosen.emplace_back(args.candidates[i]);
    for (size_t at = victims.pod_uids.size(); at-- > 0;) {
      if (at % 2 == 1) victims.pod_uids.erase(victims.pod_uids.begin() + static_cast<long>(at));
    }
  }
  return chosen;
}

// What the answer says is read back by the decoder itself, as a question in the short form.
void CheckAnswer(const wire::PreemptArgs& args) {
  const std::vector<NodeVictims> chosen = Choose(args);
  std::string encoded;
  wire::EncodePreemptionResult(chosen, &encoded);
  const nlohmann::json parsed = Parsed(encoded);
  OUTRIGGER_REQUIRE(parsed.is_object());
  for (const auto& [node, victims] : parsed["NodeNameToMetaVictims"].items()) {
    OUTRIGGER_REQUIRE(victims["Pods"].is_array());  // a null makes the scheduler's client panic
  }
  const Input question(R"({"Pod":{},)" + encoded.substr(1), ' ');
  wire::PreemptArgs back;
  OUTRIGGER_REQUIRE(wire::DecodePreemptArgs(question.body(), Needs(), &back).ok());
  OUTRIGGER_REQUIRE(back.candidates.size() == chosen.size());
  for (size_t i = 0; i < chosen.size(); ++i) {
    OUTRIGGER_REQUIRE(Same(back.candidates[i], chosen[i]));
  }
}

void Run(std::string_view bytes) {
  const Input input(bytes, ' ');
  wire::PreemptArgs args;
  const absl::Status status = wire::DecodePreemptArgs(input.body(), Needs::All(), &args);
  CheckStatus(status);
  CheckPaddingAndEnd(bytes, status, [](wire::Body body) {
    wire::PreemptArgs other;
    return wire::DecodePreemptArgs(body, Needs::All(), &other);
  });
  CheckFewer(input.body(), status, args);
  if (!status.ok()) return;
  CheckAccepted(args);
  const nlohmann::json parsed = Parsed(bytes);
  if (!parsed.is_discarded()) CheckAgainst(parsed, args);
  CheckAnswer(args);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run(outrigger::fuzz::Text(data, size));
  return 0;
}
