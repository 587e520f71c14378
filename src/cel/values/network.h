#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrigger::cel {

/// An IPv4 or IPv6 address. IPv4 takes the last four bytes; the others are zero.
struct IpAddress {
  bool is_v4 = false;
  std::array<uint8_t, 16> bytes = {};

  bool operator==(const IpAddress&) const = default;
  /// The canonical text (RFC 5952).
  std::string ToString() const;

  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalMulticast() const;
  bool IsLinkLocalUnicast() const;
  bool IsGlobalUnicast() const;
};

/// Reads an address. Zones and IPv4 within IPv6 ("::ffff:1.2.3.4") are refused, as by Kubernetes.
std::optional<IpAddress> ParseIp(std::string_view text);

/// A prefix of addresses. Bits of `address` beyond the prefix are kept.
struct Cidr {
  IpAddress address;
  uint32_t bits = 0;

  bool operator==(const Cidr&) const = default;
  std::string ToString() const;
  Cidr Masked() const;
  bool Contains(const IpAddress& other) const;
  bool Contains(const Cidr& other) const;
};

std::optional<Cidr> ParseCidr(std::string_view text);

}  // namespace outrigger::cel
