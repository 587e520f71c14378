#include <array>
#include <optional>
#include <string>

#include "cel/library/function.h"
#include "cel/values/collections.h"
#include "cel/values/network.h"
#include "cel/values/url.h"

namespace outrigger::cel {
namespace networks {
namespace {

using Args = std::span<const Value>;

template <typename T>
Value Stored(Evaluation& evaluation, const std::optional<T>& value, std::string_view what) {
  if (!value) return Value::Error(ErrorCode::kConversion, what);
  const T* stored = evaluation.arena.Store(*value);
  return stored == nullptr ? OutOfMemory() : Value::Of(stored);
}

// ip(text), or the address of a cidr.
Value Ip(Evaluation& evaluation, Args args) {
  if (args[0].Is(Kind::kCidr)) {
    return Stored(evaluation, std::optional<IpAddress>(args[0].cidr().address), "ip");
  }
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("ip");
  return Stored(evaluation, ParseIp(args[0].text()), "ip");
}
Value IsIp(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("isIP");
  return Value::Bool(ParseIp(args[0].text()).has_value());
}
Value IsCanonical(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("ip.isCanonical");
  const auto ip = ParseIp(args[0].text());
  if (!ip) return Value::Error(ErrorCode::kConversion, "ip");
  return Value::Bool(ip->ToString() == args[0].text());
}
Value Family(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kIp)) return NoSuchOverload("family");
  return Value::Int(args[0].ip().is_v4 ? 4 : 6);
}
template <bool (IpAddress::*Test)() const>
Value Tested(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kIp)) return NoSuchOverload("ip");
  return Value::Bool((args[0].ip().*Test)());
}

Value CidrOf(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("cidr");
  return Stored(evaluation, ParseCidr(args[0].text()), "cidr");
}
Value IsCidr(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("isCIDR");
  return Value::Bool(ParseCidr(args[0].text()).has_value());
}
Value Masked(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kCidr)) return NoSuchOverload("masked");
  return Stored(evaluation, std::optional<Cidr>(args[0].cidr().Masked()), "cidr");
}
Value PrefixLength(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kCidr)) return NoSuchOverload("prefixLength");
  return Value::Int(args[0].cidr().bits);
}
Value ContainsIp(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kCidr)) return NoSuchOverload("containsIP");
  if (args[1].Is(Kind::kIp)) return Value::Bool(args[0].cidr().Contains(args[1].ip()));
  if (!args[1].Is(Kind::kString)) return NoSuchOverload("containsIP");
  const auto ip = ParseIp(args[1].text());
  if (!ip) return Value::Error(ErrorCode::kConversion, "ip");
  return Value::Bool(args[0].cidr().Contains(*ip));
}
Value ContainsCidr(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kCidr)) return NoSuchOverload("containsCIDR");
  if (args[1].Is(Kind::kCidr)) return Value::Bool(args[0].cidr().Contains(args[1].cidr()));
  if (!args[1].Is(Kind::kString)) return NoSuchOverload("containsCIDR");
  const auto cidr = ParseCidr(args[1].text());
  if (!cidr) return Value::Error(ErrorCode::kConversion, "cidr");
  return Value::Bool(args[0].cidr().Contains(*cidr));
}

Value UrlOf(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("url");
  return Stored(evaluation, ParseUrl(args[0].text()), "url");
}
Value IsUrl(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("isURL");
  return Value::Bool(ParseUrl(args[0].text()).has_value());
}
template <std::string_view Url::*Part>
Value UrlPart(Evaluation&, Args args) {
  return args[0].Is(Kind::kUrl) ? Value::String(args[0].url().*Part) : NoSuchOverload("url");
}
template <std::string_view (Url::*Part)() const>
Value UrlText(Evaluation&, Args args) {
  return args[0].Is(Kind::kUrl) ? Value::String((args[0].url().*Part)()) : NoSuchOverload("url");
}

Value Query(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kUrl)) return NoSuchOverload("getQuery");
  Value map = Value::Map(nullptr, 0);
  for (const auto& [key, value] : QueryParts(args[0].url().query)) {
    const Value name = NewText(evaluation, key);
    const Value item = NewText(evaluation, value);
    if (name.IsError() || item.IsError()) return OutOfMemory();
    const Value* known = FindKey(map, name);
    const Value list = AppendedList(
        evaluation.arena, known == nullptr ? Value::List(nullptr, 0) : *known, {&item, 1});
    if (known != nullptr) {
      *const_cast<Value*>(known) = list;
    } else {
      map = InsertedMap(evaluation.arena, map, name, list);
    }
    if (map.IsError()) return map;
  }
  return map;
}

constexpr CostRule kTenth = CostRule::kTenthOfFirst;
constexpr CostRule kOne = CostRule::kOne;

constexpr std::array kRows = {
    FunctionRow{"ip", "string>ip $tenth | .cidr>ip", Ip},
    FunctionRow{"isIP", "string>bool", IsIp, kTenth},
    FunctionRow{"ip.isCanonical", "string>bool", IsCanonical, CostRule::kFifthOfFirst},
    FunctionRow{"family", ".ip>int", Family, kOne},
    FunctionRow{"isUnspecified", ".ip>bool", Tested<&IpAddress::IsUnspecified>, kOne},
    FunctionRow{"isLoopback", ".ip>bool", Tested<&IpAddress::IsLoopback>, kOne},
    FunctionRow{"isLinkLocalMulticast", ".ip>bool", Tested<&IpAddress::IsLinkLocalMulticast>, kOne},
    FunctionRow{"isLinkLocalUnicast", ".ip>bool", Tested<&IpAddress::IsLinkLocalUnicast>, kOne},
    FunctionRow{"isGlobalUnicast", ".ip>bool", Tested<&IpAddress::IsGlobalUnicast>, kOne},
    FunctionRow{"cidr", "string>cidr", CidrOf, kTenth},
    FunctionRow{"isCIDR", "string>bool", IsCidr, kTenth},
    FunctionRow{"masked", ".cidr>cidr", Masked, kOne},
    FunctionRow{"prefixLength", ".cidr>int", PrefixLength, kOne},
    FunctionRow{"containsIP", ".cidr,string>bool | .cidr,ip>bool", ContainsIp,
                CostRule::kContainsIp},
    FunctionRow{"containsCIDR", ".cidr,string>bool | .cidr,cidr>bool", ContainsCidr,
                CostRule::kContainsCidr},
    FunctionRow{"url", "string>url", UrlOf, kTenth},
    FunctionRow{"isURL", "string>bool", IsUrl},
    FunctionRow{"getScheme", ".url>string", UrlPart<&Url::scheme>, kOne},
    FunctionRow{"getHost", ".url>string", UrlPart<&Url::host>, kOne},
    FunctionRow{"getHostname", ".url>string", UrlText<&Url::Hostname>, kOne},
    FunctionRow{"getPort", ".url>string", UrlText<&Url::Port>, kOne},
    FunctionRow{"getEscapedPath", ".url>string", UrlPart<&Url::path>, kOne},
    FunctionRow{"getQuery", ".url>map(string,list(string))", Query, kOne},
};

}  // namespace
}  // namespace networks

std::span<const FunctionRow> NetworkFunctions() {
  return networks::kRows;
}

}  // namespace outrigger::cel
