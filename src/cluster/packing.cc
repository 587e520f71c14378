#include "cluster/packing.h"

#include <cstddef>

namespace outrigger {
namespace cluster {

void PackNumber(uint64_t number, std::string* out) {
  for (; number >= 0x80; number >>= 7) *out += static_cast<char>(number | 0x80);
  *out += static_cast<char>(number);
}

uint64_t UnpackNumber(const char** at) {
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(*(*at)++);
    number |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
}

void PackSigned(int64_t number, std::string* out) {
  PackNumber((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63), out);
}

int64_t UnpackSigned(const char** at) {
  const uint64_t number = UnpackNumber(at);
  return static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
}

void PackText(std::string_view text, std::string* out) {
  PackNumber(text.size(), out);
  out->append(text);
}

std::string_view UnpackText(const char** at) {
  const auto size = static_cast<size_t>(UnpackNumber(at));
  const std::string_view text(*at, size);
  *at += size;
  return text;
}

bool Identical(const Quantity& a, const Quantity& b) {
  std::string packed[2];
  QuantityCodec::Pack(a, &packed[0]);
  QuantityCodec::Pack(b, &packed[1]);
  return packed[0] == packed[1];
}

}  // namespace cluster

namespace {

// The first byte: the format in two bits, and what else follows.
constexpr unsigned kFormat = 3;
constexpr unsigned kSlow = 4;     // decimal places follow
constexpr unsigned kWide = 8;     // 128 bits follow instead of 64
constexpr unsigned kScaled = 16;  // a scale follows
constexpr unsigned kRepeated = 32;
constexpr unsigned kSpelled = 64;  // the rest of the spelling follows

}  // namespace

void QuantityCodec::Pack(const Quantity& quantity, std::string* out) {
  const Quantity::Spelling& spelling = quantity.spelling_;
  const auto low = static_cast<int64_t>(quantity.unscaled_);
  const bool wide = low != quantity.unscaled_;
  const bool spelled = spelling.plus || spelling.zeros != 0 || spelling.point != 0 ||
                       spelling.exponent_mark != 0 || spelling.exponent_sign != 0 ||
                       spelling.exponent_zeros != 0;
  *out += static_cast<char>(static_cast<unsigned>(quantity.format_) | (quantity.fast_ ? 0 : kSlow) |
                            (wide ? kWide : 0) | (quantity.scale_ != 0 ? kScaled : 0) |
                            (spelling.repeated ? kRepeated : 0) | (spelled ? kSpelled : 0));
  cluster::PackSigned(low, out);
  if (wide) cluster::PackSigned(static_cast<int64_t>(quantity.unscaled_ >> 64), out);
  if (quantity.scale_ != 0) cluster::PackSigned(quantity.scale_, out);
  if (!quantity.fast_) cluster::PackSigned(quantity.slow_places_, out);
  if (!spelled) return;
  for (const uint8_t byte :
       {static_cast<uint8_t>(spelling.plus), spelling.zeros, spelling.point,
        static_cast<uint8_t>(spelling.exponent_mark), static_cast<uint8_t>(spelling.exponent_sign),
        spelling.exponent_zeros}) {
    *out += static_cast<char>(byte);
  }
}

Quantity QuantityCodec::Unpack(const char** at) {
  const auto flags = static_cast<uint8_t>(*(*at)++);
  Quantity quantity;
  quantity.format_ = static_cast<Quantity::Format>(flags & kFormat);
  quantity.unscaled_ = cluster::UnpackSigned(at);
  if ((flags & kWide) != 0) {
    const auto low = static_cast<uint64_t>(quantity.unscaled_);
    const auto high = static_cast<Quantity::Int128>(cluster::UnpackSigned(at));
    quantity.unscaled_ = (high << 64) | low;
  }
  if ((flags & kScaled) != 0) quantity.scale_ = static_cast<int16_t>(cluster::UnpackSigned(at));
  quantity.fast_ = (flags & kSlow) == 0;
  if (!quantity.fast_) quantity.slow_places_ = static_cast<int16_t>(cluster::UnpackSigned(at));
  Quantity::Spelling& spelling = quantity.spelling_;
  spelling.repeated = (flags & kRepeated) != 0;
  if ((flags & kSpelled) == 0) return quantity;
  spelling.plus = *(*at)++ != 0;
  spelling.zeros = static_cast<uint8_t>(*(*at)++);
  spelling.point = static_cast<uint8_t>(*(*at)++);
  spelling.exponent_mark = *(*at)++;
  spelling.exponent_sign = *(*at)++;
  spelling.exponent_zeros = static_cast<uint8_t>(*(*at)++);
  return quantity;
}

}  // namespace outrigger
