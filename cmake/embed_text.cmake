# cmake -DFROM=kubernetes.types -DTO=kubernetes_types.inc -P embed_text.cmake
# A text as string literals of C++ behind commas, each of a length that every compiler takes.
file(READ "${FROM}" text)
string(LENGTH "${text}" length)
set(literals "")
foreach(begin RANGE 0 ${length} 60000)
  string(SUBSTRING "${text}" ${begin} 60000 part)
  string(APPEND literals "R\"TEXT(${part})TEXT\",\n")
endforeach()
# Only what has changed is compiled again.
set(before "")
if(EXISTS "${TO}")
  file(READ "${TO}" before)
endif()
if(NOT before STREQUAL literals)
  file(WRITE "${TO}" "${literals}")
endif()
