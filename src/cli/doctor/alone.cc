#include "cli/doctor/checks.h"
#include "fmt/format.h"

namespace outrigger::cli {

void CheckAlone(const DoctorCase& found, Findings* findings) {
  for (const AgentInfo* agent : found.Agents()) {
    if (!found.IsAlone(*agent)) continue;
    findings->Add(FindingId::kAlone, found.EntriesOf(*agent).front()->place(),
                  fmt::format("calls agent {}, which has mode=alone", agent->name),
                  fmt::format("leave all entries of {0} out, or --{0}.mode=alone", agent->name));
  }
}

}  // namespace outrigger::cli
