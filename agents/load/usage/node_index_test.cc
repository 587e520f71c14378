#include "load/usage/node_index.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::usage {
namespace {

using ::testing::HasSubstr;

constexpr int kPort = 9100;

NodeQuestion Node(const std::string& name, const std::vector<std::string>& addresses) {
  NodeQuestion node;
  node.name = name;
  node.addresses = addresses;
  return node;
}

struct MatchRow {
  const char* name;
  std::vector<Labels> series;
  const char* matched_by;  // of node a; empty: nothing
  Gap gap = Gap::kNone;
  const char* detail = "";
};
class NodeIndexMatch : public ::testing::TestWithParam<MatchRow> {};

// Node a has the addresses 10.0.0.1, fe80::1 and a long one; node b 10.0.0.2; c and d
// share 10.0.0.3.
TEST_P(NodeIndexMatch, IsTheSeriesOfTheSurestLabel) {
  const std::vector<NodeQuestion> nodes = {
      Node("a", {"10.0.0.1", "fe80::1", "2001:DB8:8f:5f1e:0:0:0:1b1b"}), Node("b", {"10.0.0.2"}),
      Node("c", {"10.0.0.3"}), Node("d", {"10.0.0.3"})};
  NodeIndex index(nodes, kPort);
  const std::vector<Series> names = {
      {.labels = {{"instance", "far:9100"}, {"nodename", "a"}}, .points = {}},
      {.labels = {{"instance", "both:1"}, {"nodename", "a"}}, .points = {}},
      {.labels = {{"instance", "both:1"}, {"nodename", "b"}}, .points = {}}};
  index.LearnNames(names);
  std::vector<Series> series;
  for (const Labels& labels : GetParam().series) series.push_back({.labels = labels, .points = {}});
  const NodeMatch match = index.Match(series).front();
  EXPECT_EQ(match.selector ? match.selector->Text() : "", GetParam().matched_by);
  EXPECT_EQ(match.gap, GetParam().gap) << match.detail;
  EXPECT_THAT(match.detail, HasSubstr(GetParam().detail));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, NodeIndexMatch,
    ::testing::Values(
        MatchRow{"NodeLabel", {{{"node", "a"}, {"instance", "x:1"}}}, "node=a"},
        MatchRow{"InstanceIsName", {{{"instance", "a"}}}, "instance=a"},
        MatchRow{"InstanceIsNameAndPort", {{{"instance", "a:9100"}}}, "instance=a:9100"},
        MatchRow{"InstanceIsAddress", {{{"instance", "10.0.0.1"}}}, "instance=10.0.0.1"},
        MatchRow{"InstanceIsAddressAndPort",
                 {{{"instance", "10.0.0.1:9100"}}},
                 "instance=10.0.0.1:9100"},
        MatchRow{"AnotherPort", {{{"instance", "10.0.0.1:9796"}}}, "instance=10.0.0.1:9796"},
        MatchRow{"BareIpv6", {{{"instance", "fe80::1"}}}, "instance=fe80::1"},
        MatchRow{"Ipv6AndPort", {{{"instance", "[fe80::1]:9100"}}}, "instance=[fe80::1]:9100"},
        MatchRow{"Ipv6InLongForm",
                 {{{"instance", "[FE80:0:0:0::0001]:9100"}}},
                 "instance=[FE80:0:0:0::0001]:9100"},
        MatchRow{"Ipv6InBracketsAlone", {{{"instance", "[fe80:0::1]"}}}, "instance=[fe80:0::1]"},
        MatchRow{"BareIpv6AndPort",
                 {{{"instance", "fe80:0:0:0:0:0:0:1:9100"}}},
                 "instance=fe80:0:0:0:0:0:0:1:9100"},
        MatchRow{"Ipv6WithZone",
                 {{{"instance", "[fe80::1%eth0]:9100"}}},
                 "instance=[fe80::1%eth0]:9100"},
        MatchRow{"Ipv4WithinIpv6",
                 {{{"instance", "[::ffff:10.0.0.1]:9100"}}},
                 "instance=[::ffff:10.0.0.1]:9100"},
        MatchRow{"NodeIsInLongForm",
                 {{{"instance", "[2001:db8:8f:5f1e::1b1b]:9100"}}},
                 "instance=[2001:db8:8f:5f1e::1b1b]:9100"},
        MatchRow{"HostNameInCapitals", {{{"instance", "A:9100"}}}, "instance=A:9100"},
        MatchRow{"NodenameInCapitals",
                 {{{"instance", "x:1"}, {"nodename", "A"}}},
                 "nodename=A (node_uname_info)"},
        MatchRow{"Uname", {{{"instance", "far:9100"}}}, "instance=far:9100 (node_uname_info)"},
        MatchRow{"UnameOfTwoNodes", {{{"instance", "both:1"}}}, "", Gap::kNoSeries},
        MatchRow{"Nodename", {{{"nodename", "a"}}}, "nodename=a (node_uname_info)"},
        MatchRow{"PortOfTheExporterWins",
                 {{{"instance", "10.0.0.1:9101"}}, {{"instance", "10.0.0.1:9100"}}},
                 "instance=10.0.0.1:9100"},
        MatchRow{"NodeLabelWinsOverInstance",
                 {{{"instance", "10.0.0.1:9100"}}, {{"node", "a"}, {"instance", "pod:9100"}}},
                 "node=a"},
        MatchRow{"InstanceTellsTwoOfANodeLabelApart",
                 {{{"node", "a"}, {"instance", "10.0.0.1:9101"}},
                  {{"node", "a"}, {"instance", "10.0.0.1:9100"}}},
                 "instance=10.0.0.1:9100"},
        MatchRow{"OfAnotherNodeByTheSurerLabel",
                 {{{"node", "b"}, {"instance", "10.0.0.1:9100"}}},
                 "",
                 Gap::kNoSeries,
                 "no series has its name"},
        MatchRow{"TwoJobs",
                 {{{"instance", "10.0.0.1:9100"}, {"job", "x"}},
                  {{"instance", "10.0.0.1:9100"}, {"job", "y"}}},
                 "",
                 Gap::kSeveralSeries,
                 "2 series, with job=x, job=y"},
        MatchRow{"InstanceThatIsNotItsOwnAlone",
                 {{{"instance", "10.0.0.1:9100"}}, {{"node", "b"}, {"instance", "10.0.0.1:9100"}}},
                 "",
                 Gap::kSeveralSeries,
                 "other series"},
        MatchRow{"ValueThatNoQueryCanName", {{{"instance", "a:\"1\\"}}}, "", Gap::kSeveralSeries},
        MatchRow{"NameWithDomain",
                 {{{"instance", "a.example.com:9100"}}},
                 "instance=a.example.com:9100"},
        MatchRow{"NameWithDomainOfTwo",
                 {{{"instance", "a.example.com:9100"}}, {{"instance", "a.example.org:9100"}}},
                 "",
                 Gap::kSeveralSeries,
                 "2 series"},
        MatchRow{"NameItselfWinsOverNameWithDomain",
                 {{{"instance", "a.example.com:9100"}}, {{"instance", "a:9100"}}},
                 "instance=a:9100"},
        MatchRow{"DotAtTheEnd", {{{"instance", "a.:9100"}}}, "instance=a.:9100"},
        MatchRow{"Scheme",
                 {{{"instance", "http://10.0.0.1:9100/metrics"}}},
                 "instance=http://10.0.0.1:9100/metrics"},
        MatchRow{"None", {}, "", Gap::kNoSeries}),
    [](const auto& row) { return row.param.name; });

// Those of two domains are two machines.
TEST(NodeIndex, ComparesNamesWithAndWithoutADomain) {
  const std::vector<NodeQuestion> nodes = {Node("a.example.com", {}), Node("b", {}),
                                           Node("c.example.com", {}), Node("c.example.org", {}),
                                           Node("10", {})};
  NodeIndex index(nodes, kPort);
  const std::vector<Series> names = {
      {.labels = {{"instance", "pod:1"}, {"nodename", "b.lan"}}, .points = {}}};
  index.LearnNames(names);
  const auto node_of = [&](const char* instance) {
    const std::vector<NodeIndex::Hit> hits = index.HitsOf({{"instance", instance}});
    return hits.empty() ? -1 : static_cast<int>(hits.front().node);
  };
  EXPECT_EQ(node_of("a:9100"), 0);
  EXPECT_EQ(node_of("a.example.org:9100"), -1);
  EXPECT_EQ(node_of("b.example.org"), 1);
  EXPECT_EQ(node_of("pod:1"), 1);
  EXPECT_EQ(node_of("c:9100"), -1);
  EXPECT_EQ(node_of("10.0.0.9:9100"), -1);
}

TEST(NodeIndex, GivesAnAddressOfTwoNodesToNeither) {
  const std::vector<NodeQuestion> nodes = {Node("c", {"10.0.0.3"}), Node("d", {"10.0.0.3"})};
  const NodeIndex index(nodes, kPort);
  const std::vector<Series> series = {{.labels = {{"instance", "10.0.0.3:9100"}}, .points = {}}};
  for (const NodeMatch& match : index.Match(series)) EXPECT_EQ(match.gap, Gap::kNoSeries);
  EXPECT_TRUE(index.HitsOf({{"instance", "10.0.0.3:9100"}}).empty());
}

}  // namespace
}  // namespace outrigger::usage
