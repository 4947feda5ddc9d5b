# Fails if the objects of loops/ define a weak function that does not name their instruction set.
#
# Of several weak definitions of one function the linker keeps the first it meets.  If std::sort<double*> or
# Matrix<double>::row were compiled here with AVX-512 instructions, that might be the one that runs on a processor
# without them.  A name that holds mercer::v4 is the only one of its kind.
#
#     cmake -DNM=nm -DISA=v4 "-DOBJECTS=a.o;b.o" -P weak_symbols.cmake

execute_process(COMMAND ${NM} --defined-only ${OBJECTS} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " W [^\n]+" weak "${symbols}") # functions; V and u are data
string(LENGTH ${ISA} length)
list(FILTER weak EXCLUDE REGEX "6mercer${length}${ISA}") # mangled
if(weak)
  list(JOIN weak "\n " names)
  message(FATAL_ERROR "loops compiled for ${ISA} define functions that other code may share:\n ${names}\n"
    "Make them static, or put them into namespace mercer::MERCER_ISA (`c++filt` shows their names).")
endif()
