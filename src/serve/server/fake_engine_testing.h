#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/engine/engine.h"

namespace outrigger::server {

/// An engine whose calls are a function of the test. It runs no agents, decodes nothing and reports
/// to no observer.
class FakeEngine final : public engine::Engine {
 public:
  using Answer =
      std::function<void(const engine::Endpoint&, std::string_view body, engine::Reply*)>;

  /// By default answers "<path> got <body>".
  explicit FakeEngine(Answer answer = Describe) : answer_(std::move(answer)) {}

  static void Describe(const engine::Endpoint& endpoint, std::string_view body,
                       engine::Reply* reply) {
    reply->body.append(endpoint.path).append(" got ").append(body);
  }

  const std::vector<engine::Endpoint>& endpoints() const override { return endpoints_; }
  const Needs& needs() const override { return needs_; }
  const std::vector<engine::OfferedPage>& pages() const override { return pages_; }
  absl::StatusOr<PageTable> ReadPage(size_t page, size_t max_rows) const override {
    PageTable table(pages_.at(page).spec.columns, max_rows);
    const absl::Status filled = fill_page(&table);
    if (!filled.ok()) return filled;
    return table;
  }
  absl::Status Start() override { return absl::OkStatus(); }
  void Stop() override {}
  absl::Status Live() const override { return live; }
  std::vector<engine::AgentReadiness> Readiness() const override { return readiness; }
  void Call(size_t endpoint, wire::Body body, std::stop_token,
            engine::Reply* reply) const override {
    ++calls_;
    answer_(endpoints_.at(endpoint), {body.data, body.size}, reply);
  }

  void Trim() const override { ++trims_; }

  absl::Status live;
  std::vector<engine::AgentReadiness> readiness;  // of no agent, by default
  /// Fills /queue, the one page, which agent qos offers; by default with one row.
  std::function<absl::Status(PageTable* table)> fill_page = [](PageTable* table) {
    table->Add({"default/a"});
    return absl::OkStatus();
  };

  int calls() const { return calls_; }
  int trims() const { return trims_; }

 private:
  const std::vector<engine::Endpoint> endpoints_{
      {.path = "/safe/filter", .agent = "safe", .verb = engine::Verb::kFilter},
      {.path = "/safe/prioritize", .agent = "safe", .verb = engine::Verb::kPrioritize},
      {.path = "/gang/bind", .agent = "gang", .verb = engine::Verb::kBind},
      {.path = "/filter", .agent = "all", .verb = engine::Verb::kFilter}};
  const std::vector<engine::OfferedPage> pages_{
      {.agent = "qos",
       .spec = {.name = "queue",
                .help = "pods that wait",
                .columns = {{"pod", PageColumn::Type::kText}}}}};
  const Needs needs_;
  const Answer answer_;
  mutable std::atomic<int> calls_{0};
  mutable std::atomic<int> trims_{0};
};

}  // namespace outrigger::server
