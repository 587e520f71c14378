#include "lab/commands/lab.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <ostream>
#include <random>
#include <string>

#include "console/process/follow_log.h"
#include "console/process/log.h"
#include "console/process/signals.h"
#include "console/reading/input.h"
#include "console/reading/live_client.h"
#include "fmt/format.h"
#include "lab/client/lab_scheduler.h"
#include "lab/commands/cycle_block.h"
#include "lab/framework/trace.h"
#include "lab/plugins/queue_sort.h"
#include "lab/steps/steps.h"
#include "outrigger/base/mutex.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

static_assert(LabFlags::kFirstStep == lab::kFirstStep && LabFlags::kLastStep == lab::kLastStep);

/// Says on standard output how each pod fared.
class Narrator final : public lab::TraceSink {
 public:
  Narrator(const LabFlags& flags, const World& world)
      : verbose_(flags.verbose),
        options_{.color = IsColored(flags.color, world), .columns = world.terminal.columns},
        out_(world.out) {}

  void Show(const lab::CycleTrace& trace) override {
    const std::string text = verbose_ ? CycleBlock(trace, options_) : CycleLine(trace);
    const MutexLock lock(mutex_);
    out_ << text << std::flush;
  }

 private:
  const bool verbose_;
  const CycleBlockOptions options_;
  Mutex mutex_;
  std::ostream& out_ ABSL_GUARDED_BY(mutex_);
};

absl::StatusOr<LiveClient> OpenClient(const LabFlags& flags, const World& world) {
  kube::ClientOptions options;
  options.qps = flags.qps;
  options.burst = 2 * flags.qps;
  options.warn = [](const std::string& text) { spdlog::warn("{}", text); };
  return OpenLiveClient({flags.kubeconfig, flags.context}, world.environment, "--kubeconfig FILE",
                        std::move(options));
}

lab::QueueSort MakeQueueSort(const std::string& order) {
  if (order == "riya") return std::make_shared<lab::RiyaSort>();
  return std::make_shared<lab::ArrivalSort>();
}

// This machine's; empty if it is not known.
std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

uint64_t SeedOf(const LabFlags& flags) {
  if (flags.seed) return *flags.seed;
  std::random_device device;
  return (uint64_t{device()} << 32U) | device();
}

void SayReady(const LabFlags& flags, uint64_t seed, size_t nodes) {
  const std::string shown = flags.verbose ? fmt::format(", seed {}", seed) : "";
  spdlog::info("lab scheduler: step {}, scheduler name {}, {} node{}{}", flags.step,
               flags.scheduler_name, nodes, nodes == 1 ? "" : "s", shown);
}

void WarnOfLabObject(const kube::ObjectProblem& problem) {
  if (problem.value != nullptr) return;
  spdlog::warn("{} {}/{} cannot be read; its previous state is kept: {}", problem.resource,
               problem.namespace_, problem.name, problem.error);
}

lab::LabSchedulerOptions OptionsOf(const LabFlags& flags, lab::TraceSink* trace) {
  lab::LabSchedulerOptions options;
  options.step = flags.step;
  options.scheduler_name = flags.scheduler_name;
  options.seed = SeedOf(flags);
  options.sort = MakeQueueSort(flags.queue_sort);
  options.host = HostName();
  options.trace = trace;
  options.trace_rows = flags.verbose;
  options.ready = [flags, seed = options.seed](size_t nodes) { SayReady(flags, seed, nodes); };
  options.warn = [](const std::string& line) { spdlog::warn("{}", line); };
  options.report = WarnOfLabObject;
  return options;
}

}  // namespace

absl::Status RunLabScheduler(const LabFlags& flags, const World& world) {
  const absl::StatusOr<LiveClient> client = OpenClient(flags, world);
  if (!client.ok()) return client.status();
  HoldSignals();
  StartLogging({});
  spdlog::info("lab scheduler: connecting to {}", client->server);
  Narrator narrator(flags, world);
  lab::LabScheduler scheduler(client->client.get(), OptionsOf(flags, &narrator));
  FollowLog log([&scheduler] { return scheduler.States(); }, /*counts=*/false);
  scheduler.Start();
  log.Start();
  WaitForStop();
  spdlog::info("lab scheduler: stopping");
  log.Stop();
  scheduler.Stop();
  return absl::OkStatus();
}

}  // namespace outrigger::cli
