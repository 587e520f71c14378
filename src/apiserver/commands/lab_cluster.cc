#include "apiserver/commands/lab_cluster.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <system_error>
#include <utility>

#include "console/process/signals.h"
#include "fmt/format.h"
#include "outrigger/base/clock.h"

namespace outrigger::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

std::string NewFolder() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  std::string pattern = ((error ? "/tmp" : base) / "outrigger-lab-XXXXXX").string();
  return ::mkdtemp(pattern.data()) == nullptr ? "" : pattern;
}

std::string LastLine(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) last = line;
  return last;
}

}  // namespace

absl::Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("cannot write {}", path));
}

LabCluster::LabCluster(const ApiServerFlags& flags, uint16_t port)
    : flags_(flags), port_(port), kubeconfig_(flags.kubeconfig) {}

LabCluster::~LabCluster() {
  Stop();
}

absl::Status LabCluster::Start(const World& world) {
  folder_ = NewFolder();
  if (folder_.empty()) return absl::UnavailableError("cannot make a folder for temporary files");
  if (kubeconfig_.empty()) {
    kubeconfig_ = PathOf("kubeconfig");
    if (absl::Status status = WriteText(kubeconfig_, LabKubeconfig(port_)); !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = StartNodes(); !status.ok()) return status;
  if (absl::Status status = StartScheduler(); !status.ok()) return status;
  watch_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
  world.out << fmt::format("export KUBECONFIG={}\n",
                           std::filesystem::absolute(kubeconfig_).string());
  if (!flags_.scheduler.empty()) {
    world.out
        << "kubectl create deployment web --image=web --replicas=3; kubectl get pods -o wide\n";
  }
  world.out << std::flush;
  return absl::OkStatus();
}

absl::Status LabCluster::StartNodes() {
  if (flags_.nodes.empty()) return absl::OkStatus();
  std::vector<std::string> words = {own_, "lab", "nodes", "--kubeconfig", kubeconfig_};
  for (const std::string& each : flags_.nodes) words.insert(words.end(), {"--nodes", each});
  const MutexLock lock(mutex_);
  return children_.Start("lab nodes", words, PathOf("nodes.log"));
}

absl::Status LabCluster::StartScheduler() {
  if (flags_.scheduler.empty()) return absl::OkStatus();
  const std::string config = PathOf("scheduler.yaml");
  std::string text = fmt::format(
      "apiVersion: kubescheduler.config.k8s.io/v1\n"
      "kind: KubeSchedulerConfiguration\n"
      "clientConnection: {{kubeconfig: \"{}\", qps: 5000, burst: 5000}}\n"
      // The examples name the second one, as deploy/ does.
      "profiles: [{{schedulerName: default-scheduler}}, {{schedulerName: outrigger}}]\n",
      std::filesystem::absolute(kubeconfig_).string());
  if (absl::Status status = WriteText(config, text); !status.ok()) return status;
  const MutexLock lock(mutex_);
  if (!flags_.agents.empty()) {
    auto with_agents =
        OutputOf({own_, "scheduler-config", "--agents", flags_.agents, "--in", config});
    if (!with_agents.ok()) return with_agents.status();
    if (absl::Status status = WriteText(config, *with_agents); !status.ok()) return status;
    absl::Status status =
        children_.Start("outrigger serve",
                        {own_, "serve", "--agents", flags_.agents, "--scheduler-config", config,
                         "--kubeconfig", kubeconfig_},
                        PathOf("agents.log"));
    if (!status.ok()) return status;
  }
  return children_.Start("kube-scheduler",
                         {flags_.scheduler, "--config", config, "--secure-port=0"},
                         PathOf("scheduler.log"));
}

// One that ends by itself ends all: what is left would look as if it worked.
void LabCluster::Watch(const std::stop_token& stop) {
  while (SleepFor(kBetweenLooks, stop)) {
    const MutexLock lock(mutex_);
    failed_ = children_.Ended();
    if (!failed_) continue;
    ::kill(::getpid(), SIGTERM);
    return;
  }
}

absl::Status LabCluster::WaitForStop() {
  cli::WaitForStop();
  watch_ = {};
  const MutexLock lock(mutex_);
  if (!failed_) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("{} has ended; its last words: {}\nThe logs are in {}",
                                            failed_->name, LastLine(failed_->log), folder_));
}

void LabCluster::Stop() {
  watch_ = {};
  const MutexLock lock(mutex_);
  children_.Stop();
  std::error_code ignored;
  if (!failed_ && !folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  folder_.clear();
}

}  // namespace outrigger::cli
