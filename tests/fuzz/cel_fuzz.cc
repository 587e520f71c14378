// An expression of any bytes: errors name a place within it; what compiles is judged within its
// bounds, and the same when it is judged again, with blanks around it, or negated.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "cel/check/environment.h"
#include "cel/device.h"
#include "cel/evaluator.h"
#include "cel/program.h"
#include "check.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::fuzz {
namespace {

using cel::Device;
using cel::DeviceBuilder;
using cel::Environment;
using cel::Evaluator;
using cel::Program;
using cel::Verdict;

constexpr uint64_t kLimit = 20'000;

DeviceBuilder SomeDevice() {
  DeviceBuilder builder;
  builder.AddString("model", "h200");
  builder.AddString("pcie.example.org/root", "pci0000:17");
  builder.AddInt("numa", 1);
  builder.AddBool("healthy", true);
  OUTRIGGER_REQUIRE(builder.AddVersion("version", "1.2.3-rc.1").ok());
  builder.AddCapacity("memory", *Quantity::Parse("80Gi"));
  return builder;
}

const Device& DraDevice() {
  static const Device device = SomeDevice().BuildDra("gpu.example.com", true);
  return device;
}
const Device& PrototypeDevice() {
  static const Device device = SomeDevice().BuildPrototype();
  return device;
}

// A message is printed: its lines are what Describe() makes, and no byte of the input but printable
// ones comes through.
void CheckMessage(std::string_view message) {
  OUTRIGGER_REQUIRE(message.starts_with("ERROR: <input>:") || message.starts_with("must evaluate"));
  OUTRIGGER_REQUIRE(message.size() < 20'000);
  for (const char c : message) {
    OUTRIGGER_REQUIRE(static_cast<uint8_t>(c) >= 0x20 || c == '\n');
    OUTRIGGER_REQUIRE(c != 0x7f);
  }
}

Verdict Opposite(Verdict verdict) {
  if (verdict == Verdict::kTrue) return Verdict::kFalse;
  return verdict == Verdict::kFalse ? Verdict::kTrue : verdict;
}

void CheckEvaluation(const Program& program, const Device& device, const Environment& environment) {
  Evaluator evaluator(kLimit);
  const Verdict verdict = evaluator.Evaluate(program, device);
  const uint64_t cost = evaluator.cost();
  OUTRIGGER_REQUIRE(evaluator.Reason().empty() == (verdict <= Verdict::kTrue));
  OUTRIGGER_REQUIRE(evaluator.Evaluate(program, device) == verdict && evaluator.cost() == cost);
  if (program.output_type() != "bool") return;
  // Not text of comments that end without a line of their own.
  const auto negated = Program::Compile("!(" + program.text() + "\n)", environment);
  if (!negated.ok() || verdict == Verdict::kCost) return;
  Evaluator other(kLimit + 1);
  OUTRIGGER_REQUIRE(other.Evaluate(*negated, device) == Opposite(verdict));
}

void Check(std::string_view text, const Environment& environment, const Device& device) {
  const auto program = Program::Compile(text, environment);
  const auto padded = Program::Compile(" " + std::string(text) + "\n ", environment);
  if (program.ok()) {
    OUTRIGGER_REQUIRE(padded.ok() || text.size() > 10'000);
    CheckEvaluation(*program, device, environment);
  } else {
    CheckMessage({program.status().message().data(), program.status().message().size()});
  }
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using outrigger::fuzz::Check;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Check(text, outrigger::cel::DraEnvironment(), outrigger::fuzz::DraDevice());
  Check(text, outrigger::cel::PrototypeEnvironment(), outrigger::fuzz::PrototypeDevice());
  return 0;
}
