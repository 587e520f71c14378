#include "replay.h"

#include <cmath>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "goals.h"
#include "report.h"

namespace outrigger::load_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Scale kSmall{.nodes = 4, .warm_up = 300, .length = 600};

const Contender& Named(std::string_view name) {
  for (const Contender& contender : Contenders()) {
    if (contender.name == name) return contender;
  }
  std::abort();
}

FamilyRows RowsOf(Family family, uint64_t seed) {
  FamilyRows rows{std::string(NameOf(family)), {}};
  for (const Contender& contender : Contenders()) {
    rows.rows.push_back(RowOf(Replay(MakeTrace(family, seed, kSmall), contender.make)));
  }
  return rows;
}

TEST(Replay, IsTheSameForTheSameSeed) {
  const auto once = TableOf({RowsOf(Family::kMissedScrapes, 1)}, "");
  EXPECT_EQ(once, TableOf({RowsOf(Family::kMissedScrapes, 1)}, ""));
  EXPECT_NE(once, TableOf({RowsOf(Family::kMissedScrapes, 2)}, ""));
}

TEST(Replay, AllFiguresAreFinite) {
  for (const Family family : kFamilies) EXPECT_THAT(NotFinite({RowsOf(family, 3)}), IsEmpty());
}

TEST(Replay, TheTruthIsNeverWrongAndRefusesNothingInVain) {
  const Measures measures = Replay(MakeTrace(Family::kSteps, 4, kSmall), Named("the truth").make);
  EXPECT_LT(Quantile(measures.cpu_errors, 1), 1e-9);
  EXPECT_EQ(measures.in_vain, 0U);
}

TEST(Replay, PodsThatArriveArePlacedOrRefused) {
  const Trace trace = MakeTrace(Family::kBursts, 5, kSmall);
  const Measures measures = Replay(trace, Named("requests alone").make);
  size_t arriving = 0;
  for (const PodTrace& pod : trace.pods) arriving += pod.node < 0 ? 1 : 0;
  EXPECT_EQ(measures.pods, arriving);
  EXPECT_LE(measures.placed, measures.pods);
  EXPECT_GT(measures.placed, 0U);
  EXPECT_EQ(measures.refusals, 0U);
}

// What safe says of its figures is read from its reasons: they must be there.
TEST(Replay, SafeSeesLoads) {
  const Measures measures = Replay(MakeTrace(Family::kNoise, 6, kSmall), Named("safe").make);
  EXPECT_GT(Quantile(measures.cpu_errors, 1), 0);
  EXPECT_LT(Quantile(measures.memory_errors, 0.5), 100);
}

TEST(Quantiles, AreOfTheValues) {
  EXPECT_EQ(Quantile({}, 0.5), 0);
  EXPECT_EQ(Quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(Quantile({4, 3, 1, 2}, 0.5), 2);
  EXPECT_EQ(Quantile({3, 1, 2}, 0.95), 3);
}

/// Rows in which every scheduler does the same.
FamilyRows Alike() {
  const Row row{.error_median = 5,
                .error_p95 = 10,
                .overloaded = 10,
                .pods = 100,
                .placed = 100,
                .used_nodes = 12};
  return {"steps", std::vector<Row>(Contenders().size(), row)};
}
Row& RowIn(FamilyRows* rows, std::string_view name) {
  return rows->rows[static_cast<size_t>(&Named(name) - Contenders().data())];
}

TEST(Goals, HalfOfTheBestPeersOverloads) {
  FamilyRows rows = Alike();
  EXPECT_THAT(MissedGoals(rows), IsEmpty()) << "the truth cannot do better";
  RowIn(&rows, "the truth").overloaded = 0;
  EXPECT_THAT(MissedGoals(rows), ElementsAre(HasSubstr("10.0 overloaded minutes, more than half")));
  RowIn(&rows, "safe").overloaded = 5;
  EXPECT_THAT(MissedGoals(rows), IsEmpty());
  RowIn(&rows, "Koordinator LoadAware").overloaded = 9;
  EXPECT_THAT(MissedGoals(rows), ElementsAre(HasSubstr("Koordinator")));
  // It refuses pods: no wonder.
  RowIn(&rows, "Koordinator LoadAware").placed = 90;
  EXPECT_THAT(MissedGoals(rows), IsEmpty());
}

TEST(Goals, ErrorsAndPodsThatAreNotPlaced) {
  FamilyRows rows = Alike();
  RowIn(&rows, "safe") = {
      .error_median = 5.1, .error_p95 = 10.1, .pods = 100, .placed = 90, .used_nodes = 12};
  EXPECT_THAT(MissedGoals(rows), ElementsAre(HasSubstr("safe places 90"),
                                             HasSubstr("in the median"), HasSubstr("at p95")));
}

TEST(Report, NamesWhatIsNotFinite) {
  FamilyRows rows = Alike();
  RowIn(&rows, "pigeon").imbalance = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(NotFinite({rows}), ElementsAre("steps, pigeon: imbalance is not finite"));
  EXPECT_THAT(TableOf({Alike()}, "x"),
              HasSubstr("| steps | safe | 5.0 | 10.0 | +0.0 | 10.0 | 0 | 0 | 100 of"));
}

}  // namespace
}  // namespace outrigger::load_bench
