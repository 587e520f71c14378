#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace outrigger {

/// A folder of this test alone, which is removed with it.
class StateFolder {
 public:
  StateFolder() {
    std::string name = std::filesystem::temp_directory_path() / "outrigger-state-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~StateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  std::string Path(std::string_view name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

inline void WriteText(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

inline std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace outrigger
