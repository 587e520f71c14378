#include "penalty/classes/journal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "penalty/classes/ledger/ledger_testing.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// All maps of a ledger: no intent, and not what new pods are given.
std::vector<ConfigMap> Written(const Ledger& ledger) {
  std::vector<ConfigMap> maps;
  for (const std::string& name : JournalMapNames()) {
    const JournalMap which = *JournalMapOf(name);
    if (which.kind == JournalMapKind::kIntent || which.kind == JournalMapKind::kMapping) continue;
    const auto map = WriteJournalMap(ledger, which);
    if (!map.ok()) ADD_FAILURE() << map.status();
    if (map.ok()) maps.push_back(*map);
  }
  return maps;
}

ConfigMap* MapNamed(std::vector<ConfigMap>* maps, std::string_view name) {
  return &*std::find_if(maps->begin(), maps->end(),
                        [name](const ConfigMap& map) { return map.name == name; });
}

std::vector<std::string> Texts(const JournalRead& read) {
  std::vector<std::string> texts;
  for (const JournalFinding& finding : read.findings) texts.push_back(FindingText(finding));
  return texts;
}

Ledger GoldAndSilver() {
  Ledger ledger(kNow - 100);
  ClassAccount gold = NewAccount("gold", 1000);
  gold.written = 940;
  gold.account = {.penalty = 59.999999999999993,
                  .changed = kNow - 5'000,
                  .starts = 12,
                  .completions = 3,
                  .unwritten_since = kNow - 500};
  gold.replaced = kNow - 4'000;
  gold.gap_us = 4'100;
  gold.changes.push_back({kNow - 4'000, 1000, 940, 4'100, "start default/job-1"});
  EXPECT_TRUE(ledger.Add(gold).ok());
  EXPECT_TRUE(ledger.Add(NewAccount("silver", 500)).ok());
  EXPECT_TRUE(ledger.RestorePending(UidOf(7), {{Stage::kCompleted, 2, {20, kNow}}, 0}));
  ledger.RestoreSums({{"research", {.penalty = 59.5, .changed = kNow, .starts = 1}}},
                     {{"default", {.penalty = 59.5, .changed = kNow, .starts = 1}}});
  return ledger;
}

TEST(JournalTest, IsReadableForPeople) {
  std::vector<ConfigMap> maps = Written(GoldAndSilver());
  const ConfigMap& classes = *MapNamed(&maps, "outrigger-penalty-classes-0");
  EXPECT_THAT(classes.data.at("gold"),
              StartsWith("base=1000\nvalue=940\npenalty=59.99999999999999\n"
                         "changed=2025-11-24T15:59:55.000Z\nstarts=12\ncompletions=3\n"
                         "unwritten=2025-11-24T15:59:59.500Z\nsince=2025-11-24T16:00:00.000Z\n"
                         "replaced=2025-11-24T15:59:56.000Z\ngap-us=4100\nslot=0\ncheck="));
  EXPECT_THAT(classes.data.at("_meta"), StartsWith("version=1\nsince=2025-11-24T15:59:59.900Z\n"));
  EXPECT_THAT(classes.data.at("_pending"),
              StartsWith(UidOf(7) + " 2 completed 20 2025-11-24T16:00:00.000Z\ncheck="));
  EXPECT_THAT(MapNamed(&maps, "outrigger-penalty-changes-0")->data.at("gold"),
              StartsWith("2025-11-24T15:59:56.000Z 1000 940 4100 start default/job-1\ncheck="));
  EXPECT_THAT(MapNamed(&maps, "outrigger-penalty-sums")->data.at("queues"),
              StartsWith("research 59.5 2025-11-24T16:00:00.000Z 1 0\ncheck="));
  EXPECT_EQ(classes.labels.Get("app.kubernetes.io/managed-by"), "outrigger");
}

