// Class labels: the distinct items of an array, found in one pass with a hash table.
//
// Items are told apart by their bytes, so that numbers of any width and words of a fixed width take
// the same way. Items that are equal but not in their bytes, 0.0 and -0.0, come out as two; the
// package brings them together when it sorts the few that are distinct.
#include <pybind11/numpy.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "model_handle.h"
#include "pegasos/error.h"

namespace pegasos::python {
namespace {

// A number that fits into 64 bits.
struct NumberHash {
  std::size_t operator()(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32);
  }
};

// Open addressing; the number of an item is where it came among the distinct ones.
template <typename Key, typename Hash>
class ItemTable {
 public:
  // Adds an item that is not there yet.
  void add(const Key& key) {
    ++size_;
    if (2 * size_ > slots_.size()) grow();
    slots_[place_of(key)] = {key, size_};
  }
  // Its number, or kNone.
  std::uint32_t find(const Key& key) const { return slots_[place_of(key)].number - 1; }

  static constexpr std::uint32_t kNone = UINT32_MAX;

 private:
  struct Slot {
    Key key = {};
    std::uint32_t number = 0;  // from 1; 0 where there is nothing
  };

  std::size_t place_of(const Key& key) const {
    std::size_t at = Hash()(key) & (slots_.size() - 1);
    while (slots_[at].number != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.number != 0) slots_[place_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::uint32_t size_ = 0;
};

// Contiguous items of one size, of numbers or of bytes.
template <typename Number>
struct Numbers {
  using Table = ItemTable<std::uint64_t, NumberHash>;
  const char* bytes;
  Number number(std::size_t i) const {
    Number number = 0;
    std::memcpy(&number, bytes + i * sizeof(Number), sizeof(Number));
    return number;
  }
  std::uint64_t operator[](std::size_t i) const { return number(i); }
};

struct Words {
  using Table = ItemTable<std::string_view, std::hash<std::string_view>>;
  const char* bytes;
  std::size_t size;
  std::string_view operator[](std::size_t i) const { return {bytes + i * size, size}; }
};

// Calls `work` with the items of an array, and without the GIL.
template <typename Work>
void with_items(const py::array& items, Work&& work) {
  const bool plain = items.ndim() == 1 && (items.flags() & py::array::c_style) != 0;
  if (!plain || items.dtype().kind() == 'O' || items.size() >= UINT32_MAX) {
    throw InvalidOption("items", "must be a contiguous array of numbers or words");
  }
  const auto* bytes = static_cast<const char*>(items.data());
  const auto size = static_cast<std::size_t>(items.itemsize());
  const py::gil_scoped_release release;
  switch (size) {
    case 1:
      return work(Numbers<std::uint8_t>{bytes});
    case 2:
      return work(Numbers<std::uint16_t>{bytes});
    case 4:
      return work(Numbers<std::uint32_t>{bytes});
    case 8:
      return work(Numbers<std::uint64_t>{bytes});
    default:
      return work(Words{bytes, size});
  }
}

// Whether rows have no other items than the first few found so far. Labels mostly have two kinds,
// and comparing with both is several times as fast as looking one up.
template <typename Items>
bool all_among(const Items& of_row, std::size_t begin, std::size_t end,
               const std::vector<std::int64_t>& first) {
  if constexpr (std::is_same_v<Items, Words>) {
    return false;
  } else {
    if (first.empty() || first.size() > 2) return false;
    const auto one = of_row.number(static_cast<std::size_t>(first.front()));
    const auto other = of_row.number(static_cast<std::size_t>(first.back()));
    bool among = true;
    for (std::size_t i = begin; i < end; ++i) {
      const auto item = of_row.number(i);
      among &= (item == one) | (item == other);
    }
    return among;
  }
}

// The rows where each of the distinct items is first found.
py::array_t<std::int64_t> distinct_python(const py::array& items) {
  std::vector<std::int64_t> first;
  const auto rows = static_cast<std::size_t>(items.size());
  with_items(items, [&]<typename Items>(const Items& of_row) {
    typename Items::Table table;
    constexpr std::size_t kBlock = 1024;
    for (std::size_t begin = 0; begin < rows; begin += kBlock) {
      const std::size_t end = std::min(rows, begin + kBlock);
      if (all_among(of_row, begin, end, first)) continue;
      for (std::size_t i = begin; i < end; ++i) {
        const auto item = of_row[i];
        if (table.find(item) != Items::Table::kNone) continue;
        table.add(item);
        first.push_back(static_cast<std::int64_t>(i));
      }
    }
  });
  return to_numpy(std::move(first));
}

// The value of each row's item: values[k] is that of the item in row first[k].
py::array_t<double> values_of_python(const py::array& items, const std::vector<std::size_t>& first,
                                     const std::vector<double>& values) {
  const auto rows = static_cast<std::size_t>(items.size());
  py::array_t<double> result(items.size());
  double* to = result.mutable_data();
  if (first.size() != values.size()) throw InvalidOption("values", "must be one for each item");
  with_items(items, [&]<typename Items>(const Items& of_row) {
    typename Items::Table table;
    for (const std::size_t row : first) {
      if (row >= rows) throw InvalidOption("first", "must be rows of the items");
      table.add(of_row[row]);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint32_t number = table.find(of_row[i]);
      if (number >= values.size()) throw InvalidOption("first", "must have every item");
      to[i] = values[number];
    }
  });
  return result;
}

}  // namespace

void bind_labels(py::module_& module) {
  module.def("distinct", &distinct_python, py::arg("items"));
  module.def("values_of", &values_of_python, py::arg("items"), py::arg("first"), py::arg("values"));
}

}  // namespace pegasos::python
