// `outrigger lab apiserver`, `load` and `save` of a program that was built without the lab.

#include "apiserver/commands/lab_apiserver.h"

namespace outrigger::cli {
namespace {

absl::Status WithoutApiServer() {
  return absl::UnimplementedError(
      "this program was built without the lab: build it with the CMake option OUTRIGGER_LAB=ON");
}

}  // namespace

absl::Status RunApiServer(const ApiServerFlags& /*flags*/, const World& /*world*/) {
  return WithoutApiServer();
}

absl::StatusOr<std::string> RunLabLoad(const LabFileFlags& /*flags*/, const World& /*world*/) {
  return WithoutApiServer();
}

absl::StatusOr<std::string> RunLabSave(const LabFileFlags& /*flags*/, const World& /*world*/) {
  return WithoutApiServer();
}

}  // namespace outrigger::cli
