# cmake -DOUTPUT=file.cpp -DFOLDER=src/report/page -P EmbedText.cmake
#
# Writes the files of a web page as C++ string literals, so that a program carries its page along.
set(text "// Made from the files of src/report/page; edit those.\n#include \"report/page_parts.h\"\n\nnamespace pegasos::page {\n\n")
foreach(pair "kHtml=page.html" "kStyle=style.css" "kCharts=charts.js" "kScript=page.js")
  string(REPLACE "=" ";" parts ${pair})
  list(GET parts 0 name)
  list(GET parts 1 file)
  file(READ ${FOLDER}/${file} contents)
  string(APPEND text "const char* const ${name} = R\"page(${contents})page\";\n\n")
endforeach()
string(APPEND text "}  // namespace pegasos::page\n")
file(WRITE ${OUTPUT} "${text}")
