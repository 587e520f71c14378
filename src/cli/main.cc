#include "cli/main.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <string_view>

#include "cli/run.h"
#include "console/args/command.h"

namespace outrigger::cli {
namespace {

// kubectl runs the program `kubectl-outrigger` for `kubectl outrigger`.
std::string ProgramName(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return name == "kubectl-outrigger" ? "kubectl outrigger" : "outrigger";
}

Terminal StandardOutput() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return {true, known ? size.ws_col : size_t{0}};
}

}  // namespace

int Main(int argc, char** argv, const std::vector<AgentInfo>& registry,
         const std::vector<std::string>& left_out) {
  // Exceptions of the libraries (CLI11, yaml-cpp) that were not foreseen end here.
  try {
    const World world{registry,
                      left_out,
                      ReadEnvironment(environ),
                      std::cin,
                      std::cout,
                      std::cerr,
                      StandardOutput(),
                      ProgramName(argc > 0 ? argv[0] : ""),
                      isatty(STDERR_FILENO) != 0};
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return Run(arguments, world);
  } catch (const std::exception& error) {
    std::cerr << "outrigger: internal error: " << error.what() << "\n";
    return kFailed;
  }
}

}  // namespace outrigger::cli
