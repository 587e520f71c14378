// Stands in for libFuzzer where a corpus is an ordinary test: runs every file of a directory
// through the entry point, in the order of their names. Fails where there is nothing to run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesOf(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// False if the file cannot be read. The name is printed first: a finding ends the program.
bool RunFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) return false;
  std::printf("%s\n", path.filename().c_str());
  std::fflush(stdout);
  // An array of the exact size, so that a sanitizer sees who reads behind it.
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
    return 2;
  }
  const std::vector<fs::path> files = FilesOf(argv[1]);
  if (files.empty()) {
    std::fprintf(stderr, "%s: no such directory, or no files in it\n", argv[1]);
    return 1;
  }
  for (const fs::path& file : files) {
    if (RunFile(file)) continue;
    std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
    return 1;
  }
  std::printf("%zu inputs passed\n", files.size());
  return 0;
}
