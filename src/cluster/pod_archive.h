#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cluster/packing.h"
#include "cluster/pod_fields.h"

// The two directions of Fields().

namespace outrigger::cluster {

/// Appends values to a text.
class PackArchive {
 public:
  explicit PackArchive(std::string* out) : out_(out) {}

  template <typename... Values>
  void operator()(const Values&... values) {
    (Put(values), ...);
  }

 private:
  void Put(const std::string& text) { PackText(text, out_); }
  void Put(const Quantity& quantity) { QuantityCodec::Pack(quantity, out_); }
  void Put(const StringMap& map) {
    PackNumber(map.size(), out_);
    for (const auto& [key, value] : map) (*this)(key, value);
  }
  void Put(const ResourceList& list) {
    PackNumber(list.size(), out_);
    for (const auto& [name, quantity] : list) (*this)(name, quantity);
  }
  template <typename T>
  void Put(const std::vector<T>& list) {
    PackNumber(list.size(), out_);
    for (const T& item : list) Put(item);
  }
  template <typename T>
  void Put(const std::optional<T>& optional) {
    Put(optional.has_value());
    if (optional.has_value()) Put(*optional);
  }
  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      *out_ += static_cast<char>(value);
    } else if constexpr (std::is_integral_v<T>) {
      PackSigned(value, out_);
    } else {
      Fields(value, *this);
    }
  }

  std::string* out_;
};

/// Reads the values back, in the same order, into values in their default state.
class UnpackArchive {
 public:
  explicit UnpackArchive(const char* at) : at_(at) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (Get(values), ...);
  }
  const char* at() const { return at_; }

 private:
  size_t Count() { return static_cast<size_t>(UnpackNumber(&at_)); }

  void Get(std::string& text) { text = UnpackText(&at_); }
  void Get(StringMap& map) {
    for (size_t left = Count(); left > 0; --left) {
      const std::string_view key = UnpackText(&at_);
      map.Append(key, UnpackText(&at_));
    }
  }
  void Get(ResourceList& list) {
    for (size_t left = Count(); left > 0; --left) {
      const std::string_view name = UnpackText(&at_);
      list.Append(name, QuantityCodec::Unpack(&at_));
    }
  }
  template <typename T>
  void Get(std::vector<T>& list) {
    list.resize(Count());
    for (T& item : list) Get(item);
  }
  template <typename T>
  void Get(std::optional<T>& optional) {
    bool has_value = false;
    Get(has_value);
    if (has_value) Get(optional.emplace());
  }
  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      value = static_cast<T>(*at_++);
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(UnpackSigned(&at_));
    } else {
      Fields(value, *this);
    }
  }

  const char* at_;
};

}  // namespace outrigger::cluster
