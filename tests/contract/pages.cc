#include "pages.h"

#include <set>

#include "fmt/format.h"

namespace outrigger::contract {
namespace {

// Enough rows to see their cells, and few enough that a page of the agent reaches the bound.
constexpr size_t kBounds[] = {10'000, 0, 1};

std::string FaultOfHelp(const PageSpec& spec) {
  for (const PageColumn& column : spec.columns) {
    if (column.help.empty()) {
      return fmt::format("page /{}: column {} has no help", spec.name, column.name);
    }
  }
  return "";
}

std::string FaultOfFilling(const PageSource& source, const PageSpec& spec, size_t max_rows) {
  PageTable table(spec.columns, max_rows);
  const absl::Status filled = source.FillPage(spec.name, &table);
  if (absl::IsUnavailable(filled) && !filled.message().empty()) return "";
  if (!filled.ok()) return fmt::format("page /{}: {}", spec.name, filled.ToString());
  if (!table.fault().empty()) return fmt::format("page /{}: {}", spec.name, table.fault());
  return "";
}

}  // namespace

std::string FaultOfPages(const Agent& agent) {
  const auto* source = dynamic_cast<const PageSource*>(&agent);
  if (source == nullptr) return "";
  const std::vector<PageSpec> pages = source->Pages();
  if (pages.empty()) return "a PageSource without pages";
  std::set<std::string> names;
  for (const PageSpec& spec : pages) {
    std::string fault = FaultOf(spec);
    if (fault.empty()) fault = FaultOfHelp(spec);
    if (!fault.empty()) return fault;
    if (!names.insert(spec.name).second) return fmt::format("page /{} is there twice", spec.name);
    for (const size_t max_rows : kBounds) {
      std::string wrong = FaultOfFilling(*source, spec, max_rows);
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

}  // namespace outrigger::contract
