#include "lab/client/lab_scheduler.h"

#include <stop_token>

namespace outrigger::lab {
namespace {

kube::ReflectorOptions MakeReflectorOptions(const LabSchedulerOptions& options) {
  kube::ReflectorOptions reflector;
  reflector.report = options.report;
  return reflector;
}

}  // namespace

LabScheduler::LabScheduler(kube::Api* api, const LabSchedulerOptions& options)
    : options_(options),
      rights_(api),
      client_(&rights_, {.scheduler_name = options_.scheduler_name,
                         .host = options_.host,
                         .warn = options_.warn}),
      random_(options_.seed),
      waiting_(&timers_),
      workers_(kWorkers),
      reporters_(kReporters),
      scheduler_(MakeStep(options_.step, MakeHandle(), options_.sort), &nodes_, MakeHandle(),
                 MakeSchedulerOptions()),
      handlers_(options_.scheduler_name, scheduler_.profile().has_event_handlers, &nodes_,
                &scheduler_.queue(), &waiting_),
      informers_(&rights_, &handlers_, MakeReflectorOptions(options_)) {}

LabScheduler::~LabScheduler() {
  Stop();
}

Handle LabScheduler::MakeHandle() {
  return {.timers = &timers_,
          .random = &random_,
          .waiting_pods = &waiting_,
          .background = &workers_,
          .reports = &reporters_,
          .api = &client_};
}

SchedulerOptions LabScheduler::MakeSchedulerOptions() const {
  return {.trace = options_.trace, .trace_rows = options_.trace_rows, .warn = options_.warn};
}

void LabScheduler::Start() {
  informers_.Start();
  loop_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void LabScheduler::Run(const std::stop_token& stop) {
  if (!informers_.AwaitSynced(stop)) return;
  if (options_.ready) options_.ready(nodes_.Snapshot()->size());
  scheduler_.Run(stop);
}

// Timers end last: they cut short what the others wait for. What a timer still hands to workers
// that have stopped is dropped.
void LabScheduler::Stop() {
  loop_.request_stop();
  timers_.After(options_.grace, [this] { client_.Cancel(); });
  if (loop_.joinable()) loop_.join();
  informers_.Stop();
  workers_.Stop();
  reporters_.Stop();
  timers_.Stop();
}

}  // namespace outrigger::lab
