#include "pairs_testing.h"

// Rows in substance from upstream's nodeports and HostPortInfo tests.

namespace outrigger::plan {
namespace {

using testing::MakeNode;
using testing::MakePod;

struct PortsRow {
  const char* name;
  HostPort there;
  HostPort wanted;
  bool conflict;
};

class HostPorts : public ::testing::TestWithParam<PortsRow> {};

TEST_P(HostPorts, ExcludeEachOther) {
  const PortsRow& row = GetParam();
  Pod there = MakePod("there");
  there.host_ports = {{"", "TCP", 9}, row.there};
  Pod wanted = MakePod("wanted");
  wanted.host_ports = {{"", "UDP", 9}, row.wanted};
  ExpectAnswers({row.name,
                 {MakeNode("a"), MakeNode("b")},
                 {{1, there}},
                 wanted,
                 {kOk, row.conflict ? kPorts : kOk}});
  ExpectAnswers({row.name,
                 {MakeNode("a"), MakeNode("b")},
                 {{1, wanted}},
                 there,
                 {kOk, row.conflict ? kPorts : kOk}});
}

const PortsRow kRows[] = {
    {"SamePort", {"", "TCP", 80}, {"", "TCP", 80}, true},
    {"OtherPort", {"", "TCP", 80}, {"", "TCP", 81}, false},
    {"OtherProtocol", {"", "TCP", 80}, {"", "UDP", 80}, false},
    {"SameAddress", {"10.0.0.1", "TCP", 80}, {"10.0.0.1", "TCP", 80}, true},
    {"OtherAddress", {"10.0.0.1", "TCP", 80}, {"10.0.0.2", "TCP", 80}, false},
    {"AllAddressesAndOne", {"0.0.0.0", "TCP", 80}, {"10.0.0.1", "TCP", 80}, true},
    {"NoAddressAndOne", {"", "TCP", 80}, {"10.0.0.1", "TCP", 80}, true},
    {"NoAddressIsAllAddresses", {"", "SCTP", 80}, {"0.0.0.0", "SCTP", 80}, true},
    {"AllAddressesOtherProtocol", {"0.0.0.0", "TCP", 80}, {"10.0.0.1", "UDP", 80}, false},
    // As upstream: "::" is one address of many.
    {"AllOfIpv6AndOne", {"::", "TCP", 80}, {"fd00::1", "TCP", 80}, false},
};

INSTANTIATE_TEST_SUITE_P(PodPairs, HostPorts, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(PodPairs, APortIsFreeWhenTheLastPodThatTakesItHasGone) {
  PodPairs pairs(1);
  pairs.SetNode(0, std::make_shared<const Node>(MakeNode("a")));
  const KindIndex one = pairs.AddKind(MakePod().AddHostPort(80, "TCP", "10.0.0.1"));
  const KindIndex other = pairs.AddKind(MakePod().AddHostPort(80, "TCP", "10.0.0.2"));
  const KindIndex all = pairs.AddKind(MakePod().AddHostPort(80));
  pairs.Add(one, 0);
  pairs.Add(other, 0);
  EXPECT_EQ(pairs.Check(all, 0), kPorts);
  pairs.Remove(one, 0);
  EXPECT_EQ(pairs.Check(one, 0), kOk);
  EXPECT_EQ(pairs.Check(all, 0), kPorts);
  pairs.Remove(other, 0);
  EXPECT_EQ(pairs.Check(all, 0), kOk);
}

TEST(PodPairs, APodThatNamesAPortTwiceIsNotInItsOwnWay) {
  PodPairs pairs(1);
  pairs.SetNode(0, std::make_shared<const Node>(MakeNode("a")));
  const KindIndex kind = pairs.AddKind(MakePod().AddHostPort(80).AddHostPort(80, "TCP", "0.0.0.0"));
  EXPECT_EQ(pairs.Check(kind, 0), kOk);
  pairs.Add(kind, 0);
  EXPECT_EQ(pairs.Check(kind, 0), kPorts);
}

}  // namespace
}  // namespace outrigger::plan
