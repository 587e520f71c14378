#include "cli/completion.h"

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// Both scripts find `command` and `flag`, then run the same two case statements, which call helpers
// that each shell defines in its own way.

constexpr const char* kBashHead =
    R"(# bash completion for outrigger; load it with: source <(outrigger completion bash)

_outrigger_words() { COMPREPLY=($(compgen -W "$*" -- "$cur")); }
_outrigger_list() {
  local before=""
  [[ $cur == *,* ]] && before=${cur%,*},
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -P "$before" -W "$*" -- "${cur##*,}"))
}
_outrigger_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY=($(compgen -f -- "$cur"))
}
_outrigger_nothing() { :; }

_outrigger() {
  local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} command="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
  done
  # "--flag=value" comes as three words.
  if [[ $cur == = ]]; then
    cur=""
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";

constexpr const char* kBashTail = R"(}

complete -F _outrigger outrigger
)";

constexpr const char* kZshHead = R"(#compdef outrigger
# zsh completion for outrigger; load it with: source <(outrigger completion zsh)

_outrigger_words() { compadd -- "$@"; }
_outrigger_list() { compset -P '*,'; compadd -S '' -- "$@"; }
_outrigger_files() { _files; }
_outrigger_nothing() { :; }

_outrigger() {
  local flag=${words[CURRENT-1]} command="" i
  for ((i = 2; i < CURRENT; i++)); do
    if [[ ${words[i]} != -* ]]; then command=${words[i]}; break; fi
  done
  if [[ ${words[CURRENT]} == --*=* ]]; then
    flag=${words[CURRENT]%%=*}
    compset -P '*='
  fi
)";

constexpr const char* kZshTail = R"(}

# As a file of fpath this is the body of the function itself.
if [[ ${funcstack[1]} == _outrigger ]]; then _outrigger "$@"; else compdef _outrigger outrigger; fi
)";

std::string ValueHelper(const FlagShape& flag) {
  if (flag.is_file) return "_outrigger_files";
  if (flag.values.empty()) return "_outrigger_nothing";
  return fmt::format("{} {}", flag.is_list ? "_outrigger_list" : "_outrigger_words",
                     fmt::join(flag.values, " "));
}

std::string ValueCases(const std::vector<CommandShape>& shapes) {
  std::string text = "  case \"$command $flag\" in\n";
  for (const CommandShape& shape : shapes) {
    for (const FlagShape& flag : shape.flags) {
      if (!flag.takes_value) continue;
      text +=
          fmt::format("    \"{} {}\") {}; return ;;\n", shape.name, flag.name, ValueHelper(flag));
    }
  }
  return text + "  esac\n";
}

std::string WordCases(const std::vector<CommandShape>& shapes) {
  std::string text = "  case \"$command\" in\n";
  for (const CommandShape& shape : shapes) {
    std::vector<std::string> words = shape.positional_values;
    if (shape.name.empty()) {
      for (const CommandShape& command : shapes) {
        if (!command.name.empty()) words.push_back(command.name);
      }
    }
    for (const FlagShape& flag : shape.flags) words.push_back(flag.name);
    text += fmt::format("    \"{}\") _outrigger_words {} ;;\n", shape.name, fmt::join(words, " "));
  }
  return text + "  esac\n";
}

}  // namespace

std::string CompletionScript(const std::string& shell, const std::vector<CommandShape>& shapes) {
  const bool zsh = shell == "zsh";
  return (zsh ? kZshHead : kBashHead) + ValueCases(shapes) + WordCases(shapes) +
         (zsh ? kZshTail : kBashTail);
}

}  // namespace outrigger::cli
