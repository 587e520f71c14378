#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "outrigger/agent/state_store.h"
#include "state_file.h"
#include "state_testing.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class FileStateTest : public ::testing::Test {
 protected:
  static std::unique_ptr<StateStore> Open(const std::string& path,
                                          std::string_view agent = "reward") {
    AgentDeps deps;
    deps.name = agent;
    return *MakeStateStore({.file = path}, deps);
  }
  size_t Files() const {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.Path(""))) {
      count += entry.exists() ? 1 : 0;
    }
    return count;
  }
  /// What both calls say, which is the same.
  absl::Status Both() {
    const absl::Status load = store_->Load({}).status();
    const absl::Status save = store_->Save({{{"a", "1"}}, ""}, {}).status();
    EXPECT_EQ(load.code(), save.code()) << load << " / " << save;
    EXPECT_THAT(std::string(load.message()), HasSubstr("file " + path_));
    EXPECT_THAT(std::string(save.message()), HasSubstr("file " + path_));
    return load;
  }

  StateFolder folder_;
  const std::string path_ = folder_.Path("state");
  const std::unique_ptr<StateStore> store_ = Open(path_);
};

TEST_F(FileStateTest, IsTextThatAPersonCanRead) {
  ASSERT_TRUE(store_->Save({{{"a", "x"}, {"b", "line\n\nline\n"}, {"c", ""}}, ""}, {}).ok());
  EXPECT_EQ(TextOf(path_), R"(outrigger-state 1
agent reward
version 1
key a
|x
key b
|line
|
|line
|
key c
|
end
)");
  EXPECT_EQ(Files(), 1U) << "nothing else is left";
  struct stat about {};
  ASSERT_EQ(stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777U, 0600U) << "what it says is its owner's";
}

TEST_F(FileStateTest, OutlivesTheProcess) {
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  const auto other = Open(path_);
  EXPECT_EQ(other->Load({})->version, *version);
  ASSERT_TRUE(other->Save({{{"a", "2"}}, *version}, {}).ok());
  EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "3"}}, *version}, {}).status()));
}

TEST_F(FileStateTest, AnEditByHandIsAnotherVersion) {
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  std::string text = TextOf(path_);
  text.replace(text.find("|1"), 2, "|9");
  WriteText(path_, text);
  EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "2"}}, *version}, {}).status()));
  const auto loaded = store_->Load({});
  EXPECT_THAT(loaded->data, ElementsAre(Pair("a", "9")));
  EXPECT_TRUE(store_->Save({{{"a", "2"}}, loaded->version}, {}).ok());
}

TEST_F(FileStateTest, ThatCannotBeReadIsLostAndReplacedByANewOne) {
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  const std::string whole = TextOf(path_);
  const std::string head = "outrigger-state 1\nagent reward\nversion 1\n";
  const std::pair<std::string, const char*> broken[] = {
      {"", "after line 0: \"outrigger-state 1\" is expected"},
      {whole.substr(0, whole.size() - 1), "the rest is missing"},
      {whole.substr(0, whole.size() / 2), "is expected"},
      {whole + "x", "nothing is expected"},
      {"\xff", "is expected"},
      {"{}", "is expected"},
      {"outrigger-state 2\nagent reward\nversion 1\nend\n", "the form that is known here"},
      {"outrigger-state 1\nagent \nversion 1\nend\n", "\"agent NAME\""},
      {"outrigger-state 1\nagentx y\nversion 1\nend\n", "\"agent NAME\""},
      {"outrigger-state 1\nagent reward\nversion 0\nend\n", "\"version NUMBER\""},
      {"outrigger-state 1\nagent reward\nversion -1\nend\n", "\"version NUMBER\""},
      {"outrigger-state 1\nagent reward\nversion 1 \nend\n", "\"version NUMBER\""},
      {"outrigger-state 1\nagent reward\nversion 18446744073709551616\nend\n",
       "\"version NUMBER\""},
      {head, "the rest is missing"},
      {head + "key a\n", "a line of the text"},
      {head + "key a\n|x", "a line of the text"},
      {head + "key a\nx\nend\n", "a line of the text"},
      {head + "key a/b\n|x\nend\n", "the name of the key"},
      {head + "key \n|x\nend\n", "the name of the key"},
      {head + "key a\n|\xff\nend\n", "not UTF-8"},
      {head + "key a\n|x\nkey a\n|y\nend\n", "given twice"},
      {head + "KEY a\n|x\nend\n", "\"key NAME\" or \"end\""},
  };
  for (const auto& [text, why] : broken) {
    WriteText(path_, text);
    const absl::Status lost = store_->Load({}).status();
    EXPECT_TRUE(absl::IsDataLoss(lost)) << why << ": " << lost;
    EXPECT_THAT(std::string(lost.message()), HasSubstr(why));
    EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "2"}}, *version}, {}).status()));
    EXPECT_EQ(TextOf(path_), text) << "it is not overwritten unseen";
  }
  const auto made = store_->Save({{{"a", "new"}}, ""}, {});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_THAT(store_->Load({})->data, ElementsAre(Pair("a", "new")));
}

