#include "kube/config/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "certificates.h"
#include "kube/kube_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TokenFiles : public ::testing::Test {
 protected:
  std::unique_ptr<CredentialSource> Make(const std::string& file, const std::string& token = "") {
    ClientConfig config;
    config.token_file = file;
    config.token = token;
    return MakeCredentialSource(config, time_.clock(),
                                [this](const std::string& text) { warnings_.push_back(text); });
  }
  std::string TokenOf(CredentialSource& source) {
    const auto got = source.Get(time_.Now(), {});
    return got.ok() ? got->token : "error: " + Text(got.status());
  }

  const testing::TestFolder folder_;
  FakeTime time_;
  std::vector<std::string> warnings_;
};

TEST_F(TokenFiles, AreReadAgainAfterAMinute) {
  const auto source = Make(folder_.Write("token", " one\n"));
  EXPECT_EQ(TokenOf(*source), "one");
  folder_.Write("token", "two\n");
  time_.Pass(std::chrono::seconds(59));
  EXPECT_EQ(TokenOf(*source), "one");
  time_.Pass(std::chrono::seconds(1));
  EXPECT_EQ(TokenOf(*source), "two");
}

TEST_F(TokenFiles, AreReadAgainAtOnceWhenTheTokenWasRefused) {
  const auto source = Make(folder_.Write("token", "one"));
  EXPECT_EQ(TokenOf(*source), "one");
  folder_.Write("token", "two");
  source->Refused({"another", "", ""});
  EXPECT_EQ(TokenOf(*source), "one");
  source->Refused({"one", "", ""});
  EXPECT_EQ(TokenOf(*source), "two");
}

TEST_F(TokenFiles, LeaveTheLastTokenWhereTheyCannotBeRead) {
  const std::string file = folder_.Write("token", "one");
  const auto source = Make(file);
  EXPECT_EQ(TokenOf(*source), "one");
  EXPECT_THAT(warnings_, IsEmpty());
  std::filesystem::remove(file);
  time_.Pass(std::chrono::seconds(60));
  EXPECT_EQ(TokenOf(*source), "one");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("the last token is still used")));
  folder_.Write("token", "two");
  time_.Pass(std::chrono::seconds(10));
  EXPECT_EQ(TokenOf(*source), "two");
}

TEST_F(TokenFiles, StartWithTheTokenInHandWhereThereIsOne) {
  const auto source = Make(folder_.path() + "/none", "first");
  EXPECT_EQ(TokenOf(*source), "first");
}

TEST_F(TokenFiles, AreErrorsWithoutAnyToken) {
  EXPECT_THAT(TokenOf(*Make("/nowhere/token")), HasSubstr("/nowhere/token: No such file"));
  EXPECT_THAT(TokenOf(*Make(folder_.Write("empty", " \n"))), HasSubstr("empty: empty"));
  const std::string secret = TokenOf(*Make(folder_.Write("two", "se\ncret")));
  EXPECT_THAT(secret, HasSubstr("control bytes within the token"));
  EXPECT_THAT(secret, ::testing::Not(HasSubstr("cret")));
}

TEST(FixedCredentials, AreTheTokenOrNothing) {
  ClientConfig config;
  EXPECT_EQ(MakeCredentialSource(config, {}, nullptr)->Get({}, {})->token, "");
  config.token = "abc";
  EXPECT_EQ(MakeCredentialSource(config, {}, nullptr)->Get({}, {})->token, "abc");
}

}  // namespace
}  // namespace outrigger::kube
