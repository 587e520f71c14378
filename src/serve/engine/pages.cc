#include "serve/engine/pages.h"

#include <string>
#include <utility>

#include "fmt/format.h"

namespace outrigger::engine {

absl::Status Pages::Add(const Instance& instance, PageSpec spec) {
  const std::string fault = FaultOf(spec);
  if (!fault.empty()) {
    return absl::InvalidArgumentError(fmt::format("agent {}: {}", instance.name, fault));
  }
  for (const OfferedPage& other : offered_) {
    if (other.spec.name != spec.name) continue;
    return absl::InvalidArgumentError(
        fmt::format("agents {} and {} both offer the page /{}: serve them as two processes",
                    other.agent, instance.name, spec.name));
  }
  offered_.push_back({.agent = instance.name, .spec = std::move(spec)});
  sources_.push_back(instance.page_source);
  return absl::OkStatus();
}

absl::StatusOr<Pages> Pages::Of(const std::vector<Instance>& instances) {
  Pages pages;
  for (const Instance& instance : instances) {
    if (instance.page_source == nullptr) continue;
    for (PageSpec& spec : instance.page_source->Pages()) {
      const absl::Status added = pages.Add(instance, std::move(spec));
      if (!added.ok()) return added;
    }
  }
  return pages;
}

absl::StatusOr<PageTable> Pages::Read(size_t page, size_t max_rows) const {
  const OfferedPage& offered = offered_.at(page);
  PageTable table(offered.spec.columns, max_rows);
  const absl::Status filled = sources_[page]->FillPage(offered.spec.name, &table);
  if (!filled.ok()) {
    return absl::Status(filled.code(),
                        fmt::format("agent {}: page /{}: {}", offered.agent, offered.spec.name,
                                    std::string(filled.message())));
  }
  if (!table.fault().empty()) {
    return absl::InternalError(
        fmt::format("agent {}: page /{}: {}", offered.agent, offered.spec.name, table.fault()));
  }
  return table;
}

}  // namespace outrigger::engine
