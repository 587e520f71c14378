// The forms of ScheduleResults.

#include "console/format/go_yaml.h"
#include "devices/commands/schedule/results.h"

namespace outrigger::cli {
namespace {

using SortedJson = nlohmann::json;

SortedJson WholeJson(const ScheduleResults& results) {
  SortedJson json = {{"node", nullptr},
                     {"score", results.score},
                     {"allocations", results.allocations},
                     {"summaries", results.summaries},
                     {"nodeResults", results.nodes}};
  if (!results.node.empty()) json["node"] = results.node;
  if (!results.pod.empty()) json["pod"] = results.pod;
  return json;
}

}  // namespace

// The test prints YAML, which ends with a newline, as a line: an empty one is below it.
std::string ResultsText(const ScheduleResults& results, bool verbose) {
  std::string text =
      "ALLOCATIONS\n-----------\n" + GoYaml(results.allocations) + "\nNODE RESULTS\n------------\n";
  if (verbose) return text + GoYaml(results.nodes) + "\n";
  for (const std::string& summary : results.summaries) text += summary + "\n";
  return text;
}

std::string ResultsJson(const ScheduleResults& results) {
  return WholeJson(results).dump(2, ' ', false, SortedJson::error_handler_t::replace) + "\n";
}

std::string ResultsYaml(const ScheduleResults& results) {
  const std::string clean =
      WholeJson(results).dump(-1, ' ', false, SortedJson::error_handler_t::replace);
  return GoYaml(SortedJson::parse(clean));
}

}  // namespace outrigger::cli
