// `outrigger lab` of a program that was built without the lab.

#include "lab/commands/lab.h"

namespace outrigger::cli {

namespace {

absl::Status LeftOut() {
  return absl::UnimplementedError(
      "this program was built without the lab: build it with the CMake option OUTRIGGER_LAB=ON");
}

}  // namespace

absl::Status RunLabScheduler(const LabFlags& /*flags*/, const World& /*world*/) {
  return LeftOut();
}

absl::Status RunLabNodes(const LabNodesFlags& /*flags*/, const World& /*world*/) {
  return LeftOut();
}

}  // namespace outrigger::cli
