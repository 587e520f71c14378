// Takes part in an election for a Lease and records events, as agents that write do, and tells on
// standard output how it fares: tests compare it with the server and with client-go.
//
//   outrigger_kube_actor --kubeconfig FILE
//                        [--lease NAMESPACE/NAME --identity ID --stage FILE [--lease-duration-s N]
//                         [--renew-deadline-ms N] [--retry-period-ms N] [--clock-off-s N]]
//                        [--controller NAME] [--instance NAME] [--burst N] [--series-s N]
//
// With --lease it stands for election from the start; while it leads, it holds an exclusive lock
// (flock) on the file that --stage names. --clock-off-s is how wrong its clock is.
//
// Commands come on standard input, one a line; each is answered by one line of JSON: election,
// record {...} (see reporter.h), do {...} (see deeds.h), quit. The end of the input and SIGTERM are
// quit.

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "candidate.h"
#include "commands.h"
#include "deeds.h"
#include "kube/config/config.h"
#include "kube/transport/client.h"
#include "reporter.h"

namespace outrigger::kube_actor {
namespace {

struct Options {
  std::string kubeconfig;
  std::string lease;
  std::string stage;
  std::string identity;
  int lease_duration_s = 15;
  int renew_deadline_ms = 10'000;
  int retry_period_ms = 2'000;
  int clock_off_s = 0;
  int series_s = 360;
  kube::EventOptions events = {.controller = "outrigger.dev/actor", .instance = "actor-0"};
};

kube::LeaseOptions LeaseOf(const Options& options) {
  const size_t slash = options.lease.find('/');
  return {.namespace_ = options.lease.substr(0, slash),
          .name = slash == std::string::npos ? "" : options.lease.substr(slash + 1),
          .identity = options.identity,
          .lease_duration = std::chrono::seconds(options.lease_duration_s),
          .renew_deadline = std::chrono::milliseconds(options.renew_deadline_ms),
          .retry_period = std::chrono::milliseconds(options.retry_period_ms)};
}

Clock ClockOf(const Options& options) {
  Clock clock;
  clock.wall = [off = std::chrono::seconds(options.clock_off_s)] {
    return std::chrono::system_clock::now() + off;
  };
  return clock;
}

std::string Answer(const std::string& command, Candidate& candidate, Reporter& reporter,
                   Deeds& deeds) {
  constexpr std::string_view kRecord = "record ";
  constexpr std::string_view kDo = "do ";
  if (command == "election") return candidate.Line();
  if (command.starts_with(kRecord)) return reporter.Record(command.substr(kRecord.size()));
  if (command.starts_with(kDo)) return deeds.Do(command.substr(kDo.size()));
  return R"({"error":"commands are election, record {...}, do {...} and quit"})";
}

absl::Status Run(const Options& options) {
  Commands commands;
  auto config = kube::LoadConfig({.kubeconfig = options.kubeconfig, .context = {}, .root = {}}, {});
  if (!config.ok()) return config.status();
  auto client = kube::Client::Create(*config);
  if (!client.ok()) return client.status();
  Reporter reporter(client->get(), options.events);
  Deeds deeds(client->get());
  Candidate candidate(options.stage);
  if (!options.lease.empty()) {
    absl::Status status = candidate.Stand(client->get(), LeaseOf(options), ClockOf(options));
    if (!status.ok()) return status;
  }
  for (auto command = commands.Next(); command && *command != "quit"; command = commands.Next()) {
    // NOLINTNEXTLINE(performance-avoid-endl)
    std::cout << Answer(*command, candidate, reporter, deeds) << std::endl;
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace outrigger::kube_actor

int main(int argc, char** argv) {
  outrigger::kube_actor::Options options;
  CLI::App app("Stands for election and records events");
  app.add_option("--kubeconfig", options.kubeconfig)->required();
  app.add_option("--lease", options.lease);
  app.add_option("--identity", options.identity);
  app.add_option("--stage", options.stage);
  app.add_option("--lease-duration-s", options.lease_duration_s);
  app.add_option("--renew-deadline-ms", options.renew_deadline_ms);
  app.add_option("--retry-period-ms", options.retry_period_ms);
  app.add_option("--clock-off-s", options.clock_off_s);
  app.add_option("--controller", options.events.controller);
  app.add_option("--instance", options.events.instance);
  app.add_option("--burst", options.events.burst);
  app.add_option("--series-s", options.series_s);
  CLI11_PARSE(app, argc, argv);
  options.events.series = std::chrono::seconds(options.series_s);
  const absl::Status status = outrigger::kube_actor::Run(options);
  if (!status.ok()) std::cerr << "outrigger_kube_actor: " << std::string(status.message()) << "\n";
  return status.ok() ? 0 : 1;
}