TEST(JournalTest, AnyLedgerIsReadAsItWasWritten) {
  EXPECT_TRUE(rc::check("round trip", [] {
    const Ledger ledger = AnyLedger();
    std::vector<ConfigMap> maps = Written(ledger);
    if (*rc::gen::arbitrary<bool>()) std::reverse(maps.begin(), maps.end());
    const JournalRead read = ReadJournal(maps, kNow);
    for (const std::string& text : Texts(read)) RC_LOG() << text << "\n";
    RC_ASSERT(read.findings.empty());
    RC_ASSERT(read.damaged.empty());
    RC_ASSERT(read.ledger == ledger);
    RC_ASSERT(read.ledger.Unwritten(Ledger::Urgency::kNow).empty());
    RC_ASSERT(read.ledger.Unwritten(Ledger::Urgency::kLater).empty());
  }));
}

TEST(JournalTest, WithoutMapsALedgerBegins) {
  const JournalRead read = ReadJournal({}, kNow);
  EXPECT_EQ(read.ledger, Ledger(kNow));
  EXPECT_THAT(read.findings, IsEmpty());
}

TEST(JournalTest, AnEditedAccountIsReportedAndNotObeyed) {
  std::vector<ConfigMap> maps = Written(GoldAndSilver());
  std::string& text = MapNamed(&maps, "outrigger-penalty-classes-0")->data.at("gold");
  text.replace(text.find("penalty=59"), 10, "penalty=00");
  const JournalRead read = ReadJournal(maps, kNow);
  EXPECT_THAT(read.damaged, ElementsAre("gold"));
  EXPECT_EQ(read.ledger.Find("gold"), nullptr);
  EXPECT_NE(read.ledger.Find("silver"), nullptr);
  EXPECT_THAT(Texts(read), ElementsAre("ConfigMap outrigger-penalty-classes-0, key gold: was "
                                       "edited: its checksum does not match"));
  EXPECT_THAT(read.ledger.Unwritten(Ledger::Urgency::kLater),
              ElementsAre(JournalMap{JournalMapKind::kClasses, 0}));
}

struct Edit {
  std::string from;
  std::string to;
  std::string finding;
};

TEST(JournalTest, FindingsNameMapKeyAndLine) {
  for (const Edit& edit :
       {Edit{"base=1000", "base=1000000001",
             "line 1: base: \"1000000001\" is not accepted; expected an integer from -2147483648 "
             "to 1000000000"},
        Edit{"value=940", "value=1001",
             "line 2: value: \"1001\" is not accepted; expected an integer from -2147483648 to "
             "1000"},
        Edit{"penalty=", "penalty=-", "line 3: penalty: \"-59.99999999999999\" is not accepted"},
        Edit{"penalty=59.99999999999999", "penalty=nan", "line 3: penalty: \"nan\""},
        Edit{"changed=2025-11-24", "changed=2025-13-24", "line 4: changed:"},
        Edit{"starts=12", "starts=-1", "line 5: starts: \"-1\""},
        Edit{"completions=3\n", "", "key gold: completions is missing"},
        Edit{"slot=0", "slot=64", "line 11: slot: \"64\""},
        Edit{"slot=0", "slot=0\ncolour=red", "line 12: \"colour\" is not known"},
        Edit{"base=1000", "base=1000\nbase=2000", "line 2: \"base\" is there twice"}}) {
    std::vector<ConfigMap> maps = Written(GoldAndSilver());
    std::string& text = MapNamed(&maps, "outrigger-penalty-classes-0")->data.at("gold");
    const size_t at = text.find(edit.from);
    ASSERT_NE(at, std::string::npos) << edit.from;
    text.replace(at, edit.from.size(), edit.to);
    const JournalRead read = ReadJournal(maps, kNow);
    EXPECT_THAT(Texts(read), Contains(HasSubstr(edit.finding)));
    EXPECT_THAT(read.damaged, ElementsAre("gold"));
  }
}

TEST(JournalTest, AnAccountCopiedToAnotherClassIsNotObeyed) {
  std::vector<ConfigMap> maps = Written(GoldAndSilver());
  ConfigMap* classes = MapNamed(&maps, "outrigger-penalty-classes-0");
  classes->data["silver"] = classes->data.at("gold");
  EXPECT_THAT(ReadJournal(maps, kNow).damaged, ElementsAre("silver"));
}

