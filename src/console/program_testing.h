#pragma once

#include <string>
#include <vector>

#include "console/args/command.h"
#include "console/format/environment.h"
#include "outrigger/agent/registry.h"

// A small registry for tests of the command line, independent of the agents of the tree:
//
//   safe        filters, scores; max-risk (number 0..1, formerly SAFEPERCENTILE in percent),
//               forecast (boolean), objective (risk|balance; formerly the switch balanced); history
//               and smooth are retired
//   congestion  scores; max (integer, formerly CONGESTION_FACTOR_MAX)
//   gang        filters, preempts, binds; no settings

namespace outrigger::testing {

const std::vector<AgentInfo>& TestAgents();

/// What a run of the program printed.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs the program on these agents, with "pigeon" as an agent that is not compiled in. Commands'
/// tests see it as users do: what runs is linked, and not named here.
Ran RunProgram(const std::vector<std::string>& arguments, const Environment& environment = {},
               const std::string& input = "", const std::vector<AgentInfo>& agents = TestAgents());

/// A file in a directory of its own, removed with the object.
class TempFile {
 public:
  explicit TempFile(const std::string& content, const std::string& name = "file.yaml");
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string directory_;
  std::string path_;
};

}  // namespace outrigger::testing
