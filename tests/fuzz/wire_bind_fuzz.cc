// A bind call, and the answer to it: any bytes as the text of its error.
#include <string>

#include "check.h"
#include "wire_input.h"

namespace outrigger::fuzz {
namespace {

// Whether `text` is UTF-8, as nlohmann sees it: it refuses to write anything else.
bool IsUtf8(std::string_view text) {
  try {
    (void)nlohmann::json(std::string(text)).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

// What is UTF-8 comes back as it went; what is not comes back as text all the same.
void CheckAnswer(std::string_view error) {
  std::string encoded;
  wire::EncodeBindResult(error, &encoded);
  for (const char c : encoded) OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20);
  const std::string back = ErrorOf(encoded);
  OUTRIGGER_REQUIRE(back.empty() == error.empty());
  OUTRIGGER_REQUIRE((back == error) == IsUtf8(error));
}

void CheckAgainst(const nlohmann::json& parsed, const wire::BindArgs& args) {
  OUTRIGGER_REQUIRE(TextOf(AnyCase(parsed, "PodName")) == args.pod_name);
  OUTRIGGER_REQUIRE(TextOf(AnyCase(parsed, "PodNamespace")) == args.pod_namespace);
  OUTRIGGER_REQUIRE(TextOf(AnyCase(parsed, "PodUID")) == args.pod_uid);
  OUTRIGGER_REQUIRE(TextOf(AnyCase(parsed, "Node")) == args.node);
}

void Run(std::string_view bytes) {
  CheckAnswer(bytes);
  const Input input(bytes, ' ');
  wire::BindArgs args;
  const absl::Status status = wire::DecodeBindArgs(input.body(), &args);
  CheckStatus(status);
  CheckPaddingAndEnd(bytes, status, [](wire::Body body) {
    wire::BindArgs other;
    return wire::DecodeBindArgs(body, &other);
  });
  if (!status.ok()) {
    CheckAnswer(std::string(status.message()));
    return;
  }
  OUTRIGGER_REQUIRE(!args.pod_name.empty() && !args.pod_namespace.empty());
  OUTRIGGER_REQUIRE(!args.pod_uid.empty() && !args.node.empty());
  const nlohmann::json parsed = Parsed(bytes);
  if (!parsed.is_discarded()) CheckAgainst(parsed, args);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run(outrigger::fuzz::Text(data, size));
  return 0;
}
