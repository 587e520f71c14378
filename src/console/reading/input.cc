#include "console/reading/input.h"

#include <istream>
#include <iterator>
#include <utility>

#include "console/format/files.h"
#include "console/reading/live_cluster.h"

namespace outrigger::cli {

absl::StatusOr<ExplainInput> ReadExplainInput(const std::string& path, const World& world) {
  if (path == "-") {
    return ExplainInput{"standard input", {std::istreambuf_iterator<char>(world.in), {}}};
  }
  absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ExplainInput{path, *std::move(text)};
}

absl::StatusOr<std::unique_ptr<ClusterObjects>> OpenCluster(const ExplainFlags& flags,
                                                            const World& world) {
  if (flags.cluster.empty())
    return OpenLiveCluster({flags.kubeconfig, flags.context}, world.environment);
  absl::StatusOr<ExplainInput> input = ReadExplainInput(flags.cluster, world);
  if (!input.ok()) return Of("--cluster", input.status());
  return ObjectsInDump(std::move(input->name), std::move(input->text));
}

bool IsColored(const std::string& when, const World& world) {
  if (when != "auto") return when == "always";
  const std::string* no_color = Find(world.environment, "NO_COLOR");
  const std::string* term = Find(world.environment, "TERM");
  return world.terminal.is_one && (no_color == nullptr || no_color->empty()) &&
         (term == nullptr || *term != "dumb");
}

}  // namespace outrigger::cli
