#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "console/format/text_table.h"
#include "outrigger/agent/page.h"

// Pages of agents (docs/pages.md) in the forms of `outrigger explain -o`.

namespace outrigger::cli {

/// How the table of a page looks.
struct PageForm {
  int64_t now = 0;     ///< seconds since 1970: what ages (in a column `since`) are counted to
  bool color = false;  ///< escape sequences
  size_t columns = 0;  ///< where rows are cut; 0: nowhere
  /// The style of a text in the column of that name. Null: plain.
  Style (*style_of)(std::string_view column, std::string_view text) = nullptr;
};

/// Returns "90s", "12m", "5h" or "3d", as kubectl's column AGE; less than nothing is nothing.
std::string AgeText(int64_t seconds);

/// Returns the age of `since` (RFC 3339); `since` itself where it is no time.
std::string SinceText(const std::string& since, int64_t now);

/// Titles, and a line for each row, with "-" for what is absent.
std::string PageText(const PageTable& page, const PageForm& form);

/// `rows`, `total` and `truncated`, as the page of the agent has them. YAML has the same keys.
std::string PageJson(const PageTable& page);
std::string PageYaml(const PageTable& page);

struct NamedPage {
  std::string name;
  PageTable table;
};
/// One object, with the list of rows of each page by its name. YAML has the same keys.
std::string PagesJson(const std::vector<NamedPage>& pages);
std::string PagesYaml(const std::vector<NamedPage>& pages);

}  // namespace outrigger::cli
