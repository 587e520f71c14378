#include "lab/client/lab_scheduler.h"

#include <algorithm>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "kube/errors.h"

namespace outrigger::lab {
namespace {

/// What a request is about, as RBAC has it.
struct Asked {
  std::string resource;  // "nodes", "pods/binding", "events.events.k8s.io"
  bool is_one = false;   // one object, not the collection
};

// "/api/v1/namespaces/shop/pods/web-1/binding", "/apis/events.k8s.io/v1/events".
Asked AskedOf(const std::string& path) {
  const std::vector<std::string> parts = absl::StrSplit(path, '/', absl::SkipEmpty());
  const bool is_core = !parts.empty() && parts[0] == "api";
  size_t at = is_core ? 2 : 3;
  if (at + 2 < parts.size() && parts[at] == "namespaces") at += 2;
  if (at >= parts.size()) return {path};
  Asked asked{parts[at], at + 1 < parts.size()};
  if (!is_core) asked.resource += "." + parts[1];
  if (at + 2 < parts.size()) asked.resource += "/" + parts[at + 2];
  return asked;
}

std::string_view VerbOf(const kube::ApiRequest& request, bool is_one) {
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return "delete";
  if (is_one) return "get";
  const bool watches = std::any_of(request.query.begin(), request.query.end(),
                                   [](const auto& pair) { return pair.first == "watch"; });
  return watches ? "watch" : "list";
}

absl::Status WithRight(const kube::ApiRequest& request, const absl::Status& status) {
  if (!absl::IsPermissionDenied(status)) return status;
  const Asked asked = AskedOf(request.path);
  return kube::WithMessage(
      status, fmt::format("needs the right to {} {}: {}", VerbOf(request, asked.is_one),
                          asked.resource, kube::MessageOf(status)));
}

kube::ReflectorOptions MakeReflectorOptions(const LabSchedulerOptions& options) {
  kube::ReflectorOptions reflector;
  reflector.report = options.report;
  return reflector;
}

}  // namespace

absl::StatusOr<kube::ApiResponse> NamedRights::Call(const kube::ApiRequest& request) {
  auto answer = api_.Call(request);
  if (answer.ok()) return answer;
  return WithRight(request, answer.status());
}

absl::Status NamedRights::Stream(const kube::ApiRequest& request, kube::ByteSink sink) {
  return WithRight(request, api_.Stream(request, sink));
}

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