TEST(JournalTest, AClassInTwoMapsCountsOnce) {
  std::vector<ConfigMap> maps = Written(GoldAndSilver());
  const std::string gold = MapNamed(&maps, "outrigger-penalty-classes-0")->data.at("gold");
  MapNamed(&maps, "outrigger-penalty-classes-3")->data["gold"] = gold;
  const JournalRead read = ReadJournal(maps, kNow);
  EXPECT_EQ(read.ledger, GoldAndSilver());
  EXPECT_THAT(Texts(read),
              ElementsAre(StartsWith(
                  "ConfigMap outrigger-penalty-classes-3, key gold: is in another map")));
}

TEST(JournalTest, TimesThatAreYetToComeAreNow) {
  const std::vector<ConfigMap> maps = Written(GoldAndSilver());
  const Millis earlier = kNow - 3'600'000;
  const JournalRead read = ReadJournal(maps, earlier);
  EXPECT_EQ(read.ledger.since(), earlier);
  EXPECT_EQ(read.ledger.Find("gold")->account.changed, earlier);
  EXPECT_EQ(read.ledger.Find("gold")->account.penalty, 59.999999999999993);
  EXPECT_THAT(
      Texts(read),
      Contains(HasSubstr("changed is 2025-11-24T15:59:55.000Z, in the future: treated as now")));
  EXPECT_THAT(read.damaged, IsEmpty());
  // Clocks of two machines differ a little.
  EXPECT_EQ(ReadJournal(maps, kNow - 6'000).ledger.Find("gold")->account.changed, kNow - 5'000);
}

TEST(JournalTest, AMapThatIsGoneCostsOnlyItself) {
  std::vector<ConfigMap> maps = Written(GoldAndSilver());
  std::erase_if(maps,
                [](const ConfigMap& map) { return map.name == "outrigger-penalty-classes-0"; });
  const JournalRead read = ReadJournal(maps, kNow);
  EXPECT_EQ(read.ledger.since(), kNow - 100);  // of the other maps
  EXPECT_THAT(read.ledger.classes(), IsEmpty());
  EXPECT_EQ(read.ledger.queues(), GoldAndSilver().queues());
}

TEST(JournalTest, CountingSinceIsTheLatestTimeSoThatNothingCountsTwice) {
  std::vector<ConfigMap> maps = Written(GoldAndSilver());
  const auto later = WriteJournalMap(Ledger(kNow - 50), {JournalMapKind::kClasses, 5});
  *MapNamed(&maps, "outrigger-penalty-classes-5") = *later;
  const JournalRead read = ReadJournal(maps, kNow);
  EXPECT_EQ(read.ledger.since(), kNow - 50);
  EXPECT_THAT(Texts(read), Contains("ConfigMap outrigger-penalty-classes-5, key _meta: since is "
                                    "not that of the maps before it"));
}

TEST(JournalTest, AJournalOfALaterProgramIsLeftAlone) {
  std::vector<ConfigMap> maps = Written(GoldAndSilver());
  std::string& meta = MapNamed(&maps, "outrigger-penalty-classes-0")->data.at("_meta");
  meta = "version=2\nsince=whatever\n";
  EXPECT_FALSE(ReadJournal(maps, kNow).is_newer);  // edited
  // FNV-1a of "_meta\nversion=2\nsince=whatever\n".
  uint32_t hash = 2'166'136'261U;
  for (const char c : "_meta\n" + meta) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  }
  meta += fmt::format("check={:08x}\n", hash);
  const JournalRead read = ReadJournal(maps, kNow);
  EXPECT_TRUE(read.is_newer);
  EXPECT_THAT(read.ledger.classes(), IsEmpty());
}

TEST(JournalTest, PendingMarksOfAnEditedKeyStay) {
  std::vector<ConfigMap> maps = Written(GoldAndSilver());
  MapNamed(&maps, "outrigger-penalty-classes-0")->data.at("_pending").insert(0, "nonsense\n");
  const JournalRead read = ReadJournal(maps, kNow);
  EXPECT_EQ(read.ledger.pending(), GoldAndSilver().pending());
  EXPECT_THAT(Texts(read), Contains(HasSubstr("key _pending, line 1: \"nonsense\" is not a UID")));
}

