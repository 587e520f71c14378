// Follows an API server as `outrigger serve` does, pods included, serves names-only calls beside,
// and tells on standard output what it knows: tests compare it with the server, the benchmark
// measures it.
//
//   outrigger_kube_follow --kubeconfig FILE [--context NAME] [--silence-ms N]
//                         [--max-staleness-ms N] [--backoff-ms N] [--json] [--lag-annotation KEY]
//
// Commands come on standard input, one a line; each is answered by one line of JSON: dump, ready,
// stats, ports, quit. The end of the input is quit.

#include <cstdlib>
#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "dump.h"
#include "fmt/format.h"
#include "follower.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace outrigger::kube_follow {
namespace {

std::string Answer(const std::string& command, Follower& follower) {
  if (command == "dump") return Dump(*follower.cluster().Take());
  if (command == "ready") return follower.ReadyLine();
  if (command == "stats") return follower.StatsLine();
  if (command == "ports") return follower.PortsLine();
  return R"({"error":"commands are dump, ready, stats, ports and quit"})";
}

int Run(const FollowerOptions& options) {
  auto follower = Follower::Start(options);
  if (!follower.ok()) {
    std::cerr << "outrigger_kube_follow: " << std::string(follower.status().message()) << "\n";
    return 1;
  }
  for (std::string command; std::getline(std::cin, command) && command != "quit";) {
    std::cout << Answer(command, **follower) << std::endl;  // NOLINT(performance-avoid-endl)
  }
  return 0;
}

}  // namespace
}  // namespace outrigger::kube_follow

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("kube_follow"));
  outrigger::kube_follow::FollowerOptions options;
  CLI::App app("Follows an API server and tells what it knows");
  app.add_option("--kubeconfig", options.kubeconfig)->required();
  app.add_option("--context", options.context);
  app.add_option("--silence-ms", options.silence_ms);
  app.add_option("--max-staleness-ms", options.max_staleness_ms);
  app.add_option("--backoff-ms", options.backoff_ms);
  app.add_flag("--json", options.json);
  app.add_option("--lag-annotation", options.lag_annotation);
  CLI11_PARSE(app, argc, argv);
  return outrigger::kube_follow::Run(options);
}
