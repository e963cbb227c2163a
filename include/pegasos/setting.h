// Setting: an option by the name of its field, and a value as text. Recorded settings, hints and
// front ends exchange options in this form; each front end spells it its own way.
#pragma once

#include <string>

namespace pegasos {

struct Setting {
  std::string name = {};   // "max_epochs"
  std::string value = {};  // "100"; of a flag "yes"

  friend bool operator==(const Setting&, const Setting&) = default;
};

}  // namespace pegasos
