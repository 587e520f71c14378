#include "console/reading/input.h"

#include <istream>
#include <iterator>
#include <utility>

#include "console/args/flags.h"
#include "console/format/files.h"
#include "console/reading/live_cluster.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {

std::vector<Flag> ClusterFlags(const std::string& resources, const std::string& but) {
  return Together(
      {{{.name = "--cluster",
         .value = "FILE",
         .help = fmt::format("file with the output of `kubectl get {} -A -o json` (faster) or "
                             "yaml{}; - reads standard input; default: the live cluster",
                             resources, but),
         .is_file = true}},
       KubeconfigFlags("the live cluster")});
}

absl::Status ReadExplainFlags(const Given& given, ExplainFlags* flags) {
  flags->name_space = given.Value("--namespace");
  flags->cluster = given.Value("--cluster");
  flags->kubeconfig = given.Value("--kubeconfig");
  flags->context = given.Value("--context");
  flags->output = given.Value("--output", flags->output);
  flags->color = given.Value("--color", flags->color);
  if (!flags->cluster.empty() && !(flags->kubeconfig.empty() && flags->context.empty())) {
    return absl::InvalidArgumentError(
        "--kubeconfig and --context select the live cluster; --cluster replaces it");
  }
  return absl::OkStatus();
}

absl::Status ReadName(const Given& given, std::string_view what, ExplainFlags* flags) {
  const std::string text = given.Value("name");
  flags->name = text;
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return absl::OkStatus();
  const std::string before = text.substr(0, slash);
  flags->name = text.substr(slash + 1);
  const bool pod = what == "pod";
  if (before.empty() || flags->name.empty() || flags->name.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("\"{}\" is not accepted; expected NAME{}", text,
                              pod ? ", NAMESPACE/NAME or pod/NAME" : " or NAMESPACE/NAME")));
  }
  // A namespace of such a name takes --namespace.
  const bool kind = pod && (before == "pod" || before == "pods" || before == "po");
  if (!kind && !flags->name_space.empty() && flags->name_space != before) {
    return absl::InvalidArgumentError(Printable(fmt::format(
        "--namespace {}: {} {} is in namespace {}", flags->name_space, what, text, before)));
  }
  if (!kind) flags->name_space = before;
  return absl::OkStatus();
}

absl::Status CheckOneReadsInput(const std::string& file, const ExplainFlags& flags) {
  if (file != "-" || flags.cluster != "-") return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--filename - and --cluster - both read standard input; only one can");
}

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
