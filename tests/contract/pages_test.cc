// The pages of every agent; and of agents of the test, since an agent need not offer any.
#include "pages.h"

#include <algorithm>

#include "acting.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "outrigger/agent/registry.h"

namespace outrigger::contract {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Agent> MakeOn(testing::FakeCluster* cluster, const AgentInfo& info,
                              SharedParts* shared = nullptr) {
  AgentDeps deps;
  deps.name = info.name;
  deps.cluster = cluster;
  deps.shared = shared;
  auto agent = info.factory.make(deps, info.factory.settings.Defaults());
  EXPECT_TRUE(agent.ok()) << info.name << ": " << agent.status();
  return agent.ok() ? *std::move(agent) : nullptr;
}

TEST(AgentPages, AreFaultlessOnAnEmptyClusterBeforeAndWhileTheAgentActs) {
  for (const AgentInfo& info : Registry()) {
    testing::FakeCluster cluster;
    const auto agent = MakeOn(&cluster, info);
    ASSERT_NE(agent, nullptr);
    EXPECT_EQ(FaultOfPages(*agent), "") << info.name << " before its start";
    PutInCharge(&cluster);
    StartAndAwait(agent.get());
    EXPECT_EQ(FaultOfPages(*agent), "") << info.name;
    Stop(agent.get());
    EXPECT_EQ(FaultOfPages(*agent), "") << info.name << " after its end";
  }
}

TEST(AgentPages, HaveNamesThatNoOtherAgentOfTheProcessUses) {
  testing::FakeCluster cluster;
  SharedParts shared;
  std::vector<std::unique_ptr<Agent>> agents;
  for (const AgentInfo& info : Registry()) agents.push_back(MakeOn(&cluster, info, &shared));
  std::set<std::string> names;
  for (const auto& agent : agents) {
    const auto* source = dynamic_cast<const PageSource*>(agent.get());
    if (source == nullptr) continue;
    for (const PageSpec& page : source->Pages()) {
      EXPECT_TRUE(names.insert(page.name).second) << "/" << page.name;
    }
  }
  // An agent that plans shows its queue; there may be none in this program.
  const bool plans = std::ranges::any_of(
      Registry(), [](const AgentInfo& info) { return info.name == "gang" || info.name == "qos"; });
  EXPECT_EQ(names.contains("queue"), plans);
}

/// Offers pages of the test.
class Shows final : public Agent, public PageSource {
 public:
  using Fill = absl::Status (*)(PageTable* table);
  Shows(std::vector<PageSpec> pages, Fill fill) : pages_(std::move(pages)), fill_(fill) {}
  std::vector<PageSpec> Pages() const override { return pages_; }
  absl::Status FillPage(std::string_view, PageTable* table) const override { return fill_(table); }

 private:
  const std::vector<PageSpec> pages_;
  const Fill fill_;
};

PageSpec Queue() {
  return {
      .name = "queue", .help = "pods", .columns = {{"pod", PageColumn::Type::kText, "its name"}}};
}

absl::Status OneRow(PageTable* table) {
  table->Add({"default/a"});
  return absl::OkStatus();
}

TEST(FaultOfPages, IsEmptyForPagesThatAreAsTheyShouldBe) {
  EXPECT_EQ(FaultOfPages(Shows({Queue()}, &OneRow)), "");
  EXPECT_EQ(FaultOfPages(Shows({Queue()}, [](PageTable*) { return absl::OkStatus(); })), "");
  EXPECT_EQ(FaultOfPages(
                Shows({Queue()}, [](PageTable*) { return absl::UnavailableError("no plan yet"); })),
            "");
}

TEST(FaultOfPages, NamesWhatIsWrong) {
  PageSpec twice = Queue();
  twice.columns.push_back(twice.columns[0]);
  PageSpec without_help = Queue();
  without_help.columns[0].help = "";
  const Shows::Fill fails = [](PageTable*) { return absl::InternalError("a fault"); };
  const Shows::Fill silent = [](PageTable*) { return absl::UnavailableError(""); };
  const Shows::Fill wrong_row = [](PageTable* table) {
    table->Add({"a", 1});
    return absl::OkStatus();
  };
  EXPECT_THAT(FaultOfPages(Shows({}, &OneRow)), HasSubstr("without pages"));
  EXPECT_THAT(FaultOfPages(Shows({twice}, &OneRow)), HasSubstr("two columns pod"));
  EXPECT_THAT(FaultOfPages(Shows({without_help}, &OneRow)), HasSubstr("column pod has no help"));
  EXPECT_THAT(FaultOfPages(Shows({Queue(), Queue()}, &OneRow)), HasSubstr("is there twice"));
  EXPECT_THAT(FaultOfPages(Shows({Queue()}, fails)), HasSubstr("a fault"));
  EXPECT_THAT(FaultOfPages(Shows({Queue()}, silent)), HasSubstr("UNAVAILABLE"));
  EXPECT_THAT(FaultOfPages(Shows({Queue()}, wrong_row)), HasSubstr("2 cells for 1 columns"));
}

}  // namespace
}  // namespace outrigger::contract
