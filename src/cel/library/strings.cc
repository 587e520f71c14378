#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <re2/re2.h>

#include "absl/strings/ascii.h"
#include "cel/library/format_text.h"
#include "cel/library/function.h"
#include "cel/library/text_search.h"
#include "cel/values/collections.h"
#include "cel/values/text.h"

namespace outrigger::cel {
namespace strings {
namespace {

using Args = std::span<const Value>;

Value OutOfRange() {
  return Value::Error(ErrorCode::kIndexOutOfRange);
}

bool AreTexts(Args args, size_t count) {
  return std::all_of(args.begin(), args.begin() + static_cast<ptrdiff_t>(count),
                     [](const Value& value) { return value.Is(Kind::kString); });
}
bool AreInts(Args args, size_t from) {
  return std::all_of(args.begin() + static_cast<ptrdiff_t>(from), args.end(),
                     [](const Value& value) { return value.Is(Kind::kInt); });
}

Value Contains(Evaluation&, Args args) {
  if (!AreTexts(args, 2)) return NoSuchOverload("contains");
  return Value::Bool(args[0].text().find(args[1].text()) != std::string_view::npos);
}
Value StartsWith(Evaluation&, Args args) {
  if (!AreTexts(args, 2)) return NoSuchOverload("startsWith");
  return Value::Bool(args[0].text().starts_with(args[1].text()));
}
Value EndsWith(Evaluation&, Args args) {
  if (!AreTexts(args, 2)) return NoSuchOverload("endsWith");
  return Value::Bool(args[0].text().ends_with(args[1].text()));
}

Value CharAt(Evaluation&, Args args) {
  if (!AreTexts(args, 1) || !AreInts(args, 1)) return NoSuchOverload("charAt");
  const std::string_view text = args[0].text();
  const int64_t index = args[1].integer();
  if (index < 0 || static_cast<uint64_t>(index) > CountCodePoints(text)) return OutOfRange();
  const std::string_view rest = text.substr(OffsetOfCodePoint(text, static_cast<size_t>(index)));
  return Value::String(rest.substr(0, LengthOfCodePoint(rest)));
}

Value Substring(Evaluation&, Args args) {
  if (!AreTexts(args, 1) || !AreInts(args, 1)) return NoSuchOverload("substring");
  const std::string_view text = args[0].text();
  const auto size = static_cast<int64_t>(CountCodePoints(text));
  const int64_t begin = args[1].integer();
  const int64_t end = args.size() == 3 ? args[2].integer() : size;
  if (begin > end || begin < 0 || end > size) return OutOfRange();
  const size_t first = OffsetOfCodePoint(text, static_cast<size_t>(begin));
  const size_t last = OffsetOfCodePoint(text, static_cast<size_t>(end));
  return Value::String(text.substr(first, last - first));
}

template <char (*Change)(char)>
Value Changed(Evaluation& evaluation, Args args, std::string_view name) {
  if (!AreTexts(args, 1)) return NoSuchOverload(name);
  const std::string_view text = args[0].text();
  char* place = evaluation.arena.Allocate<char>(text.size());
  if (place == nullptr) return OutOfMemory();
  std::transform(text.begin(), text.end(), place, Change);
  return Value::String({place, text.size()});
}
char Lower(char c) {
  return absl::ascii_tolower(static_cast<unsigned char>(c));
}
char Upper(char c) {
  return absl::ascii_toupper(static_cast<unsigned char>(c));
}
Value LowerAscii(Evaluation& evaluation, Args args) {
  return Changed<Lower>(evaluation, args, "lowerAscii");
}
Value UpperAscii(Evaluation& evaluation, Args args) {
  return Changed<Upper>(evaluation, args, "upperAscii");
}

Value Trim(Evaluation&, Args args) {
  return AreTexts(args, 1) ? Value::String(TrimSpace(args[0].text())) : NoSuchOverload("trim");
}

Value Replace(Evaluation& evaluation, Args args) {
  if (!AreTexts(args, 3) || !AreInts(args, 3)) return NoSuchOverload("replace");
  const int64_t most = args.size() == 4 ? args[3].integer() : -1;
  return ReplaceText(evaluation, args[0].text(), args[1].text(), args[2].text(), most);
}

Value Split(Evaluation& evaluation, Args args) {
  if (!AreTexts(args, 2) || !AreInts(args, 2)) return NoSuchOverload("split");
  return SplitText(evaluation, args[0].text(), args[1].text(),
                   args.size() == 3 ? args[2].integer() : -1);
}

Value Join(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kList) || (args.size() == 2 && !args[1].Is(Kind::kString))) {
    return NoSuchOverload("join");
  }
  const std::string_view separator = args.size() == 2 ? args[1].text() : std::string_view();
  size_t size = 0;
  for (const Value& item : ItemsOf(args[0])) {
    if (!item.Is(Kind::kString))
      return Value::Error(ErrorCode::kInvalidArgument, "join needs texts");
    size += item.size() + separator.size();
  }
  if (size > UINT32_MAX) return OutOfMemory();
  char* place = evaluation.arena.Allocate<char>(size);
  if (place == nullptr) return OutOfMemory();
  char* end = place;
  for (const Value& item : ItemsOf(args[0])) {
    if (&item != ItemsOf(args[0]).data()) end = std::copy(separator.begin(), separator.end(), end);
    end = std::copy(item.text().begin(), item.text().end(), end);
  }
  return Value::String({place, static_cast<size_t>(end - place)});
}

Value Format(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kString) || !args[1].Is(Kind::kList)) return NoSuchOverload("format");
  return FormatText(evaluation, args[0].text(), ItemsOf(args[1]));
}

