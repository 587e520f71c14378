// The pages of the desk, as the agent offers them.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "by_hand_testing.h"
#include "outrigger/agent/page.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PagesTest : public ByHandTest {
 protected:
  const PageSource& source() { return dynamic_cast<const PageSource&>(*made_); }
  std::vector<std::string> Offered() {
    std::vector<std::string> names;
    for (const PageSpec& page : source().Pages()) names.push_back(page.name);
    return names;
  }
  /// The text in that column of the first row of the queue.
  std::string FirstOfTheQueue(std::string_view column) {
    const PageSpec page = source().Pages()[0];
    PageTable table(page.columns, 100);
    EXPECT_TRUE(source().FillPage(page.name, &table).ok());
    EXPECT_EQ(table.fault(), "");
    const auto at = std::find_if(page.columns.begin(), page.columns.end(),
                                 [&](const PageColumn& other) { return other.name == column; });
    return std::get<std::string>(
        table.rows().at(0).at(static_cast<size_t>(at - page.columns.begin())));
  }
};

TEST_F(PagesTest, AreOfferedByTheAgentAlone) {
  StartByHand();
  EXPECT_THAT(Offered(), ElementsAre("queue", "gangs", "members", "nodes"));
}

TEST_F(PagesTest, AreOfferedByQosWhereItIsInTheProcess) {
  StartByHand();
  desk::DeskTerms terms;
  terms.agent = "qos";
  ASSERT_TRUE(desk_->Join(terms).ok());
  EXPECT_THAT(Offered(), IsEmpty());
}

TEST_F(PagesTest, AreNotReadyBeforeTheFirstPlan) {
  StartByHand();
  PageTable table(source().Pages()[0].columns, 100);
  EXPECT_TRUE(absl::IsUnavailable(source().FillPage("queue", &table)));
}

TEST_F(PagesTest, SayWithFiguresWhyAGangWaitsOnceThatIsWorkedOut) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartByHand();
  PlanAfter(seconds(0));
  EXPECT_EQ(FirstOfTheQueue("unit"), "default/train");
  EXPECT_EQ(FirstOfTheQueue("why"), "too little cpu is left for 2 members at once");
  Await([&] {  // it is worked out on a thread
    PlanAfter(seconds(3));
    return FirstOfTheQueue("why") != std::string("too little cpu is left for 2 members at once");
  });
  EXPECT_THAT(FirstOfTheQueue("why"), HasSubstr("2 members need cpu 3 each, 1 fits"));
}

}  // namespace
}  // namespace outrigger::gang
