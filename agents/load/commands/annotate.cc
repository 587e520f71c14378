#include "load/commands/annotate.h"

#include "load/commands/options.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "console/args/flags.h"
#include "console/format/text.h"
#include "console/process/lease_term.h"
#include "console/process/signals.h"
#include "fmt/format.h"
#include "load/annotate/node_writer.h"
#include "load/annotate/value_source.h"
#include "load/commands/make_source.h"
#include "load/commands/measured.h"
#include "load/commands/output.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/resources.h"
#include "sdk/base/files.h"
#include "serve/server/admin.h"
#include "serve/server/version.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// What one pass waits for: the first lists of nodes and pods, and the Lease.
constexpr seconds kViewPatience{60};
constexpr seconds kLeasePatience{60};
constexpr milliseconds kPoll{20};
constexpr milliseconds kProgressPause{500};
// Of a source that reports moments: until there are values, and between two samples.
constexpr milliseconds kSampling{90'000};
constexpr milliseconds kSamplePause{5'000};

void Warn(const std::string& line) {
  spdlog::warn("{}", line);
}

std::string NameOf(Annotating what) {
  return what == Annotating::kUsage ? "usage" : "allocation";
}

absl::StatusOr<std::unique_ptr<ClusterSource>> OpenCluster(const AnnotateOptions& options,
                                                           const World& world) {
  auto cluster = ClusterSource::Make(options.cluster, world.environment);
  if (!cluster.ok()) return cluster.status();
  if (*cluster == nullptr) {
    return absl::InvalidArgumentError(
        "there is no way to an API server: give --kubeconfig FILE, set KUBECONFIG, or run in a "
        "pod");
  }
  return cluster;
}

/// A source that keeps what was computed last, if it is to be printed.
class KeptValues final : public annotate::ValueSource {
 public:
  KeptValues(std::unique_ptr<annotate::ValueSource> source, bool keeps)
      : source_(std::move(source)), keeps_(keeps) {}

  absl::StatusOr<std::vector<annotate::NodeValues>> Compute(
      std::shared_ptr<const ClusterSnapshot> snapshot, annotate::Scope scope,
      std::stop_token stop) override {
    auto values = source_->Compute(snapshot, scope, std::move(stop));
    if (values.ok() && keeps_) {
      values_ = *values;
      snapshot_ = std::move(snapshot);
    }
    return values;
  }
  const std::vector<std::string>& Keys() const override { return source_->Keys(); }
  Needs Reads() const override { return source_->Reads(); }
  bool FollowsCluster() const override { return source_->FollowsCluster(); }
  bool NeedsHistory() const override { return source_->NeedsHistory(); }

  /// What was computed last, with what is allocatable of the nodes.
  std::vector<MeasuredNode> Measured() const {
    std::vector<MeasuredNode> nodes;
    nodes.reserve(values_.size());
    for (const annotate::NodeValues& values : values_) {
      const ResourceList& allocatable = snapshot_->FindNode(values.node)->node().allocatable;
      nodes.push_back({.values = values,
                       .cpu = static_cast<double>(allocatable.Get(kCpu).MilliValue()),
                       .memory = allocatable.Get(kMemory).ToDouble()});
    }
    return nodes;
  }

 private:
  const std::unique_ptr<annotate::ValueSource> source_;
  const bool keeps_;
  std::shared_ptr<const ClusterSnapshot> snapshot_;
  std::vector<annotate::NodeValues> values_;
};

/// All parts of one run, each outlives those after it.
class Parts {
 public:
  static absl::StatusOr<std::unique_ptr<Parts>> Make(const AnnotateOptions& options,
                                                     const World& world) {
    auto cluster = OpenCluster(options, world);
    if (!cluster.ok()) return cluster.status();
    auto calls = std::make_shared<AnsweredCalls>();
    const auto answered = [calls](size_t done, size_t total) { calls->Set(done, total); };
    auto source = MakeValueSource(options, (*cluster)->api(), answered, Warn);
    if (!source.ok()) return source.status();
    return std::unique_ptr<Parts>(
        new Parts(options, *std::move(cluster), std::move(calls), *std::move(source)));
  }
  ~Parts() { cluster_->Stop(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  ClusterSource& cluster() { return *cluster_; }
  const AnsweredCalls& calls() const { return *calls_; }
  KeptValues& source() { return source_; }
  annotate::Counters& counters() { return counters_; }
  annotate::Annotator& annotator() { return annotator_; }

 private:
  Parts(const AnnotateOptions& options, std::unique_ptr<ClusterSource> cluster,
        std::shared_ptr<const AnsweredCalls> calls, std::unique_ptr<annotate::ValueSource> source)
      : cluster_(std::move(cluster)),
        calls_(std::move(calls)),
        source_(std::move(source), !options.output.empty()),
        writer_(cluster_->api()),
        annotator_(cluster_->access(), &source_, &writer_, &counters_,
                   WithWarn(options.annotator)) {
    Needs needs = source_.Reads();
    needs.NodeVersion();
    for (const std::string& key : source_.Keys()) needs.NodeAnnotations({key});
    cluster_->Start(needs);
  }

  static annotate::AnnotatorOptions WithWarn(annotate::AnnotatorOptions options) {
    options.warn = Warn;
    return options;
  }

  const std::unique_ptr<ClusterSource> cluster_;
  const std::shared_ptr<const AnsweredCalls> calls_;
  KeptValues source_;
  annotate::KubeNodeWriter writer_;
  annotate::Counters counters_;
  annotate::Annotator annotator_;
};

absl::Status AwaitView(ClusterReader* cluster) {
  const Clock clock;
  const Clock::TimePoint began = clock.now();
  while (true) {
    absl::Status status = cluster->Take().status();
    if (status.ok() || clock.now() - began >= kViewPatience) return status;
    clock.sleep(kPoll, {});
  }
}

/// Shows on a terminal how far a long pass is, as long as it lives.
class ShownProgress {
 public:
  ShownProgress(const AnnotateOptions& options, const World& world, Parts* parts) {
    if (!world.err_is_terminal) return;
    thread_ = std::jthread(
        [parts, qps = options.settings.qps, err = &world.err](const std::stop_token& stop) {
          Progress progress(qps, err);
          const Clock clock;
          while (clock.sleep(kProgressPause, stop)) {
            progress.Show(parts->annotator().Pending(), parts->calls().Text());
          }
          progress.Show(0);
        });
  }

 private:
  std::jthread thread_;
};

absl::Status Print(const std::string& text, const World& world) {
  world.out << text << std::flush;
  return world.out.good() ? absl::OkStatus()
                          : absl::UnavailableError("cannot write to standard output");
}

absl::Status PrintMeasured(const AnnotateOptions& options, const World& world, Parts* parts) {
  return Print(MeasuredText(parts->source().Measured(), options.output, world.terminal), world);
}

absl::Status PrintPreview(const AnnotateOptions& options, const World& world, Parts* parts) {
  const auto view = parts->cluster().access()->Take();
  if (!view.ok()) return view.status();
  const auto values = [&] {
    const ShownProgress progress(options, world, parts);
    return parts->source().Compute(view->snapshot, annotate::Scope::kAll, {});
  }();
  if (!values.ok()) return values.status();
  if (!options.output.empty()) return PrintMeasured(options, world, parts);
  annotate::WrittenValues nothing;
  std::vector<PreviewRow> rows;
  for (const annotate::NodeValues& wanted : *values) {
    const auto node = view->snapshot->FindNode(wanted.node);
    if (!node) continue;
    annotate::Annotations shown = nothing.Shown(node->node(), parts->source().Keys());
    annotate::NodeChange change = annotate::Difference(wanted, shown, {}, options.annotator.diff);
    rows.push_back({wanted, std::move(shown), std::move(change)});
  }
  return Print(PreviewTable(std::move(rows), parts->source().Keys(), world.terminal), world);
}

LeaseTask TaskOf(const AnnotateOptions& options, annotate::Annotator* annotator) {
  LeaseTask task{.claim = options.lease,
                 .wait = kLeasePatience,
                 .work = {},
                 .on_other_holder = {},
                 .cure = "it annotates already; stop it, or leave out --once"};
  std::random_device random;
  task.claim.identity = fmt::format("outrigger-annotate-once_{:08x}{:08x}", random(), random());
  task.work = [annotator](const std::stop_token& term) { return annotator->Once(term); };
  task.on_other_holder = [claim = task.claim](const std::string& holder) {
    spdlog::info("{} holds Lease {}/{}; waiting for it", holder, claim.namespace_, claim.name);
  };
  return task;
}

bool IsYoung(const annotate::NodeValues& node) {
  return std::any_of(node.missing.begin(), node.missing.end(),
                     [](const auto& missing) { return missing.lack == annotate::Lack::kNotYet; });
}

// Of one moment there is no mean: where the source reports moments, it is read until there is.
absl::Status SampleFirst(const AnnotateOptions& options, Parts* parts) {
  if (!parts->source().NeedsHistory()) return absl::OkStatus();
  spdlog::info("takes samples for up to {} s", kSampling.count() / 1000);
  const milliseconds pause =
      std::min<milliseconds>(kSamplePause, milliseconds(seconds(options.settings.window)) / 8);
  const Clock clock;
  const Clock::TimePoint began = clock.now();
  while (true) {
    const auto view = parts->cluster().access()->Take();
    if (!view.ok()) return view.status();
    const auto values = parts->source().Compute(view->snapshot, annotate::Scope::kAll, {});
    if (!values.ok()) return values.status();
    const bool are_there = std::none_of(values->begin(), values->end(), IsYoung);
    if (are_there || clock.now() - began >= kSampling) return absl::OkStatus();
    clock.sleep(pause, {});
  }
}

absl::Status RunOnce(const AnnotateOptions& options, const World& world, Parts* parts) {
  absl::Status status = AwaitView(parts->cluster().access());
  if (status.ok()) status = SampleFirst(options, parts);
  if (!status.ok()) return status;
  if (options.dry_run) return PrintPreview(options, world, parts);
  const ShownProgress progress(options, world, parts);
  status = HoldingLease(parts->cluster().access(), TaskOf(options, &parts->annotator()), {});
  const annotate::Figures figures = parts->counters().Read();
  const auto patched = figures.patches.find("patched");
  spdlog::info("{} nodes looked at, {} patched", figures.nodes,
               patched == figures.patches.end() ? 0 : patched->second);
  if (options.output.empty()) return status;
  // What was measured is shown though it could not be written.
  const absl::Status printed = PrintMeasured(options, world, parts);
  return status.ok() ? printed : status;
}

absl::StatusOr<std::unique_ptr<server::AdminService>> StartAdmin(const AnnotateOptions& options,
                                                                 server::Metrics* metrics,
                                                                 Parts* parts) {
  server::AdminOptions admin;
  admin.bind = SplitList(options.settings.admin_bind);
  admin.port = static_cast<uint16_t>(options.settings.admin_port);
  admin.metrics_from_anywhere = options.settings.metrics_from_anywhere;
  admin.checks = [parts] {
    std::vector<server::Check> checks = parts->cluster().Checks();
    checks.push_back({"values", parts->annotator().Trouble()});
    return checks;
  };
  auto service = server::AdminService::Start(admin, *metrics);
  if (!service.ok() || options.settings.port_file.empty()) return service;
  absl::Status written = WriteFileAtomically(
      options.settings.port_file, fmt::format("{{\"admin_port\":{}}}\n", (*service)->port()));
  if (!written.ok()) return written;
  return service;
}

ElectionCallbacks CallbacksOf(const AnnotateOptions& options, annotate::Annotator* annotator) {
  const std::string lease = fmt::format("{}/{}", options.lease.namespace_, options.lease.name);
  return {.lead =
              [annotator, lease](const std::stop_token& term) {
                spdlog::info("holds Lease {}: writes annotations from now on", lease);
                annotator->Lead(term);
                spdlog::info("writes no more annotations");
              },
          .on_new_leader =
              [lease](const std::string& holder) {
                if (!holder.empty()) spdlog::info("{} holds Lease {}", holder, lease);
              }};
}

absl::Status RunUntilStopped(const AnnotateOptions& options, const World& world, Parts* parts) {
  const std::unique_ptr<server::Metrics> metrics = server::Metrics::Create();
  metrics->Follow([parts] { return parts->cluster().Followed(); });
  metrics->Show([parts] { return FamiliesOf(parts->counters().Read()); });
  const auto admin = StartAdmin(options, metrics.get(), parts);
  if (!admin.ok()) return admin.status();
  const ShownProgress progress(options, world, parts);
  const std::jthread rounds([parts](const std::stop_token& stop) { parts->annotator().Run(stop); });
  auto candidacy =
      parts->cluster().access()->Stand(options.lease, CallbacksOf(options, &parts->annotator()));
  if (!candidacy.ok()) return candidacy.status();
  (*admin)->SetReady();
  spdlog::info("outrigger {} annotates {}, admin on {}:{}", server::GetVersion().version,
               NameOf(options.what), options.settings.admin_bind, (*admin)->port());
  WaitForStop();
  (*admin)->SetDraining();
  spdlog::info("stopping");
  return absl::OkStatus();
}

absl::Status Annotate(const AnnotateOptions& options, const World& world) {
  const auto parts = Parts::Make(options, world);
  if (!parts.ok()) return parts.status();
  return options.once ? RunOnce(options, world, parts->get())
                      : RunUntilStopped(options, world, parts->get());
}

int RunAnnotate(Annotating what, const Given& given, const World& world) {
  const absl::StatusOr<AnnotateOptions> options =
      PrepareAnnotate({.what = what,
                       .config = given.Value("--config"),
                       .settings = given.settings(),
                       .once = given.Has("--once"),
                       .dry_run = given.Has("--dry-run"),
                       .output = given.Value("--output")},
                      world);
  if (!options.ok()) return Finish(options.status(), world);
  // What ends by itself may be ended at once: it keeps no state of its own.
  if (!options->once) HoldSignals();
  StartLogging(options->log);
  for (const std::string& warning : options->warnings) spdlog::warn("{}", warning);
  const absl::Status status = Annotate(*options, world);
  if (status.ok()) return kDone;
  spdlog::error("{}", std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

Command CommandOf(Annotating what, const std::string& name, const std::string& summary,
                  const std::string& notes) {
  Command command{.name = "annotate " + name,
                  .summary = summary,
                  .opens_connections = true,
                  .run = [what](const Given& given, const World& world) {
                    return RunAnnotate(what, given, world);
                  }};
  command.flags = {
      {.name = "--config",
       .value = "FILE",
       .help = "settings file in YAML, shared by both commands; also OUTRIGGER_ANNOTATE_CONFIG",
       .is_file = true},
      {.name = "--once", .help = "Write once, under the Lease, and end"},
      {.name = "--dry-run",
       .help = "Write nothing: print once what would be written, and what is missing"}};
  if (what == Annotating::kUsage) {
    Flag output = OutputFlag({"table", "json", "yaml"});
    output.help =
        "with --once or --dry-run: print what each node uses, or why that is not known, as table, "
        "json or yaml";
    command.flags.push_back(std::move(output));
  }
  command.settings = {{.title = "Settings", .settings = MakeAnnotateGroup(what).settings}};
  command.notes =
      notes +
      "\nA setting is taken from the first that has it: flag, environment (OUTRIGGER_ANNOTATE_QPS "
      "for\n--qps), settings file (qps: ...), variable of the original program, default.";
  return command;
}

}  // namespace

std::vector<Command> AnnotateCommands() {
  return {{.name = "annotate",
           .summary = "Write the node annotations that agents read",
           .has_subcommands = true},
          CommandOf(Annotating::kUsage, "usage",
                    "Write the free cpu and memory of each node, measured over a window",
                    "Writes mean, deviation and forecast of each node's free cpu (millicores) and "
                    "memory (bytes), for\nthe agents safe and congestion. A value that the source "
                    "does not have is never written as zero."),
          CommandOf(Annotating::kAllocation, "allocation",
                    "Write what the pods on each node request, and what is free",
                    "Writes what the pods on each node request and what is free, as kube-scheduler "
                    "counts it, at most a\nsecond after a pod is bound. Agent pigeon reads it.")};
}

}  // namespace outrigger::cli
