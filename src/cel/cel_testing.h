#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cel/check/environment.h"
#include "cel/device.h"
#include "cel/evaluator.h"
#include "cel/program.h"

namespace outrigger::cel::testing {

/// What compiling `text` for DRA devices says is wrong; empty if nothing is.
inline std::string ErrorOf(std::string_view text) {
  const auto program = Program::Compile(text, DraEnvironment());
  return program.ok() ? "" : std::string(program.status().message());
}

/// An evaluation for a device gpu-1 of driver gpu.example.com: model "h200", numa 1, healthy.
struct Outcome {
  Verdict verdict = Verdict::kFailed;
  std::string reason = {};
  uint64_t cost = 0;
};
inline Outcome OutcomeOf(std::string_view text, uint64_t limit = Evaluator::kCostLimit) {
  const auto program = Program::Compile(text, DraEnvironment());
  EXPECT_TRUE(program.ok()) << text << "\n" << program.status();
  if (!program.ok()) return {};
  DeviceBuilder builder;
  builder.AddString("model", "h200");
  builder.AddInt("numa", 1);
  builder.AddBool("healthy", true);
  const Device device = builder.BuildDra("gpu.example.com", false);
  Evaluator evaluator(limit);
  const Verdict verdict = evaluator.Evaluate(*program, device);
  return {verdict, evaluator.Reason(), evaluator.cost()};
}

/// Whether `text` is true for that device.
inline bool IsTrue(std::string_view text) {
  return OutcomeOf(text).verdict == Verdict::kTrue;
}

}  // namespace outrigger::cel::testing
