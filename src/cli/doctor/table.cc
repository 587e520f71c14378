#include "cli/doctor/doctor.h"
#include "console/format/text.h"
#include "console/format/text_table.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

Style StyleOf(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return Style::kBad;
    case Severity::kWarning:
      return Style::kUnsure;
    case Severity::kHint:
      return Style::kFaint;
  }
  return Style::kPlain;
}

// "2 errors, 1 warning"; "nothing".
std::string CountsText(const Diagnosis& diagnosis) {
  std::string text;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kHint}) {
    const size_t count = diagnosis.Count(severity);
    if (count == 0) continue;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", count, TextOf(severity),
                        count == 1 ? "" : "s");
  }
  return text.empty() ? "nothing" : text;
}

std::string AgentsText(const Diagnosis& diagnosis) {
  std::string text;
  for (const CalledAgent& agent : diagnosis.agents) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", agent.name, Listed(agent.entries));
  }
  return text.empty() ? "none" : text;
}

Style StyleOfAll(const Diagnosis& diagnosis) {
  return diagnosis.findings.empty() ? Style::kGood
                                    : StyleOf(diagnosis.findings.front().kind->severity);
}

std::string FindingText(const Finding& finding, bool color) {
  const FindingKind& kind = *finding.kind;
  std::string place = finding.place.path;
  if (finding.place.line > 0) {
    place += fmt::format("{}line {}", place.empty() ? "" : ", ", finding.place.line);
  }
  std::string text =
      fmt::format("\n{} {} ({})\n", Styled(TextOf(kind.severity), StyleOf(kind.severity), color),
                  Styled(kind.name, Style::kStrong, color), Printable(place));
  const auto line = [&](std::string_view title, std::string_view value) {
    text += fmt::format("  {:<6} {}\n", title, Printable(value));
  };
  line("Found:", finding.found);
  line("Why:", kind.why);
  line("Fix:", finding.fix);
  return text;
}

}  // namespace

std::string DoctorTable(const Diagnosis& diagnosis, bool color) {
  std::string text;
  const auto line = [&](std::string_view title, const std::string& value,
                        Style style = Style::kPlain) {
    text += fmt::format("{:<7} {}\n", title, Styled(Printable(value), style, color));
  };
  line("File:", diagnosis.file);
  line("Agents:", AgentsText(diagnosis));
  line("Found:", CountsText(diagnosis), StyleOfAll(diagnosis));
  for (const Finding& finding : diagnosis.findings) text += FindingText(finding, color);
  return text;
}

}  // namespace outrigger::cli
