#include "kube/write/event_text.h"

#include <gtest/gtest.h>

namespace outrigger::kube {
namespace {

struct NameRow {
  const char* name;
  std::string object;
  std::string kind;
  std::string expected;
};
class EventNames : public ::testing::TestWithParam<NameRow> {};
TEST_P(EventNames, AreThoseOfSubdomains) {
  const NameRow& row = GetParam();
  EXPECT_EQ(EventName({.kind = row.kind, .namespace_ = "", .name = row.object, .uid = ""}, 0xab),
            row.expected);
}
INSTANTIATE_TEST_SUITE_P(
    Of, EventNames,
    ::testing::Values(NameRow{"Plain", "web-1.x", "Pod", "web-1.x.ab"},
                      NameRow{"Long", std::string(253, 'p'), "Pod", std::string(236, 'p') + ".ab"},
                      NameRow{"CutAtAPoint", std::string(235, 'p') + "." + std::string(17, 'q'),
                              "Pod", std::string(235, 'p') + ".ab"},
                      NameRow{"Colon", "system:node", "ClusterRole", "clusterrole.ab"},
                      NameRow{"Capital", "Web", "Thing", "thing.ab"},
                      NameRow{"EmptyLabel", "a..b", "Thing", "thing.ab"},
                      NameRow{"LabelBeginsWithHyphen", "a.-b", "Thing", "thing.ab"},
                      NameRow{"LabelEndsWithHyphen", "a-.b", "Thing", "thing.ab"},
                      NameRow{"BeginsWithHyphen", "-a", "Thing", "thing.ab"},
                      NameRow{"NoName", "", "Thing", "thing.ab"},
                      NameRow{"NothingUsable", "", "", "event.ab"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace outrigger::kube
