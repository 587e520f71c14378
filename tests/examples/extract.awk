# Writes each example of C++ into a file of its own, and its name to stdout: of a header the blocks
# of "///     ...", of a page the blocks of ```cpp.
#
#   awk -v out=FOLDER -v stem=NAME -f extract.awk FILE
#
# The Nth of a file is FOLDER/NAME_N.inc.
function begin() {
  name = stem "_" ++count ".inc"
  print name
  printf "" >(out "/" name)
}
FILENAME ~ /\.md$/ {
  if (/^ *```cpp$/) { begin(); open = 1; next }
  if (/^ *```$/) { open = 0 }
  if (open) { print >(out "/" name) }
  next
}
/^ *\/\/\/     / {
  if (!open) begin()
  open = 1
  sub(/^ *\/\/\/     /, "")
  print >(out "/" name)
  next
}
# An empty line of a comment may stand within an example; what follows says whether it does.
/^ *\/\/\/$/ && open { next }
{ open = 0 }
