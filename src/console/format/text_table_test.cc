#include "console/format/text_table.h"

#include <gtest/gtest.h>

namespace outrigger::cli {
namespace {

const std::vector<std::vector<Cell>> kRows = {{{"NAME"}, {"N", Style::kPlain, true}, {"WHY"}},
                                              {{"größer"}, {"10", Style::kGood, true}, {"so"}}};

TEST(TextTable, AlignsByCharactersAndLeavesNoBlanksBehind) {
  EXPECT_EQ(TextTable(kRows, false, 0), "NAME     N  WHY\ngrößer  10  so\n");
  EXPECT_EQ(TextTable({{{"a"}, {""}}, {{"long"}, {"x"}}}, false, 0), "a\nlong  x\n");
}

TEST(TextTable, CutsLinesAndSaysSo) {
  const std::vector<std::vector<Cell>> rows = {{{"ab"}, {"a long reason"}}};
  EXPECT_EQ(TextTable(rows, false, 17), "ab  a long reason\n");
  EXPECT_EQ(TextTable(rows, false, 16), "ab  a long re...\n");
  EXPECT_EQ(TextTable(rows, false, 6), "ab  a\n");
  EXPECT_EQ(TextTable(rows, false, 3), "ab\n");
}

TEST(TextTable, CountsColorsAsNothing) {
  EXPECT_EQ(TextTable({{{"yes", Style::kGood}, {"reason"}}}, true, 10),
            "\x1b[32myes\x1b[0m  re...\n");
}

TEST(TextTable, LeavesNothingThatSteersATerminal) {
  EXPECT_EQ(TextTable({{{"a\x1b[2J\n"}, {"\xc2\x9b"}}}, false, 0), "a\\x1b[2J\\x0a  \\x9b\n");
}

}  // namespace
}  // namespace outrigger::cli