Value Quote(Evaluation& evaluation, Args args) {
  if (!AreTexts(args, 1)) return NoSuchOverload("strings.quote");
  return NewText(evaluation, QuotedText(args[0].text()));
}

Value BadRegex() {
  return Value::Error(ErrorCode::kInvalidArgument, "invalid regular expression");
}

Value Matches(Evaluation& evaluation, Args args) {
  if (!AreTexts(args, 2)) return NoSuchOverload("matches");
  const re2::RE2* regex = evaluation.regexes.Get(args[1].text());
  if (regex == nullptr) return BadRegex();
  return Value::Bool(RegexMatches(*regex, args[0].text()));
}

Value Find(Evaluation& evaluation, Args args) {
  if (!AreTexts(args, 2)) return NoSuchOverload("find");
  const re2::RE2* regex = evaluation.regexes.Get(args[1].text());
  return regex == nullptr ? BadRegex() : RegexFind(*regex, args[0].text());
}

Value FindAll(Evaluation& evaluation, Args args) {
  if (!AreTexts(args, 2) || !AreInts(args, 2)) return NoSuchOverload("findAll");
  const re2::RE2* regex = evaluation.regexes.Get(args[1].text());
  if (regex == nullptr) return BadRegex();
  return RegexFindAll(evaluation, *regex, args[0].text(),
                      args.size() == 3 ? args[2].integer() : -1);
}

constexpr std::array kRows = {
    FunctionRow{"contains", ".string,string>bool $contains", Contains},
    FunctionRow{"startsWith", ".string,string>bool $tenth", StartsWith},
    FunctionRow{"endsWith", ".string,string>bool $tenth", EndsWith},
    FunctionRow{"matches", "string,string>bool | .string,string>bool $regex", Matches},
    FunctionRow{"charAt", ".string,int>string", CharAt},
    FunctionRow{"lowerAscii", ".string>string", LowerAscii, CostRule::kTenthOfFirst},
    FunctionRow{"upperAscii", ".string>string", UpperAscii, CostRule::kTenthOfFirst},
    FunctionRow{"substring", ".string,int>string | .string,int,int>string", Substring,
                CostRule::kTenthOfFirst},
    FunctionRow{"trim", ".string>string", Trim, CostRule::kTenthOfFirst},
    FunctionRow{"replace", ".string,string,string>string | .string,string,string,int>string",
                Replace, CostRule::kFifthOfFirst},
    FunctionRow{"split", ".string,string>list(string) | .string,string,int>list(string)", Split,
                CostRule::kFifthOfFirst},
    FunctionRow{"join", ".list(string)>string | .list(string),string>string", Join,
                CostRule::kFifthOfResult},
    FunctionRow{"format", ".string,list(dyn)>string $tenth", Format},
    FunctionRow{"strings.quote", "string>string $tenth", Quote},
    FunctionRow{"find", ".string,string>string", Find, CostRule::kRegex},
    FunctionRow{"findAll", ".string,string>list(string) | .string,string,int>list(string)", FindAll,
                CostRule::kRegex},
};

}  // namespace
}  // namespace strings

std::span<const FunctionRow> StringFunctions() {
  return strings::kRows;
}

}  // namespace outrigger::cel
