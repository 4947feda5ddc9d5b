// Connected induced subgraphs of few nodes.

#include "graph_types.h"

namespace mercer::MERCER_ISA {

// counts(g, kind[b]) <- how many connected induced subgraphs of `size` nodes have the bits b: bit j (j - 1) / 2 + i says
// whether its nodes i < j are adjacent.  Each subgraph is found once (Wernicke, 2006).
void graphlets(Graphs graphs, Index size, Vector<const Index> kind, Matrix<double> counts);

}  // namespace mercer::MERCER_ISA
