#include "cli/look/readings.h"

#include <utility>

#include "console/agent_client/fetch_page.h"

namespace outrigger::cli::look {
namespace {

// For a person who waits.
constexpr agent_client::FetchLimits kLimits{.connect = std::chrono::milliseconds{2'000},
                                            .read = std::chrono::milliseconds{4'000},
                                            .total = std::chrono::milliseconds{8'000}};

void ReadPage(const std::string& name, const Clock& clock, const std::stop_token& stop,
              Readings* readings, PageReading* page) {
  auto answer = agent_client::FetchPage(readings->url, name, kLimits, stop);
  page->status = answer.status();
  if (!answer.ok()) {
    if (page->IsMissing()) page->table.reset();
    return;
  }
  page->table = std::move(answer->table);
  page->read_at = clock.wall();
  if (readings->who.empty()) readings->who = answer->agent;
}

}  // namespace

void ReadAgain(const Clock& clock, const std::stop_token& stop, Readings* readings) {
  auto failed = agent_client::FetchFailedChecks(readings->url, kLimits, stop);
  readings->answers = failed.status();
  if (!failed.ok()) return;
  readings->answered_at = clock.wall();
  readings->not_ready = *std::move(failed);
  for (const Readings::Named& named : readings->Pages()) {
    ReadPage(named.name, clock, stop, readings, named.page);
  }
}

}  // namespace outrigger::cli::look
