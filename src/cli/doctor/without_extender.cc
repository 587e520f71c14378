#include "cli/doctor/checks.h"
#include "fmt/format.h"

namespace outrigger::cli {

void CheckWithoutExtender(const DoctorCase& found, Findings* findings) {
  for (const AgentInfo* agent : found.Agents()) {
    if (!found.IsWithoutExtender(*agent)) continue;
    findings->Add(
        FindingId::kWithoutExtender, found.EntriesOf(*agent).front()->place(),
        fmt::format("calls agent {}, which has without-extender", agent->name),
        fmt::format("leave all entries of {0} out, or --{0}.without-extender", agent->name));
  }
}

}  // namespace outrigger::cli
