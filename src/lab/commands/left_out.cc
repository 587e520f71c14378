// `outrigger lab` of a program that was built without the lab.

#include "lab/commands/lab.h"

namespace outrigger::cli {

absl::Status RunLabScheduler(const LabFlags& /*flags*/, const World& /*world*/) {
  return absl::UnimplementedError(
      "this program was built without the lab: build it with the CMake option OUTRIGGER_LAB=ON");
}

}  // namespace outrigger::cli
