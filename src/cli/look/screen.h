#pragma once

#include <termios.h>

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A terminal that is drawn upon.

namespace outrigger::cli::look {

enum class Key { kQuit, kUp, kDown, kPageUp, kPageDown, kHome, kEnd, kNodes };

/// The keys in `bytes`, as a terminal sends them. Others are skipped.
std::vector<Key> KeysIn(std::string_view bytes);

struct ScreenSize {
  size_t width = 80;
  size_t height = 24;
};

/// Takes the terminal of standard output: another screen, no cursor, and keys one by one from
/// standard input, if that is a terminal. Gives all back when it is destroyed. One at a time.
class Screen {
 public:
  explicit Screen(std::ostream* out);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// 80 x 24 where the terminal does not say.
  static ScreenSize Size();
  void Draw(const std::vector<std::string>& lines);
  /// Whether keys come from standard input.
  bool has_keys() const { return before_.has_value(); }

 private:
  std::ostream& out_;
  std::optional<termios> before_;
};

}  // namespace outrigger::cli::look
