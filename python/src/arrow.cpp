// Tables of Arrow's C stream interface, as rows of float32.
//
// A stream is three structs of C, whose layout Arrow promises never to change; they are declared
// here, so nothing has to be installed. Every producer (pyarrow, polars, DuckDB, …) hands one out
// by `__arrow_c_stream__`. Columns of numbers and booleans become columns of the matrix. A
// dictionary column becomes the places of its values among the column's categories. Missing values
// are NaN.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.h"
#include "model_handle.h"
#include "pegasos/error.h"

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace pegasos::python {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kRowsAtATime = 256;  // whose rows of the matrix stay in the cache

// One of the three structs, released when it is no longer needed.
template <typename Struct>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  Struct* operator->() { return &value_; }
  const Struct* operator->() const { return &value_; }
  Struct* get() { return &value_; }

 private:
  Struct value_ = {};
};

[[noreturn]] void refuse(const std::string& what) {
  throw InvalidOption("X", what);
}

// An item of a buffer that need not be aligned.
template <typename T>
T item(const void* buffer, std::int64_t at) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + at * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

bool bit(const void* buffer, std::int64_t at) {
  return (item<std::uint8_t>(buffer, at / 8) >> (at % 8) & 1) != 0;
}

bool is_missing(const ArrowArray& array, std::int64_t at) {
  return array.null_count != 0 && array.buffers[0] != nullptr && !bit(array.buffers[0], at);
}

float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const auto fraction = static_cast<float>(half & 1023);
  const float size = exponent == 31
                         ? (fraction == 0 ? std::numeric_limits<float>::infinity() : kMissing)
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

using Reader = double (*)(const void* buffer, std::int64_t at);

template <typename T>
double read_number(const void* buffer, std::int64_t at) {
  return static_cast<double>(item<T>(buffer, at));
}

// How numbers of a format are read; nullptr for what is no number.
Reader reader_of(std::string_view format) {
  static const std::map<std::string_view, Reader> readers = {
      {"c", read_number<std::int8_t>},
      {"C", read_number<std::uint8_t>},
      {"s", read_number<std::int16_t>},
      {"S", read_number<std::uint16_t>},
      {"i", read_number<std::int32_t>},
      {"I", read_number<std::uint32_t>},
      {"l", read_number<std::int64_t>},
      {"L", read_number<std::uint64_t>},
      {"f", read_number<float>},
      {"g", read_number<double>},
      {"b", [](const void* buffer, std::int64_t at) { return bit(buffer, at) ? 1.0 : 0.0; }},
      {"e", [](const void* buffer,
               std::int64_t at) { return double{from_half(item<std::uint16_t>(buffer, at))}; }},
  };
  const auto found = readers.find(format);
  return found == readers.end() ? nullptr : found->second;
}

// A text of 16 bytes: short ones are in it, others in one of the buffers behind the first two.
std::string_view viewed_text(const ArrowArray& array, std::int64_t at) {
  const char* view = static_cast<const char*>(array.buffers[1]) + 16 * at;
  const auto size = item<std::int32_t>(view, 0);
  if (size <= 12) return {view + 4, static_cast<std::size_t>(size)};
  const auto* buffer = static_cast<const char*>(array.buffers[2 + item<std::int32_t>(view, 2)]);
  return {buffer + item<std::int32_t>(view, 3), static_cast<std::size_t>(size)};
}

template <typename Offset>
std::string_view text(const ArrowArray& array, std::int64_t at) {
  const auto begin = item<Offset>(array.buffers[1], at);
  const auto end = item<Offset>(array.buffers[1], at + 1);
  return {static_cast<const char*>(array.buffers[2]) + begin,
          static_cast<std::size_t>(end - begin)};
}

// A value of a dictionary as Python's.
py::object category(const ArrowArray& values, std::string_view format, std::int64_t at) {
  at += values.offset;
  if (is_missing(values, at)) return py::none();
  if (format == "u") return py::str(std::string(text<std::int32_t>(values, at)));
  if (format == "U") return py::str(std::string(text<std::int64_t>(values, at)));
  if (format == "vu") return py::str(std::string(viewed_text(values, at)));
  const Reader read = reader_of(format);
  if (read == nullptr) return py::object();
  const double value = read(values.buffers[1], at);
  if (format == "b") return py::bool_(value != 0);
  if (format == "f" || format == "g" || format == "e") return py::float_(value);
  return py::int_(static_cast<std::int64_t>(value));
}

// A column of the table.
struct Column {
  std::string name;
  Reader read = nullptr;  // of numbers, or of places in a dictionary
  bool is_category = false;
  std::string format;                           // of the dictionary's values
  py::list categories;                          // of all chunks
  py::dict places = {};                         // of the categories
  std::vector<std::vector<float>> chunks = {};  // for each chunk its dictionary's places among them
};