TEST_F(FileStateTest, LargerThanAnyStateIsLost) {
  WriteText(path_, "{}");
  std::filesystem::resize_file(path_, 8'000'000);
  const absl::Status lost = store_->Load({}).status();
  EXPECT_TRUE(absl::IsDataLoss(lost)) << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr("more than"));
}

TEST_F(FileStateTest, OfAnotherAgentIsLeftAlone) {
  ASSERT_TRUE(Open(path_, "pigeon")->Save({{{"p", "1"}}, ""}, {}).ok());
  const absl::Status status = Both();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("the state of \"pigeon\", not of reward"));
}

TEST_F(FileStateTest, ThatIsDeletedIsNoMore) {
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  std::filesystem::remove(path_);
  EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "2"}}, *version}, {}).status()));
  EXPECT_EQ(*store_->Load({}), StoredState());
}

TEST_F(FileStateTest, ThatIsAFolderOrAPipeIsNone) {
  std::filesystem::create_directory(path_);
  EXPECT_TRUE(absl::IsFailedPrecondition(Both()));
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(Both())) << "and there is no wait for a writer";
}

TEST(FileState, WithoutAFolderIsAnErrorAtOnce) {
  const StateFolder folder;
  AgentDeps deps;
  deps.name = "reward";
  const auto store = *MakeStateStore({.file = folder.Path("none/state")}, deps);
  const absl::Status status = store->Load({}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("none: No such file or directory"));
  EXPECT_TRUE(absl::IsFailedPrecondition(store->Save({}, {}).status()));
}

TEST_F(FileStateTest, ThatASymbolicLinkNamesIsReplacedThere) {
  std::filesystem::create_directory(folder_.Path("volume"));
  std::filesystem::create_symlink("volume/real", path_);
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  ASSERT_TRUE(version.ok()) << version.status();
  ASSERT_TRUE(store_->Save({{{"a", "2"}}, *version}, {}).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_THAT(TextOf(folder_.Path("volume/real")), HasSubstr("key a\n|2\n"));
}

// The permissions of another user, where the tests run as root.
TEST_F(FileStateTest, ThatMayNotBeReadOrWrittenSaysSo) {
  ASSERT_TRUE(store_->Save({{{"a", "1"}}, ""}, {}).ok());
  const std::string before = TextOf(path_);
  const auto version = store_->Load({})->version;
  ASSERT_EQ(chmod(folder_.Path("").c_str(), 0555), 0);
  const bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
    ASSERT_EQ(seteuid(65534), 0);
  }
  const absl::Status folder = store_->Save({{{"a", "2"}}, version}, {}).status();
  ASSERT_EQ(chmod(path_.c_str(), 0), 0);
  const absl::Status file = store_->Load({}).status();
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_EQ(chmod(folder_.Path("").c_str(), 0755), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(folder)) << folder;
  EXPECT_TRUE(absl::IsPermissionDenied(file)) << file;
  EXPECT_EQ(TextOf(path_), before);
}

