#include "nlohmann/json.hpp"
#include "cli/doctor/doctor.h"
#include "console/format/yaml.h"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

// Values of the file need not be UTF-8.
std::string AllJson(const Diagnosis& diagnosis, int indent) {
  Json json = {{"file", diagnosis.file},
               {"summary",
                {{"errors", diagnosis.Count(Severity::kError)},
                 {"warnings", diagnosis.Count(Severity::kWarning)},
                 {"hints", diagnosis.Count(Severity::kHint)}}}};
  json["agents"] = Json::array();
  for (const CalledAgent& agent : diagnosis.agents) {
    json["agents"].push_back({{"name", agent.name}, {"entries", agent.entries}});
  }
  json["findings"] = Json::array();
  for (const Finding& finding : diagnosis.findings) {
    json["findings"].push_back({{"id", finding.kind->name},
                                {"severity", TextOf(finding.kind->severity)},
                                {"place", finding.place.path},
                                {"line", finding.place.line},
                                {"found", finding.found},
                                {"why", finding.kind->why},
                                {"fix", finding.fix}});
  }
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string DoctorJson(const Diagnosis& diagnosis) {
  return AllJson(diagnosis, 2) + "\n";
}

std::string DoctorYaml(const Diagnosis& diagnosis) {
  return YamlFromJson(Json::parse(AllJson(diagnosis, -1)));
}

}  // namespace outrigger::cli
