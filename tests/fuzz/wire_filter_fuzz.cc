// A filter call, with everything read and with names only, and the answer to it.
#include <string>
#include <vector>

#include "check.h"
#include "wire_args.h"
#include "wire_input.h"

namespace outrigger::fuzz {
namespace {

using Kind = Verdict::Kind;

struct Answer {
  std::vector<Kind> verdicts;
  std::vector<std::string> reasons;
};

// Every kind of verdict, and reasons cut out of the body at any byte.
Answer Decide(std::string_view body, const wire::ExtenderArgs& args) {
  Answer answer;
  for (size_t i = 0; i < args.names.size(); ++i) {
    const size_t turn = (i + body.size()) % 3;
    answer.verdicts.push_back(turn == 0   ? Kind::kFits
                              : turn == 1 ? Kind::kRejected
                                          : Kind::kUnresolvable);
    answer.reasons.emplace_back(body.substr(i % body.size(), 24));
  }
  return answer;
}

// The answer's bytes, with nodes echoed byte for byte and in their order.
void CheckEcho(const wire::ExtenderArgs& args, const Answer& answer, std::string_view encoded) {
  std::string echo;
  for (size_t i = 0; i < args.raw_nodes.size(); ++i) {
    if (answer.verdicts[i] != Kind::kFits) continue;
    if (!echo.empty()) echo += ',';
    echo += args.raw_nodes[i];
  }
  const std::string nodes =
      args.has_full_nodes ? R"({"metadata":{},"items":[)" + echo + "]}" : "null";
  OUTRIGGER_REQUIRE(encoded.starts_with(R"({"Nodes":)" + nodes + R"(,"NodeNames":)"));
}

void CheckNodesAreAnsweredOnce(const wire::ExtenderArgs& args, const Answer& answer,
                               const nlohmann::json& parsed) {
  const nlohmann::json& names = parsed["NodeNames"];
  const nlohmann::json& items = Exact(parsed["Nodes"], "items");
  OUTRIGGER_REQUIRE(names.is_array() == args.has_node_names);
  OUTRIGGER_REQUIRE(items.is_array() == args.has_full_nodes);
  size_t fitting = 0;
  size_t failed = 0;
  for (size_t i = 0; i < args.names.size(); ++i) {
    const std::string name(args.names[i]);
    if (answer.verdicts[i] == Kind::kFits) {
      if (args.has_node_names) OUTRIGGER_REQUIRE(TextOf(names[fitting]) == name);
      ++fitting;
      continue;
    }
    const char* map =
        answer.verdicts[i] == Kind::kRejected ? "FailedNodes" : "FailedAndUnresolvableNodes";
    OUTRIGGER_REQUIRE(parsed[map].contains(name) && parsed[map][name].is_string());
    ++failed;
  }
  if (args.has_node_names) OUTRIGGER_REQUIRE(names.size() == fitting);
  if (args.has_full_nodes) OUTRIGGER_REQUIRE(items.size() == fitting);
  OUTRIGGER_REQUIRE(parsed["FailedNodes"].size() + parsed["FailedAndUnresolvableNodes"].size() ==
                    failed);
}

void CheckAnswer(std::string_view body, const wire::ExtenderArgs& args, bool body_is_json) {
  const Answer answer = Decide(body, args);
  std::string encoded;
  wire::EncodeFilterResult(args, answer.verdicts, answer.reasons, &encoded);
  CheckEcho(args, answer, encoded);
  // A node may hold, in parts that nobody reads, what is not JSON; it is echoed as it came.
  if (!body_is_json) return;
  const nlohmann::json parsed = Parsed(encoded);
  OUTRIGGER_REQUIRE(parsed.is_object());
  CheckNodesAreAnsweredOnce(args, answer, parsed);
}

void CheckError(std::string_view text) {
  std::string encoded;
  wire::EncodeFilterError(text, &encoded);
  const nlohmann::json parsed = Parsed(encoded);
  OUTRIGGER_REQUIRE(parsed.is_object() && parsed["Nodes"].is_null());
  OUTRIGGER_REQUIRE(ErrorOf(encoded).empty() == text.empty());
}

void Run(std::string_view bytes) {
  const Input input(bytes, ' ');
  wire::ExtenderArgs args;
  const absl::Status status = DecodeChecked(input.bytes(), Needs::All(), &args);
  CheckFewer(input.body(), Needs(), status, args);
  CheckError(status.ok() ? std::string(bytes) : std::string(status.message()));
  if (!status.ok()) return;
  const nlohmann::json parsed = Parsed(bytes);
  if (!parsed.is_discarded()) CheckAgainst(parsed, args);
  CheckAnswer(input.bytes(), args, !parsed.is_discarded());
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run(outrigger::fuzz::Text(data, size));
  return 0;
}
