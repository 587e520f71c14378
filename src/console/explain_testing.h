#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "console/format/world.h"
#include "console/program_testing.h"

// `outrigger explain pod`, as a user runs it, on agents that are easy to foresee: `safe` refuses a
// node whose annotation `risk` is above its max-risk (0.3), and does not know what to do with
// `gone`; `wind` likes long names, and cannot answer about a node labelled `storm`.

namespace outrigger::cli {

/// Filters by what it works out while it serves.
class Plans final : public Agent, public Filterer, public Controller {
 public:
  explicit Plans(const NoSettings& /*settings*/) {}
  absl::Status Filter(const Request& /*r*/, std::span<Verdict> /*v*/) const override {
    return absl::UnavailableError("no plan yet");
  }
  absl::Status Start() override { return absl::OkStatus(); }
  void Stop() override {}
};

/// What surrounds a run.
struct Around {
  Environment environment = {};
  std::string input = {};
  Terminal terminal = {};
  std::string program = "outrigger";
};

/// Runs the program with these agents.
testing::Ran RunIt(const std::vector<std::string>& arguments, const Around& around = {});

/// A cluster as `kubectl get nodes,pods -A -o yaml` prints it, without what nobody reads: nodes
/// calm, rough and lost, pod shop/web-7c9d, and a pod job in the namespaces a and b.
extern const char* const kDump;
/// A pod that is not in it.
extern const char* const kPod;

/// Runs on kDump.
class ExplainPod : public ::testing::Test {
 protected:
  testing::Ran Explain(std::vector<std::string> arguments, const Around& around = {}) const {
    arguments.insert(arguments.begin(), {"explain", "pod", "--cluster", dump_.path()});
    return RunIt(arguments, around);
  }
  const testing::TempFile dump_{kDump, "dump.yaml"};
  const testing::TempFile pod_{kPod, "pod.yaml"};
};

}  // namespace outrigger::cli
