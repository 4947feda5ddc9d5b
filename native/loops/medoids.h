// k-medoids by swaps (FasterPAM: Schubert & Rousseeuw, Information Systems 101, 2021).
//
// The loss is sum_o w_o min_i D(m_i, o) over k medoids.  For every item the nearest and the second nearest medoid are
// kept, so that one pass over a row D(c, .) gives the change of the loss for swapping c against each of the k medoids:
//
//     change_i = removal_i + shared + corrections of the items whose nearest medoid is i
//     removal_i = sum_{o: nearest is i} w_o (d2_o - d1_o)
//
// The first swap that lowers the loss is made at once.  When a whole round of candidates brings none, no single swap
// lowers the loss.

#include "medoid_types.h"

namespace mercer::MERCER_ISA {

// Fill `near` for two medoids or more; of equal distances the medoid that comes first counts.
template <class T>
void nearest_two(Matrix<const T> D, Vector<const Index> medoids, Nearest near);

// removal_i for all medoids.
void removal_losses(const Nearest& near, Vector<const double> weight, Vector<double> removal);

// Look at up to `most` candidates from `next` on, and make every swap that lowers the loss by more than `least`.
//
// Stops when `since` reaches the number of items.  `medoids` and `near` follow; `removal` and `change` are scratch for
// as many numbers as there are medoids, `hits` for as many as there are items.
template <class T>
SwapsEnd swap_medoids(Matrix<const T> D, Vector<const double> weight, Vector<Index> medoids, Nearest near,
                      Vector<double> removal, Vector<std::int32_t> hits, Vector<double> change, Index next, Index since,
                      Index most, double least);

}  // namespace mercer::MERCER_ISA
