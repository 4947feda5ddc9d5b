// k-medoids by swaps (FasterPAM: Schubert & Rousseeuw, Information Systems 101, 2021).
//
// The loss is sum_o w_o min_i D(m_i, o) over k medoids.  D has a row for every candidate and a column for every item;
// the items may be a sample of the candidates.  For every item the nearest and the second nearest medoid are kept, so
// that one pass over a row D(c, .) gives the change of the loss for swapping c against each of the k medoids:
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

// For every candidate, a row of D: the lowest change of the loss by a swap of it against a medoid, and the place of that
// medoid.  `removal` must be up to date; `hits` is scratch for as many numbers as there are items, `scratch` for as many
// as there are medoids.
template <class T>
void swap_changes(Matrix<const T> D, Vector<const double> weight, const Nearest& near, Vector<const double> removal,
                  Vector<std::int32_t> hits, Vector<double> scratch, Vector<double> change, Vector<std::int32_t> place);

// gain_c = sum_o w_o max(d1_o - D(c, o), 0): by how much the loss falls if candidate c becomes one more medoid.
template <class T>
void gains(Matrix<const T> D, Vector<const double> weight, Vector<const double> d1, Vector<double> gain);

// Look at up to `most` candidates from `next` on, and make every swap that lowers the loss by more than `least`.
//
// Stops when `since` reaches the number of candidates.  `medoids` and `near` follow; `removal` and `change` are scratch for
// as many numbers as there are medoids, `hits` for as many as there are items.
template <class T>
SwapsEnd swap_medoids(Matrix<const T> D, Vector<const double> weight, Vector<Index> medoids, Nearest near,
                      Vector<double> removal, Vector<std::int32_t> hits, Vector<double> change, Index next, Index since,
                      Index most, double least);

}  // namespace mercer::MERCER_ISA
