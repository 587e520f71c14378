#include <fstream>
#include <iterator>
#include <sstream>

#include "load/annotate/usage_values.h"
#include "load/commands/output.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

TEST(PreviewTable, ShowsValuesAndWhatIsMissing) {
  PreviewRow b;
  b.wanted.node = "b";
  b.wanted.series = "instance=10.0.0.2:9100";
  b.wanted.values = {{"mean-free-cpu", "3900"}, {"forcasted-free-cpu", "1"}};
  b.wanted.measured = annotate::Measurement{.end = 1'800'000'000, .window = 60};
  b.change = {{"mean-free-cpu", "3900"}, {"forcasted-free-cpu", "1"}};
  PreviewRow a;
  a.wanted.node = "a";
  const auto gap = usage::Value::Missing(usage::Gap::kNoSeries, "no \033[31mseries");
  for (const char* key : {"mean-free-cpu", "std-free-cpu", "forcasted-free-cpu"}) {
    a.wanted.missing.push_back(annotate::MissingOf(key, gap));
  }
  const std::string table =
      PreviewTable({b, a}, {"forcasted-free-cpu", "mean-free-cpu", "std-free-cpu"}, {});
  EXPECT_EQ(table,
            "measured: 2027-01-15T08:00:00Z/60s\n"
            "NODE  SERIES                  MEAN-FREE-CPU  STD-FREE-CPU  WRITES  MISSING\n"
            "a     -                                   -             -       -  all: "
            "no-series (no \\x1b[31mseries)\n"
            "b     instance=10.0.0.2:9100           3900             -       2  -\n");
}

TEST(Progress, ShowsLongPassesAlone) {
  std::ostringstream terminal;
  Progress progress(50, &terminal);
  progress.Show(99);
  EXPECT_EQ(terminal.str(), "");
  EXPECT_EQ(progress.Text(5000), "0 of 5000 nodes written, about 100 s left");
  EXPECT_EQ(progress.Text(1225), "3775 of 5000 nodes written, about 25 s left");
  progress.Show(1);
  EXPECT_THAT(terminal.str(), HasSubstr("4999 of 5000 nodes written, about 1 s left"));
  progress.Show(0);
  EXPECT_THAT(terminal.str(), ::testing::EndsWith("\r\033[K"));
  EXPECT_EQ(progress.Text(50), "");
}

TEST(Progress, ShowsTheCallsThatTheSourceHasAnswered) {
  AnsweredCalls calls;
  EXPECT_EQ(calls.Text(), "");
  calls.Set(12, 60);
  EXPECT_EQ(calls.Text(), "12 of 60 queries answered");
  std::ostringstream terminal;
  Progress progress(50, &terminal);
  progress.Show(0, calls.Text());
  EXPECT_EQ(terminal.str(), "\r\033[K12 of 60 queries answered");
  calls.Set(60, 60);
  progress.Show(0, calls.Text());
  EXPECT_THAT(terminal.str(), ::testing::EndsWith("answered\r\033[K"));
  progress.Show(200, "1 of 2 queries answered");
  EXPECT_THAT(terminal.str(), HasSubstr("about 4 s left; 1 of 2 queries answered"));
}

TEST(Families, AreThoseOfThePage) {
  std::ifstream file(OUTRIGGER_ANNOTATORS_PAGE);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  ASSERT_THAT(page, HasSubstr("## Metrics"));
  const auto families = FamiliesOf({});
  for (const server::ShownFamily& family : families) {
    EXPECT_THAT(page, HasSubstr("| `" + family.name + "` |")) << family.name;
    EXPECT_THAT(page, HasSubstr(family.help)) << family.name;
  }
  size_t rows = 0;
  for (size_t at = 0; (at = page.find("\n| `outrigger_annotate_", at)) != std::string::npos; ++at) {
    ++rows;
  }
  EXPECT_EQ(rows, families.size());
}

}  // namespace
}  // namespace outrigger::cli
