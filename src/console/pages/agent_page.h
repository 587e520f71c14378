#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "outrigger/agent/page.h"

namespace outrigger::cli {

/// A page of a running agent.
struct AgentPage {
  std::string url;   ///< of --agent
  std::string name;  ///< "queue"
  /// What to do if it is not served there: "the agent qos is not served there".
  std::string_view without;
};

/// Asks the agent for its page, and keeps the first `limit` rows. Errors are those of
/// agent_client::FetchPage(); InvalidArgument names the flag.
absl::StatusOr<PageTable> AskForPage(const AgentPage& page, size_t limit);

}  // namespace outrigger::cli
