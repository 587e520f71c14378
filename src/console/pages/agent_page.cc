#include "console/pages/agent_page.h"

#include <vector>

#include "console/agent_client/fetch_page.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// Names the flag, and what to do if the process does not serve the page.
absl::Status OfAgent(const absl::Status& status, std::string_view without) {
  const std::string text(status.message());
  if (absl::IsInvalidArgument(status)) return absl::InvalidArgumentError("--agent: " + text);
  if (!absl::IsNotFound(status)) return status;
  return absl::NotFoundError(fmt::format("{}. {}", text, without));
}

// Keeps the first rows.
PageTable Cut(const PageTable& all, size_t limit) {
  PageTable table(all.columns(), limit);
  for (const std::vector<PageCell>& row : all.rows()) table.Add(row);
  table.Count(all.total() - all.rows().size());
  return table;
}

}  // namespace

absl::StatusOr<PageTable> AskForPage(const AgentPage& page, size_t limit) {
  const auto answer = agent_client::FetchPage(page.url, page.name);
  if (!answer.ok()) return OfAgent(answer.status(), page.without);
  return Cut(answer->table, limit);
}

}  // namespace outrigger::cli
