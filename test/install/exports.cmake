# Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LIBRARY exports names of namespace tegula, and nothing else.
execute_process(COMMAND ${NM} -D --defined-only "${LIBRARY}" OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" names "${names}")
list(FILTER names INCLUDE REGEX ".")
list(LENGTH names count)
# _ZN 6tegula..., const and reference members, vtables, type information, guards and thunks of them.
list(FILTER names EXCLUDE REGEX " _Z(N|NK|NR|NKR|NO|NKO|TVN|TIN|TSN|TTN|GVN|T[hv][n0-9_]*N[KRO]*)6tegula")
if(count EQUAL 0 OR names)
  list(JOIN names "\n" names)
  message(FATAL_ERROR "${LIBRARY} exports ${count} names, of which these are not ours:\n${names}")
endif()
