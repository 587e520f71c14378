#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>

#include "cli/look/follow.h"
#include "cli/look/look.h"
#include "console/args/flags.h"
#include "console/format/environment.h"
#include "console/process/child.h"
#include "console/process/stop_on_signals.h"
#include "fmt/format.h"
#include "kube/config/process.h"

namespace outrigger::cli {
namespace {

constexpr std::chrono::seconds kEvery{3};

// The browser outlives this process, and gets no signal of this terminal.
pid_t Spawn(std::string program, std::string url) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  if (posix_spawnattr_init(&attributes) != 0) return 0;
  if (posix_spawn_file_actions_init(&files) != 0) return 0;
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t broken_pipe = none;  // ignored here
  sigaddset(&broken_pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &broken_pipe);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  }
  std::array<char*, 3> words = {program.data(), url.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &files, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : 0;
}

// Where there is a display. Never fails: the address has been printed. Returns a child to wait for,
// or 0.
pid_t OpenBrowser(const std::string& url, const Environment& environment) {
  const auto is_set = [&](const char* name) {
    const std::string* const value = cli::Find(environment, name);
    return value != nullptr && !value->empty();
  };
  const std::string* const path = cli::Find(environment, "PATH");
  if (path == nullptr || (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))) return 0;
  const std::string program = kube::FindProgram("xdg-open", *path);
  return program.empty() ? 0 : Spawn(program, url);
}

absl::Status ShowPages(const look::FollowFlags& flags, const World& world) {
  const auto follow = look::Follow::Open(flags, world);
  if (!follow.ok()) return follow.status();
  const StopOnSignals stops;
  absl::Status status = (*follow)->Begin(stops.token());
  if (stops.token().stop_requested()) return absl::OkStatus();
  if (!status.ok()) return status;
  const std::string url = (*follow)->Url() + "/";
  world.err << fmt::format("note: {}; Ctrl-C ends\n", (*follow)->LeadText());
  world.out << url << std::endl;
  pid_t opener = OpenBrowser(url, world.environment);
  const Clock clock;
  while (clock.sleep(kEvery, stops.token())) {
    if (opener != 0 && HasEnded(opener)) opener = 0;
    const auto change = (*follow)->Check(stops.token());
    if (!change.ok()) return change.status();
    if (!change->empty()) world.err << "note: " << *change << std::endl;
  }
  return absl::OkStatus();
}

}  // namespace

Command UiCommand(const std::vector<AgentInfo>& registry) {
  Command command{.name = "ui",
                  .summary = "Show the pages of an agent in the cluster in a browser",
                  .opens_connections = true,
                  .run = RunOf(look::ReadFollowFlags, ShowPages)};
  command.flags = look::FollowFlagsOf(registry);
  command.notes =
      "Finds the pod of `outrigger manifests` that leads, forwards a local port to it by kubectl, "
      "prints the\naddress, and opens it where there is a display. It runs until Ctrl-C; where "
      "another pod leads, it\nfollows. It needs the rights to get and list pods, to list leases "
      "(in "
      "kube-system, too) and to\ncreate pods/portforward there.";
  return command;
}

}  // namespace outrigger::cli
