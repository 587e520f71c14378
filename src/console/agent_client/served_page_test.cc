// A page on its whole way: an agent, the engine, the service, the client.
#include <atomic>

#include "console/agent_client/fetch_page.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/server/service.h"

namespace outrigger::agent_client {
namespace {

using ::testing::HasSubstr;

/// Shows its pods.
class Waits final : public Agent, public Scorer, public PageSource {
 public:
  absl::Status Score(const Request&, std::span<NodeScore>) const override {
    return absl::OkStatus();
  }
  std::vector<PageSpec> Pages() const override {
    return {{.name = "queue",
             .help = "pods that wait",
             .columns = {{"pod", PageColumn::Type::kText},
                         {"place", PageColumn::Type::kInteger},
                         {"share", PageColumn::Type::kNumber},
                         {"gated", PageColumn::Type::kBoolean}}}};
  }
  absl::Status FillPage(std::string_view, PageTable* table) const override {
    if (!ready) return absl::UnavailableError("no plan yet");
    table->Add({"default/a", 1, 0.5, true});
    table->Add({"default/b", {}, {}, {}});
    table->Count(3);
    return absl::OkStatus();
  }
  static inline std::atomic<bool> ready = true;
};

class ServedPage : public ::testing::Test {
 protected:
  ServedPage()
      : info_{.name = "waits",
              .summary = "a test agent",
              .port = 1,
              .factory = internal::MakeAgentFactory<Waits, NoSettings>()} {
    Waits::ready = true;
    auto engine = engine::Engine::Create(
        {{.info = &info_, .settings = info_.factory.settings.Defaults()}}, metrics_.get(), nullptr);
    EXPECT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
    auto service = server::Service::Start({}, *engine_, *metrics_);
    EXPECT_TRUE(service.ok()) << service.status();
    service_ = *std::move(service);
  }
  static std::string At(uint16_t port) { return fmt::format("http://127.0.0.1:{}", port); }

  const AgentInfo info_;
  const std::unique_ptr<server::Metrics> metrics_ = server::Metrics::Create();
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<server::Service> service_;
};

TEST_F(ServedPage, ArrivesAsTheAgentFilledIt) {
  const auto page = FetchPage(At(service_->admin_port()), "queue");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->agent, "waits");
  EXPECT_EQ(page->name, "queue");
  EXPECT_EQ(page->table.columns(), engine_->pages()[0].spec.columns);
  EXPECT_EQ(page->table.rows(), (std::vector<std::vector<PageCell>>{{"default/a", 1, 0.5, true},
                                                                    {"default/b", {}, {}, {}}}));
  EXPECT_EQ(page->table.total(), 5U);
  EXPECT_TRUE(page->table.truncated());
}

TEST_F(ServedPage, IsUnavailableUntilTheAgentIsReady) {
  Waits::ready = false;
  const auto page = FetchPage(At(service_->admin_port()), "queue");
  EXPECT_EQ(page.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(page.status().message()),
              HasSubstr("503: agent waits: page /queue: no plan yet"));
}

TEST_F(ServedPage, ThatIsUnknownIsNotFoundWithThePagesThatThereAre) {
  const auto page = FetchPage(At(service_->admin_port()), "shares");
  EXPECT_EQ(page.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(page.status().message()), HasSubstr("/queue (of agent waits: pods"));
}

TEST_F(ServedPage, IsNotOnThePortOfTheScheduler) {
  const auto page = FetchPage(At(service_->port()), "queue");
  EXPECT_EQ(page.status().code(), absl::StatusCode::kNotFound) << page.status();
}

}  // namespace
}  // namespace outrigger::agent_client
