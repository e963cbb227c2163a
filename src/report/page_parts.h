// The files of src/report/page as texts; made by cmake/EmbedText.cmake when building.
#pragma once

namespace pegasos::page {

extern const char* const kHtml;
extern const char* const kStyle;
extern const char* const kCharts;
extern const char* const kScript;

}  // namespace pegasos::page