// A limit on the size of files stands in for a disk that is full.
TEST_F(FileStateTest, OnAFullDiskKeepsWhatWasThere) {
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  const std::string before = TextOf(path_);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{4096, limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status full =
      store_->Save({{{"a", std::string(100'000, 'x')}}, *version}, {}).status();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_EQ(TextOf(path_), before);
  EXPECT_EQ(Files(), 1U);
  EXPECT_TRUE(store_->Save({{{"a", "2"}}, *version}, {}).ok());
}

TEST_F(FileStateTest, OfAProcessThatDiedWhileWritingIsWhole) {
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  WriteText(path_ + ".tmp", "outrigger-st");
  EXPECT_EQ(store_->Load({})->version, *version);
  ASSERT_TRUE(store_->Save({{{"a", "2"}}, *version}, {}).ok());
  EXPECT_EQ(Files(), 1U);
}

TEST_F(FileStateTest, WaitsForAnotherWriterAsLongAsItMay) {
  const int folder = open(folder_.Path("").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(folder, LOCK_EX), 0);
  const CallLimits none{.timeout = std::chrono::milliseconds(0)};
  EXPECT_TRUE(absl::IsDeadlineExceeded(store_->Save({{{"a", "1"}}, ""}, none).status()));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(
      absl::IsCancelled(store_->Save({{{"a", "1"}}, ""}, {.stop = stop.get_token()}).status()));
  EXPECT_EQ(*store_->Load({}), StoredState()) << "reading does not wait";
  close(folder);
  EXPECT_TRUE(store_->Save({{{"a", "1"}}, ""}, none).ok());
}

TEST_F(FileStateTest, WhatTheFileSystemOfTheFolderCannotDoIsNoError) {
  ASSERT_EQ(internal::SyncFolderOf(path_), absl::OkStatus());
  const int proc = open("/proc/self", O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(fsync(proc), -1) << "it can";
  ASSERT_EQ(errno, EINVAL);
  close(proc);
  EXPECT_EQ(internal::SyncFolderOf("/proc/self/state"), absl::OkStatus());
  EXPECT_TRUE(absl::IsFailedPrecondition(internal::SyncFolderOf(folder_.Path("none/state"))));
}

// A folder that we may write in, and not list.
TEST_F(FileStateTest, AFolderThatMayNotBeReadIsNotMadeToLast) {
  const std::string folder = folder_.Path("secret");
  ASSERT_EQ(mkdir(folder.c_str(), 0300), 0);
  std::filesystem::permissions(folder_.Path(""), std::filesystem::perms::all);
  if (geteuid() != 0) {
    EXPECT_EQ(internal::SyncFolderOf(folder + "/state"), absl::OkStatus());
    return;
  }
  constexpr uid_t kOther = 65'534;
  ASSERT_EQ(seteuid(kOther), 0);  // root may read everything
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  const int error = errno;
  const absl::Status synced = internal::SyncFolderOf(folder + "/state");
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(opened, -1);
  EXPECT_EQ(error, EACCES);
  EXPECT_EQ(synced, absl::OkStatus());
}

TEST_F(FileStateTest, OfManyWritersEachIncrementIsKept) {
  constexpr int kWriters = 4;
  constexpr int kIncrements = 4;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([this] {
      const auto store = Open(path_);
      for (int done = 0; done < kIncrements;) {
        auto state = store->Load({});
        ASSERT_TRUE(state.ok()) << state.status();
        std::string& count = state->data["count"];
        count = std::to_string(count.empty() ? 1 : std::stoi(count) + 1);
        const auto saved = store->Save(*state, {});
        ASSERT_TRUE(saved.ok() || absl::IsAborted(saved.status())) << saved.status();
        done += saved.ok() ? 1 : 0;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(store_->Load({})->data["count"], std::to_string(kWriters * kIncrements));
}

}  // namespace
}  // namespace outrigger
