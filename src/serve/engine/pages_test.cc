#include "fake_agents_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::engine {
namespace {

using ::testing::HasSubstr;

std::vector<PageColumn> OneColumn() {
  return {{"pod", PageColumn::Type::kText}};
}

/// Shows a page of the test's choice.
class Shows final : public Agent, public Binder, public PageSource {
 public:
  absl::Status Bind(const BindRequest&) override { return absl::OkStatus(); }
  std::vector<PageSpec> Pages() const override { return offered; }
  absl::Status FillPage(std::string_view page, PageTable* table) const override {
    return fill(page, table);
  }
  static inline std::vector<PageSpec> offered;
  static inline absl::Status (*fill)(std::string_view page, PageTable* table);
};

/// Offers /queue as well.
class ShowsQueue final : public Agent, public Scorer, public PageSource {
 public:
  absl::Status Score(const Request&, std::span<NodeScore>) const override {
    return absl::OkStatus();
  }
  std::vector<PageSpec> Pages() const override {
    return {{.name = "queue", .help = "pods", .columns = OneColumn()}};
  }
  absl::Status FillPage(std::string_view, PageTable*) const override { return absl::OkStatus(); }
};

class EnginePages : public ::testing::Test {
 protected:
  EnginePages() {
    Shows::offered = {{.name = "queue", .help = "pods that wait", .columns = OneColumn()},
                      {.name = "shares", .help = "shares of queues", .columns = OneColumn()}};
    Shows::fill = [](std::string_view page, PageTable* table) {
      for (int i = 0; i < 3; ++i) table->Add({std::string(page)});
      return absl::OkStatus();
    };
  }
  TestEngine engine_;
};

TEST_F(EnginePages, AreThoseOfAllAgentsWithTheirNames) {
  engine_.Add(InfoOf<OnlyNamed>("other")).Add(InfoOf<Shows>("qos"));
  ASSERT_TRUE(engine_.Make().ok());
  ASSERT_EQ((*engine_).pages().size(), 2U);
  EXPECT_EQ((*engine_).pages()[1].agent, "qos");
  EXPECT_EQ((*engine_).pages()[1].spec, Shows::offered[1]);
}

TEST_F(EnginePages, AreFilledByNameUpToTheBound) {
  engine_.Add(InfoOf<Shows>("qos"));
  ASSERT_TRUE(engine_.Make().ok());
  const auto table = (*engine_).ReadPage(1, 2);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->columns(), OneColumn());
  EXPECT_EQ(table->rows(), (std::vector<std::vector<PageCell>>{{"shares"}, {"shares"}}));
  EXPECT_EQ(table->total(), 3U);
}

TEST_F(EnginePages, FailWithTheErrorOfTheAgentAndItsName) {
  Shows::fill = [](std::string_view, PageTable*) { return absl::UnavailableError("no plan yet"); };
  engine_.Add(InfoOf<Shows>("qos"));
  ASSERT_TRUE(engine_.Make().ok());
  EXPECT_EQ((*engine_).ReadPage(0, 2).status(),
            absl::UnavailableError("agent qos: page /queue: no plan yet"));
}

TEST_F(EnginePages, WithAWrongRowAreAFaultOfTheAgent) {
  Shows::fill = [](std::string_view, PageTable* table) {
    table->Add({"a", "b"});
    return absl::OkStatus();
  };
  engine_.Add(InfoOf<Shows>("qos"));
  ASSERT_TRUE(engine_.Make().ok());
  EXPECT_EQ((*engine_).ReadPage(0, 2).status(),
            absl::InternalError("agent qos: page /queue: row 0: 2 cells for 1 columns"));
}

TEST_F(EnginePages, OfOneNameByTwoAgentsAreRefused) {
  engine_.Add(InfoOf<Shows>("qos")).Add(InfoOf<ShowsQueue>("gang"));
  const absl::Status made = engine_.Make();
  EXPECT_EQ(made.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(made.message(),
            "agents qos and gang both offer the page /queue: serve them as two processes");
}

TEST_F(EnginePages, ThatCannotBeAreRefused) {
  Shows::offered[1].name = "metrics";
  engine_.Add(InfoOf<Shows>("qos"));
  const absl::Status made = engine_.Make();
  EXPECT_EQ(made.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(made.message()), HasSubstr("agent qos: page /metrics: the admin port"));
}

}  // namespace
}  // namespace outrigger::engine
