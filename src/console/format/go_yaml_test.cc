#include "console/format/go_yaml.h"

#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;

TEST(GoYaml, SortsKeysAndDoesNotIndentLists) {
  const Tree value = Tree::parse(R"({"b":[{"y":1,"x":[true,null]},[]],"B":{},"a":{"c":[[1,2]]}})");
  EXPECT_EQ(GoYaml(value),
            "B: {}\n"
            "a:\n"
            "  c:\n"
            "  - - 1\n"
            "    - 2\n"
            "b:\n"
            "- x:\n"
            "  - true\n"
            "  - null\n"
            "  \"y\": 1\n"
            "- []\n");
}

TEST(GoYaml, OfNothing) {
  EXPECT_EQ(GoYaml(nullptr), "null\n");
  EXPECT_EQ(GoYaml(Tree::array()), "[]\n");
}

struct TextRow {
  const char* text;
  const char* yaml;
};

// As sigs.k8s.io/yaml 1.4 writes them.
TEST(GoYaml, QuotesWhatIsNeeded) {
  for (const TextRow& row : {
           TextRow{"claim and pool driver do not match", "claim and pool driver do not match"},
           TextRow{"4.2.1-gen3", "4.2.1-gen3"},
           TextRow{"10", "\"10\""},
           TextRow{"true", "\"true\""},
           TextRow{"", "\"\""},
           TextRow{"a: b", "'a: b'"},
           TextRow{"it's: so", "'it''s: so'"},
           TextRow{"a #b", "'a #b'"},
           TextRow{"a#b", "a#b"},
           TextRow{"- a", "'- a'"},
           TextRow{"-a", "-a"},
           TextRow{"[a", "'[a'"},
           TextRow{"a:", "'a:'"},
           TextRow{" a", "' a'"},
           TextRow{"tab\there", "\"tab\\there\""},
           TextRow{"one\n  two", "|-\n  one\n    two"},
           TextRow{"one\n\ntwo\n", "|\n  one\n\n  two"},
       }) {
    EXPECT_EQ(GoYaml({{"k", row.text}}), std::string("k: ") + row.yaml + "\n") << row.text;
  }
}

}  // namespace
}  // namespace outrigger::cli
