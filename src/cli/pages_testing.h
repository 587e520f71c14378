#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "outrigger/agent/registry.h"

// What the tests of the generated pages in docs/ share.

namespace outrigger::cli {

/// The content of a file; a failure of the test if it is empty or cannot be read.
inline std::string TextOf(const char* path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

/// The agents that are compiled in and that README.md offers to users: the pages have those. A
/// folder that a user adds to a tree of their own needs no edit there.
inline std::vector<AgentInfo> OfferedAgents() {
  const std::string readme = TextOf(OUTRIGGER_README);
  EXPECT_NE(readme.find("(agents/"), std::string::npos) << "README.md has no table of agents";
  std::vector<AgentInfo> offered;
  for (const AgentInfo& info : Registry()) {
    if (readme.find("(agents/" + info.name + "/") != std::string::npos) offered.push_back(info);
  }
  return offered;
}

}  // namespace outrigger::cli
