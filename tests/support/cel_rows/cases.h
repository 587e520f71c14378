#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cel/device.h"
#include "cel/evaluator.h"
#include "cel/program.h"
#include "nlohmann/json.hpp"

namespace outrigger::cel::testing {

/// A device of a table (tests/golden/cel.json): {"name", "driver", "device": a device of
/// resource.k8s.io/v1}.
struct CaseDevice {
  std::string name;
  absl::StatusOr<Device> device;
};

/// The devices of a table. Their texts are those of `json`, which must outlive them. Attributes
/// that are lists are accepted with `lists`; otherwise they make the device unfit.
std::vector<CaseDevice> ReadDevices(const nlohmann::json& json, bool lists);

/// "ok", "invalid" or "type", as the tables say it.
std::string_view CompileClass(const absl::StatusOr<Program>& program);

/// true, false, "runtime", "cost", "notbool" or "device", as the tables say it.
nlohmann::json ResultClass(Evaluator& evaluator, const Program& program, const CaseDevice& device);

/// A row {"expr", "compile", "message" or "output" and "result" and "cost" by device}: what this
/// compiler makes of the expression.
nlohmann::json MakeRow(const std::string& expression, const Environment& environment,
                       const std::vector<CaseDevice>& devices, Evaluator& evaluator);

}  // namespace outrigger::cel::testing
