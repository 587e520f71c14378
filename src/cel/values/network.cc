#include "cel/values/network.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

constexpr size_t kFirstOfV4 = 12;
constexpr size_t kLongestText = 45;

uint8_t First(const IpAddress& ip) {
  return ip.bytes[ip.is_v4 ? kFirstOfV4 : 0];
}
uint8_t Second(const IpAddress& ip) {
  return ip.bytes[ip.is_v4 ? kFirstOfV4 + 1 : 1];
}
uint32_t WidthOf(const IpAddress& ip) {
  return ip.is_v4 ? 32 : 128;
}

bool IsMulticast(const IpAddress& ip) {
  return ip.is_v4 ? (First(ip) & 0xF0U) == 0xE0U : First(ip) == 0xFF;
}

bool IsV4InV6(const IpAddress& ip) {
  const auto zeros = ip.bytes.begin() + 10;
  return !ip.is_v4 && std::all_of(ip.bytes.begin(), zeros, [](uint8_t b) { return b == 0; }) &&
         ip.bytes[10] == 0xFF && ip.bytes[11] == 0xFF;
}

// inet_pton accepts no leading zeros in dotted parts ("01.2.3.4"), as Go's netip.
bool ReadInto(std::string_view text, IpAddress& ip) {
  if (text.empty() || text.size() > kLongestText || text.find('\0') != std::string_view::npos) {
    return false;
  }
  const std::string terminated(text);
  ip.is_v4 = text.find(':') == std::string_view::npos;
  return ip.is_v4 ? inet_pton(AF_INET, terminated.c_str(), &ip.bytes[kFirstOfV4]) == 1
                  : inet_pton(AF_INET6, terminated.c_str(), ip.bytes.data()) == 1;
}

bool SamePrefix(const IpAddress& a, const IpAddress& b, uint32_t bits) {
  const size_t begin = a.is_v4 ? kFirstOfV4 : 0;
  for (uint32_t bit = 0; bit < bits; ++bit) {
    const size_t byte = begin + bit / 8;
    const unsigned mask = 0x80U >> (bit % 8);
    if (((a.bytes[byte] ^ b.bytes[byte]) & mask) != 0) return false;
  }
  return true;
}

}  // namespace

std::string IpAddress::ToString() const {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(is_v4 ? AF_INET : AF_INET6, &bytes[is_v4 ? kFirstOfV4 : 0], text.data(), text.size());
  return text.data();
}

bool IpAddress::IsUnspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

bool IpAddress::IsLoopback() const {
  if (is_v4) return First(*this) == 127;
  return bytes.back() == 1 &&
         std::all_of(bytes.begin(), bytes.end() - 1, [](uint8_t b) { return b == 0; });
}

bool IpAddress::IsLinkLocalMulticast() const {
  if (is_v4) return First(*this) == 224 && Second(*this) == 0 && bytes[14] == 0;
  return First(*this) == 0xFF && (Second(*this) & 0x0FU) == 2;
}

bool IpAddress::IsLinkLocalUnicast() const {
  if (is_v4) return First(*this) == 169 && Second(*this) == 254;
  return First(*this) == 0xFE && (Second(*this) & 0xC0U) == 0x80U;
}

bool IpAddress::IsGlobalUnicast() const {
  const bool broadcast = is_v4 && std::all_of(bytes.begin() + kFirstOfV4, bytes.end(),
                                              [](uint8_t b) { return b == 255; });
  return !broadcast && !IsUnspecified() && !IsLoopback() && !IsMulticast(*this) &&
         !IsLinkLocalUnicast();
}

std::optional<IpAddress> ParseIp(std::string_view text) {
  IpAddress ip;
  if (!ReadInto(text, ip) || IsV4InV6(ip)) return std::nullopt;
  return ip;
}

std::optional<Cidr> ParseCidr(std::string_view text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<IpAddress> ip = ParseIp(text.substr(0, slash));
  const std::string_view bits = text.substr(slash + 1);
  if (!ip || bits.empty() || bits.size() > 3 || (bits.size() > 1 && bits.front() == '0')) {
    return std::nullopt;
  }
  Cidr cidr{*ip, 0};
  const auto read = std::from_chars(bits.data(), bits.data() + bits.size(), cidr.bits);
  if (read.ec != std::errc() || read.ptr != bits.data() + bits.size()) return std::nullopt;
  if (cidr.bits > WidthOf(*ip)) return std::nullopt;
  return cidr;
}

std::string Cidr::ToString() const {
  return Concat(address.ToString(), "/", bits);
}

Cidr Cidr::Masked() const {
  Cidr masked = *this;
  const size_t begin = address.is_v4 ? kFirstOfV4 : 0;
  for (uint32_t bit = bits; bit < WidthOf(address); ++bit) {
    masked.address.bytes[begin + bit / 8] &= static_cast<uint8_t>(~(0x80U >> (bit % 8)));
  }
  return masked;
}

bool Cidr::Contains(const IpAddress& other) const {
  return address.is_v4 == other.is_v4 && SamePrefix(address, other, bits);
}

bool Cidr::Contains(const Cidr& other) const {
  return bits <= other.bits && Contains(other.address);
}

}  // namespace outrigger::cel
