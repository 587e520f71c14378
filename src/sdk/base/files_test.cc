#include "sdk/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace outrigger {
namespace {

using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  Files() { std::filesystem::create_directories(folder_); }
  ~Files() override { std::filesystem::remove_all(folder_); }

  const std::string folder_ = ::testing::TempDir() + "base_files_" +
                              ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path_ = folder_ + "/file";
};

TEST_F(Files, WhatWasWrittenIsReadAndHasANewVersion) {
  ASSERT_TRUE(WriteFileAtomically(path_, "one").ok());
  EXPECT_EQ(*ReadSmallFile(path_, 3), "one");
  const std::string version = FileVersion(path_);
  ASSERT_TRUE(WriteFileAtomically(path_, "more").ok());
  EXPECT_EQ(*ReadSmallFile(path_, 100), "more");
  EXPECT_NE(FileVersion(path_), version);
}

TEST_F(Files, AFileAboveTheLimitIsRefusedByName) {
  ASSERT_TRUE(WriteFileAtomically(path_, "four").ok());
  const absl::Status status = ReadSmallFile(path_, 3).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_ + ": larger than 3 bytes"));
}

TEST_F(Files, AMissingFileIsNotFoundAndHasNoVersion) {
  EXPECT_TRUE(absl::IsNotFound(ReadSmallFile(path_, 3).status()));
  EXPECT_EQ(FileVersion(path_), "");
}

TEST_F(Files, AFileThatCannotBeWrittenLeavesNothingBehind) {
  const absl::Status status = WriteFileAtomically(folder_ + "/missing/file", "x");
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST(ResolveBeside, KeepsAbsolutePathsAndEmptyOnes) {
  EXPECT_EQ(ResolveBeside("/etc/kube/config", "ca.crt"), "/etc/kube/ca.crt");
  EXPECT_EQ(ResolveBeside("/etc/kube/config", "/ca.crt"), "/ca.crt");
  EXPECT_EQ(ResolveBeside("config", "ca.crt"), "ca.crt");
  EXPECT_EQ(ResolveBeside("/etc/kube/config", ""), "");
}

}  // namespace
}  // namespace outrigger
