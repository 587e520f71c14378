// The state of the agent reward, as anybody may have edited it: the text of the key `pairs`, or,
// after a line "original", of the key `original`.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "check.h"
#include "original/original_method.h"
#include "pods/pod_type.h"
#include "rule/state_text.h"

namespace outrigger::fuzz {
namespace {

using reward::CountedEnds;
using reward::Experience;
using reward::Rule;
using reward::Seconds;
using reward::StateRead;

constexpr Seconds kNow = 1'764'000'000;
constexpr size_t kRoom = 4096;
constexpr std::string_view kOriginal = "original\n";

bool IsAmount(double amount) {
  return std::isfinite(amount) && amount >= 0;
}

void CheckLimits(const StateRead& read) {
  const auto& state = read.state;
  OUTRIGGER_REQUIRE(state.time >= 0 && state.time <= kNow);
  OUTRIGGER_REQUIRE(state.counted.size() <= CountedEnds::kMost);
  state.experience.ForEachPair(state.time, [&](const std::string& type, const std::string& node,
                                               const Experience::Pair& pair) {
    OUTRIGGER_REQUIRE(reward::IsType(type) && reward::IsName(node));
    OUTRIGGER_REQUIRE(IsAmount(pair.sums.successes) && IsAmount(pair.sums.failures));
    OUTRIGGER_REQUIRE(pair.failed_at.size() <= Experience::kRemembered);
    for (const Seconds at : pair.failed_at) OUTRIGGER_REQUIRE(at >= 0 && at <= state.time);
    const auto elsewhere = ElsewhereOf(state.experience.All(type, state.time), pair.sums);
    const double score = reward::ScoreOf(ValueOf(pair.sums, 1, elsewhere, Rule()));
    OUTRIGGER_REQUIRE(score >= 0 && score <= 1);
  });
}

void CheckFindings(const StateRead& read) {
  OUTRIGGER_REQUIRE(read.findings.empty() == (read.unusable == 0));
  for (const auto& finding : read.findings) {
    OUTRIGGER_REQUIRE(!finding.text.empty() && finding.line >= 0);
    for (const char c : finding.text) {
      OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    }
  }
}

// What was read can be written, and is read without a finding, with nothing more.
void CheckAgain(const StateRead& read) {
  const auto& state = read.state;
  size_t left_out = 0;
  const std::string text =
      WriteState(state.time, state.experience, state.counted, kRoom, &left_out);
  OUTRIGGER_REQUIRE(text.size() <= kRoom);
  const StateRead again = reward::ReadState(text, kNow, Rule());
  OUTRIGGER_REQUIRE(again.findings.empty() || state.time == 0);
  OUTRIGGER_REQUIRE(again.state.experience.pairs() + left_out == state.experience.pairs());
}

void CheckOriginal(std::string_view text) {
  size_t unusable = 0;
  const reward::OriginalStore store = reward::ReadOriginal(text, &unusable);
  for (const auto& [key, value] : store) reward::OriginalScore({{"/pods/D/n", value}}, "D", "n");
  size_t left_out = 0;
  const std::string written = reward::WriteOriginal(store, size_t{1} << 20, &left_out);
  OUTRIGGER_REQUIRE(left_out == 0);
  OUTRIGGER_REQUIRE(reward::ReadOriginal(written, &unusable) == store && unusable == 0);
}

void Check(std::string_view text) {
  if (text.starts_with(kOriginal)) {
    CheckOriginal(text.substr(kOriginal.size()));
    return;
  }
  const StateRead read = reward::ReadState(text, kNow, Rule());
  CheckLimits(read);
  CheckFindings(read);
  CheckAgain(read);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
