#include "cli/look/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <ostream>
#include <utility>

namespace outrigger::cli::look {
namespace {

// Ctrl-C comes as a byte: signals from keys are off.
constexpr std::array<std::pair<std::string_view, Key>, 20> kKeys = {
    {{"\x1b[A", Key::kUp},      {"\x1bOA", Key::kUp},
     {"k", Key::kUp},           {"\x1b[B", Key::kDown},
     {"\x1bOB", Key::kDown},    {"j", Key::kDown},
     {"\x1b[5~", Key::kPageUp}, {"\x1b[6~", Key::kPageDown},
     {" ", Key::kPageDown},     {"\x1b[H", Key::kHome},
     {"\x1bOH", Key::kHome},    {"\x1b[1~", Key::kHome},
     {"g", Key::kHome},         {"\x1b[F", Key::kEnd},
     {"\x1bOF", Key::kEnd},     {"\x1b[4~", Key::kEnd},
     {"G", Key::kEnd},          {"n", Key::kNodes},
     {"q", Key::kQuit},         {"\x03", Key::kQuit}}};

}  // namespace

std::vector<Key> KeysIn(std::string_view bytes) {
  std::vector<Key> keys;
  while (!bytes.empty()) {
    size_t length = 1;
    for (const auto& [sequence, key] : kKeys) {
      if (!bytes.starts_with(sequence)) continue;
      keys.push_back(key);
      length = sequence.size();
      break;
    }
    bytes.remove_prefix(length);
  }
  return keys;
}

Screen::Screen(std::ostream* out) : out_(*out) {
  termios settings{};
  if (isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &settings) == 0) {
    before_ = settings;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  }
  out_ << "\x1b[?1049h\x1b[?25l" << std::flush;
}

Screen::~Screen() {
  out_ << "\x1b[?25h\x1b[?1049l" << std::flush;
  if (before_) tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

ScreenSize Screen::Size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

void Screen::Draw(const std::vector<std::string>& lines) {
  // A line is erased first: after it, the cursor may still stand on its last character.
  std::string text = "\x1b[H";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += "\x1b[2K" + lines[i];
  }
  out_ << text << std::flush;
}

}  // namespace outrigger::cli::look