TEST(JournalTest, TheExampleOfThePageIsAnAccount) {
  std::ifstream file(std::string(OUTRIGGER_DOCS) + "/penalty.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  const size_t begin = text.find("```\nbase=");
  ASSERT_NE(begin, std::string::npos);
  const size_t end = text.find("```\n", begin + 4);
  ConfigMap map = *WriteJournalMap(Ledger(kNow), {JournalMapKind::kClasses, 0});
  map.data["gold"] = text.substr(begin + 4, end - begin - 4);
  const JournalRead read = ReadJournal({map}, 2 * kNow);
  EXPECT_THAT(Texts(read), IsEmpty());
  EXPECT_EQ(read.ledger.classes().size(), 1U);
}

// What must hold of whatever is read.
void CheckLimits(const JournalRead& read) {
  for (const auto& [name, account] : read.ledger.classes()) {
    RC_ASSERT(account.base >= kLowestValue && account.base <= kHighestValue);
    RC_ASSERT(account.written >= kLowestValue && account.written <= account.base);
    RC_ASSERT(std::isfinite(account.account.penalty) && account.account.penalty >= 0 &&
              account.account.penalty <= kMostPenalty);
    RC_ASSERT(account.account.changed >= 0 && account.account.changed <= kNow + 60'000);
    RC_ASSERT(account.account.starts >= 0 && account.account.completions >= 0);
    RC_ASSERT(account.changes.size() <= kKeptChanges);
  }
  for (const Sums* sums : {&read.ledger.queues(), &read.ledger.namespaces()}) {
    RC_ASSERT(sums->size() <= kMostSums);
    for (const auto& [name, sum] : *sums)
      RC_ASSERT(sum.penalty >= 0 && sum.penalty <= kMostPenalty);
  }
  RC_ASSERT(read.ledger.since() <= kNow);
}

TEST(JournalTest, AnyEditedByteIsFoundAndNothingLeavesItsLimits) {
  const std::vector<ConfigMap> maps = Written(GoldAndSilver());
  const Ledger whole = GoldAndSilver();
  EXPECT_TRUE(rc::check("found", [&maps, &whole] {
    std::vector<ConfigMap> edited = maps;
    const int edits = *rc::gen::inRange(1, 6);
    for (int i = 0; i < edits; ++i) {
      ConfigMap* map = &edited[*rc::gen::element<size_t>(0, 0, 16, edited.size() - 1)];
      if (map->data.empty()) continue;
      auto entry = map->data.begin();
      std::advance(entry, *rc::gen::inRange<int64_t>(0, static_cast<int64_t>(map->data.size())));
      std::string& text = entry->second;
      if (text.empty()) continue;
      const size_t at = *rc::gen::inRange<size_t>(0, text.size());
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          text[at] = *rc::gen::arbitrary<char>();
          break;
        case 1:
          text.erase(at, *rc::gen::inRange<size_t>(1, 30));
          break;
        case 2:
          text.insert(at, *rc::gen::arbitrary<std::string>());
          break;
        default:
          text.insert(at, text.substr(text.size() / 2));
      }
    }
    const JournalRead read = ReadJournal(edited, kNow);
    CheckLimits(read);
    if (edited == maps) return;
    RC_ASSERT(!read.findings.empty());
    // What was not damaged is as it was.
    for (const auto& [name, account] : read.ledger.classes()) {
      const ClassAccount* was = whole.Find(name);
      RC_ASSERT(was != nullptr);
      RC_ASSERT(account.account == was->account && account.base == was->base);
    }
    // Written again, it is whole.
    const JournalRead again = ReadJournal(Written(read.ledger), kNow);
    RC_ASSERT(again.findings.empty());
    RC_ASSERT(again.ledger == read.ledger);
  }));
}

// 64 busy classes with 100 changes each, and as many groups as a day has.
TEST(JournalTest, AnEdgeWritesAtMostTwentyKilobytesAndEachMapIsBelowItsLimit) {
  Ledger ledger(kNow);
  Policy policy;
  policy.start = {Increment::Kind::kFlat, 50.0 / 3};
  for (int i = 0; i < 64; ++i) {
    ClassAccount account = NewAccount(fmt::format("research-team-{}", i), 100'000 + 2'000 * i);
    for (size_t j = 0; j < kKeptChanges; ++j) {
      account.changes.push_back({kNow, 100'000, 99'950, 4'100,
                                 fmt::format("start namespace-{}/train-large-model-{}", i, j)});
    }
    ASSERT_TRUE(ledger.Add(std::move(account)).ok());
  }
  size_t most_per_edge = 0;
  size_t written = 0;
  size_t writes = 0;
  Millis now = kNow;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = fmt::format("research-team-{}", i % 64);
    const int64_t base = ledger.Find(name)->base;
    const Bounds bounds = {base, base - 1'999, base, 100};
    const std::string uid = UidOf(i);
    const std::string queue = fmt::format("queue-{}", i % 700);
    ASSERT_TRUE(ledger
                    .Count(name, {uid, "default", queue}, {}, OnPhase({}, Phase::kRunning, false),
                           {policy, bounds, policy}, now += 137)
                    .ok());
    if (i % 100 != 0 && i % 30 != 29) {
      for (const JournalMap& map : ledger.Unwritten(Ledger::Urgency::kNow)) {
        ledger.OnJournalWritten(map);
      }
      continue;
    }
    size_t bytes = 0;
    for (const JournalMap& map : ledger.Unwritten(Ledger::Urgency::kNow)) {
      const auto text = WriteJournalMap(ledger, map);
      ASSERT_TRUE(text.ok()) << text.status();
      bytes += JsonBytes(*text);
      ledger.OnJournalWritten(map);
    }
    written += bytes;
    ++writes;
    most_per_edge = std::max(most_per_edge, bytes);
    // Groups are marked in bursts, and not all edges are written here, to save time.
    if (i % 30 == 29) {
      for (int j = i - 29; j <= i; ++j) ledger.DropPending(UidOf(j));
    }
  }
  EXPECT_LE(most_per_edge, 20'000U);
  EXPECT_GT(most_per_edge, 10'000U);
  size_t most_per_map = 0;
  const std::vector<ConfigMap> maps = Written(ledger);
  for (const ConfigMap& map : maps) {
    most_per_map = std::max(most_per_map, JsonBytes(map));
  }
  EXPECT_LT(most_per_map, kMostMapBytes);
  std::printf("an edge: %zu bytes at most, %zu on average; a map: %zu at most\n", most_per_edge,
              written / writes, most_per_map);
  EXPECT_EQ(ReadJournal(maps, now).ledger, ledger);
}

// All texts as long as they can be.
TEST(JournalTest, TheLongestLedgerFits) {
  Ledger ledger(kNow);
  Policy policy;
  policy.start = {Increment::Kind::kFlat, 123456.78901234567};
  policy.completion = policy.start;
  for (int i = 0; i < 2'000; ++i) {
    // Short and long names, in turns.
    ClassAccount account =
        NewAccount(i % 3 == 0 ? fmt::format("{:0253}", i) : fmt::format("c{}", i), kHighestValue);
    account.base = -1'234'567'890;
    account.written = kLowestValue;
    account.account = {123456789.01234567, kNow, kMostCount, kMostCount, kNow};
    account.replaced = kNow;
    account.gap_us = kMostGap;
    for (size_t j = 0; j < kKeptChanges; ++j) {
      account.changes.push_back({kNow, kLowestValue, kLowestValue, kMostGap, std::string(90, 'x')});
    }
    if (!ledger.Add(std::move(account)).ok()) break;
  }
  std::vector<std::string> names;
  for (const auto& [name, account] : ledger.classes()) names.push_back(name);
  EXPECT_GE(names.size(), 300U);
  for (size_t i = 0; i < 20'000; ++i) {
    const std::string uid = fmt::format("{:064}", i);
    const Bounds bounds = {-1'234'567'890, kLowestValue, -1'234'567'890, 100};
    const auto counted = ledger.Count(
        names[i % names.size()], {uid, fmt::format("{:063}", i), fmt::format("{:0253}", i)},
        {Stage::kWaiting, 999'999'998, {}},
        OnPhase({Stage::kWaiting, 999'999'998, {}}, Phase::kCompleted, false),
        {policy, bounds, policy}, kNow);
    ASSERT_TRUE(counted.ok() || absl::IsResourceExhausted(counted.status())) << counted.status();
  }
  EXPECT_EQ(ledger.pending().size(), kMostPending * kClassMaps);
  EXPECT_EQ(ReadJournal(Written(ledger), kNow).ledger, ledger);  // each map was written
}

}  // namespace
}  // namespace outrigger::penalty
