#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "devices/objects/objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace outrigger::devices {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PodClaims, AreOfThreeKinds) {
  const auto claims = ParsePodClaims(R"([
    {"name":"gpus","claimName":"two-foozers"},
    {"name":"all","privilegedClaimName":"two-foozers"},
    {"Name":"nic","claim":{"claims": [{"deviceClass":"a}b"}]} }])",
                                     "pod");
  ASSERT_TRUE(claims.ok()) << claims.status();
  EXPECT_THAT(*claims, ElementsAre(PodClaim{"gpus", "two-foozers", false, ""},
                                   PodClaim{"all", "two-foozers", true, ""},
                                   PodClaim{"nic", "pod-nic", false,
                                            R"({"claims": [{"deviceClass":"a}b"}]})"}));
}

TEST(PodClaims, AnEmptyTextHasNone) {
  for (const char* text : {"", " \n", "[]", "null"}) {
    const auto claims = ParsePodClaims(text, "pod");
    ASSERT_TRUE(claims.ok()) << claims.status();
    EXPECT_THAT(*claims, IsEmpty());
  }
}

TEST(PodClaims, AnEmbeddedClaimBelongsToItsPod) {
  const PodClaim claim{"nic", "pod-nic", false, R"({"deviceClass":"k"})"};
  const std::string text = EmbeddedClaim("ns", "pod", "uid", claim);
  const auto read = ParseClaim(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(NameOf(read->claim), "ns/pod-nic");
  EXPECT_EQ(read->owner_pod_uid, "uid");
  EXPECT_EQ(read->claim.requests.at(0).details.at(0).device_class, "k");
  const auto owner = nlohmann::json::parse(text)["metadata"]["ownerReferences"][0];
  EXPECT_EQ(owner, nlohmann::json::parse(R"({"apiVersion":"v1","kind":"Pod","name":"pod",
    "uid":"uid","controller":true,"blockOwnerDeletion":false})"));
}

TEST(PodClaims, NoTwoEmbeddedClaimsHaveOneName) {
  EXPECT_EQ(EmbeddedClaimName("a-b", "c"), "a-b-c");
  EXPECT_EQ(EmbeddedClaimName("a", "b-c"), "a-b-c.3");
  const std::vector<std::string> parts = {"a", "b", "3", "1-1", "a--b"};
  std::vector<std::string> pods = parts;
  for (const std::string& one : parts) {
    for (const char* between : {"-", "."}) {
      for (const std::string& other : parts) pods.push_back(one + between + other);
    }
  }
  std::set<std::string> names;
  size_t claims = 0;
  for (const std::string& pod : pods) {
    for (const std::string& claim : pods) {
      if (claim.find('.') != std::string::npos) continue;  // no DNS label
      names.insert(EmbeddedClaimName(pod, claim));
      ++claims;
    }
  }
  EXPECT_EQ(names.size(), claims);
}

TEST(PodClaims, NameWhatIsWrong) {
  struct Row {
    std::string text;
    const char* error;
  };
  std::string many = "[";
  for (int i = 0; i < 33; ++i) {
    many += (i == 0 ? "" : ",") + std::string(R"({"name":"a)") + std::to_string(i) +
            R"(","claimName":"c)" + std::to_string(i) + "\"}";
  }
  const std::string long_name(200, 'p');
  for (const Row& row : std::vector<Row>{
           {"[", "claims: not JSON"},
           {R"([]},{"x":1)", "claims: not JSON"},
           {R"([],"claims":[])", "claims: not JSON"},
           {"7", "claims: expected an array, found a number"},
           {"[7]", "claims[0]: expected an object, found a number"},
           {R"([{"name":"a"}])",
            "claims[0]: none of claimName, privilegedClaimName and claim are given, expected one"},
           {R"([{"name":"a","claimName":"c","claim":{}}])", "claims[0]: several of claimName"},
           {R"([{"name":"a","claimTemplateName":"t"}])",
            "claims[0].claimTemplateName: templates are not supported; give the template's "
            "claimSpec as claim"},
           {R"([{"name":"a","claimNam":"c"}])",
            "claims[0].claimNam: \"claimNam\" is not a known field; did you mean claimName?"},
           {R"([{"name":"a","claim":[]}])", "claims[0].claim: expected the spec of a DeviceClaim"},
           {R"([{"claimName":"c"}])", "claims[0].name: \"\" is not a DNS label"},
           {R"([{"name":"A.b","claimName":"c"}])", "claims[0].name: \"A.b\" is not a DNS label"},
           {R"([{"name":"a","claimName":"../c"}])",
            "claims[0].claimName: \"../c\" is not a valid object name"},
           {R"([{"name":"a","privilegedClaimName":"C"}])",
            "claims[0].privilegedClaimName: \"C\" is not a valid object name"},
           {R"([{"name":"a","claimName":"c"},{"name":"a","claimName":"d"}])",
            "claims[1].name: \"a\" is listed twice"},
           {R"([{"name":"a","claimName":"c"},{"name":"b","claimName":"c"}])",
            "claims[1]: claim \"c\" is listed twice"},
           {many + "]", "claims: at most 32 claims are allowed"},
           {"[" + std::string(65'535, ' ') + "]", "claims: 65537 bytes, at most 65536 are allowed"},
           {R"([{"name":")" + std::string(60, 'a') + R"(","claim":{}}])",
            "claims[0].name: the name of the claim has 261 characters, at most 253 are allowed"},
       }) {
    const auto claims = ParsePodClaims(row.text, long_name);
    EXPECT_EQ(claims.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(std::string(claims.status().message()), HasSubstr(row.error));
  }
  EXPECT_TRUE(ParsePodClaims(R"([{"name":"a","claim":{}}])", "pod").ok());
}

TEST(PodClaims, AnEmbeddedClaimMayBeNamedByNoOther) {
  const auto claims =
      ParsePodClaims(R"([{"name":"a","claim":{}},{"name":"b","claimName":"pod-a"}])", "pod");
  EXPECT_THAT(std::string(claims.status().message()), HasSubstr("\"pod-a\" is listed twice"));
}

}  // namespace
}  // namespace outrigger::devices
