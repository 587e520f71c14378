#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "outrigger/k8s/quantity.h"

// Values as bytes, for memory of this process only: nothing here checks what it reads.

namespace outrigger {

/// Quantities to the bit, with what decides upstream's answers on absurd values and how they were
/// spelled; mostly three to six bytes.
class QuantityCodec {
 public:
  static void Pack(const Quantity& quantity, std::string* out);
  static Quantity Unpack(const char** at);
};

namespace cluster {

/// Appends a number in as few groups of seven bits as it needs.
void PackNumber(uint64_t number, std::string* out);
uint64_t UnpackNumber(const char** at);

/// Small negative numbers are small, too.
void PackSigned(int64_t number, std::string* out);
int64_t UnpackSigned(const char** at);

void PackText(std::string_view text, std::string* out);
/// A view into the bytes.
std::string_view UnpackText(const char** at);

/// True if both are the same to the bit, also in how they were spelled.
bool Identical(const Quantity& a, const Quantity& b);

}  // namespace cluster
}  // namespace outrigger
