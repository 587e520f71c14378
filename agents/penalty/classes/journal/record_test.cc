#include "penalty/classes/journal/record.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

TEST(RecordTest, NumbersAreExact) {
  EXPECT_TRUE(rc::check("round trip", [](double number) {
    RecordWriter writer;
    writer.Add("n", number);
    const std::string text = std::move(writer).Finish("key");
    std::vector<JournalFinding> findings;
    RecordLines lines("map", "key", text, &findings);
    RecordFields fields(&lines);
    const auto read = fields.Number("n", std::numeric_limits<double>::lowest(),
                                    std::numeric_limits<double>::max());
    RC_ASSERT(lines.is_intact() && findings.empty() && read == number);
  }));
}

TEST(RecordTest, ATextUnderAnotherKeyIsNotIntact) {
  RecordWriter writer;
  writer.Add("n", int64_t{1});
  const std::string text = std::move(writer).Finish("gold");
  std::vector<JournalFinding> findings;
  EXPECT_TRUE(RecordLines("map", "gold", text, &findings).is_intact());
  EXPECT_FALSE(RecordLines("map", "silver", text, &findings).is_intact());
}

TEST(RecordTest, LinesAreCountedAndNamed) {
  std::vector<JournalFinding> findings;
  RecordLines lines("map", "key", "a=1\n\nb\na=2\nc=x\n", &findings);
  RecordFields fields(&lines);
  EXPECT_EQ(fields.Integer("a", 0, 5), 1);
  EXPECT_FALSE(fields.Integer("c", 0, 5).has_value());
  EXPECT_FALSE(fields.Integer("d", 0, 5).has_value());
  std::vector<std::string> texts;
  for (const JournalFinding& finding : findings) texts.push_back(FindingText(finding));
  EXPECT_THAT(texts, ::testing::ElementsAre(
                         "ConfigMap map, key key: was edited: its checksum does not match",
                         "ConfigMap map, key key, line 3: \"b\" has no \"=\"",
                         "ConfigMap map, key key, line 4: \"a\" is there twice",
                         "ConfigMap map, key key, line 5: c: \"x\" is not accepted; expected an "
                         "integer from 0 to 5",
                         "ConfigMap map, key key: d is missing"));
}

}  // namespace
}  // namespace outrigger::penalty