std::vector<Column> columns_of(const ArrowSchema& schema) {
  if (std::string_view(schema.format) != "+s") {
    refuse("is an Arrow array, not a table: give a table or a record batch");
  }
  std::vector<Column> columns;
  for (std::int64_t k = 0; k < schema.n_children; ++k) {
    const ArrowSchema& child = *schema.children[k];
    Column column;
    column.name = child.name == nullptr ? "" : child.name;
    column.read = reader_of(child.format);
    column.is_category = child.dictionary != nullptr;
    if (column.is_category) column.format = child.dictionary->format;
    if (column.read == nullptr) {
      refuse(fmt::format(
          "has a column '{}' of Arrow type '{}'; numbers, booleans and dictionaries can "
          "be used (make text a dictionary, and a date a number)",
          column.name, child.format));
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// Adds the categories of one more chunk.
void add_dictionary(Column& column, const ArrowArray& values) {
  std::vector<float> places;
  for (std::int64_t at = 0; at < values.length; ++at) {
    const py::object value = category(values, column.format, at);
    if (!value)
      refuse(fmt::format("has a column '{}' whose categories are no text and no numbers",
                         column.name));
    if (value.is_none()) {
      places.push_back(kMissing);
      continue;
    }
    if (!column.places.contains(value)) {
      column.places[value] = py::int_(column.places.size());
      column.categories.append(value);
    }
    places.push_back(column.places[value].cast<float>());
  }
  column.chunks.push_back(std::move(places));
}

// Rows of one chunk into a column of the matrix.
void fill(const Column& column, const ArrowArray& array, std::size_t chunk, std::int64_t begin,
          std::int64_t end, std::size_t width, float* to) {
  for (std::int64_t i = begin; i < end; ++i, to += width) {
    const std::int64_t at = array.offset + i;
    if (is_missing(array, at)) {
      *to = kMissing;
      continue;
    }
    const double value = column.read(array.buffers[1], at);
    if (!column.is_category) {
      *to = static_cast<float>(value);
      continue;
    }
    const std::vector<float>& places = column.chunks[chunk];
    *to = value >= 0 && value < static_cast<double>(places.size())
              ? places[static_cast<std::size_t>(value)]
              : kMissing;
  }
}

using Chunks = std::vector<std::unique_ptr<Owned<ArrowArray>>>;

Chunks read_chunks(ArrowArrayStream& stream, std::vector<Column>& columns) {
  Chunks chunks;
  while (true) {
    auto chunk = std::make_unique<Owned<ArrowArray>>();
    if (stream.get_next(&stream, chunk->get()) != 0) {
      const char* why = stream.get_last_error(&stream);
      refuse(fmt::format("cannot be read: {}", why == nullptr ? "its stream has failed" : why));
    }
    if ((*chunk)->release == nullptr) return chunks;  // the end
    if ((*chunk)->n_children != static_cast<std::int64_t>(columns.size())) {
      refuse("has chunks with different columns");
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const ArrowArray& column = *(*chunk)->children[k];
      if (columns[k].is_category) add_dictionary(columns[k], *column.dictionary);
    }
    chunks.push_back(std::move(chunk));
  }
}

void fill_matrix(const std::vector<Column>& columns, const Chunks& chunks, float* to) {
  const std::size_t width = columns.size();
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    ArrowArray& chunk = *chunks[c]->get();
    for (std::int64_t begin = 0; begin < chunk.length; begin += kRowsAtATime) {
      const std::int64_t end = std::min(chunk.length, begin + kRowsAtATime);
      for (std::size_t k = 0; k < width; ++k) {  // a table's own offset comes before its columns'
        fill(columns[k], *chunk.children[k], c, chunk.offset + begin, chunk.offset + end, width,
             to + k);
      }
      to += static_cast<std::size_t>(end - begin) * width;
    }
  }
}

// The names of the columns, a matrix, and for each column its categories or None.
py::tuple read_arrow_python(const py::capsule& capsule) {
  if (std::string_view(capsule.name() == nullptr ? "" : capsule.name()) != "arrow_array_stream") {
    refuse("is no Arrow stream");
  }
  auto& stream = *static_cast<ArrowArrayStream*>(capsule.get_pointer());
  if (stream.release == nullptr) refuse("is an Arrow stream that was read already");
  Owned<ArrowSchema> schema;
  if (stream.get_schema(&stream, schema.get()) != 0) refuse("is an Arrow stream without a schema");
  std::vector<Column> columns = columns_of(*schema.get());
  const Chunks chunks = read_chunks(stream, columns);
  std::int64_t rows = 0;
  for (const auto& chunk : chunks) rows += (*chunk)->length;
  py::array_t<float> matrix({rows, static_cast<std::int64_t>(columns.size())});
  float* to = matrix.mutable_data();
  {
    const py::gil_scoped_release release;
    fill_matrix(columns, chunks, to);
  }
  py::list names;
  py::list categories;
  for (const Column& column : columns) {
    names.append(column.name);
    categories.append(column.is_category ? py::object(column.categories) : py::object(py::none()));
  }
  return py::make_tuple(names, matrix, categories);
}

}  // namespace

void bind_arrow(py::module_& module) {
  module.def("read_arrow", &read_arrow_python, py::arg("stream"));
}

}  // namespace pegasos::python
