// A vector that owns its memory, for scratch; its elements are not initialised.

#include "scratch.h"
#include "views.h"

namespace mercer::MERCER_ISA {

template <class T>
class Buffer {
   public:
    explicit Buffer(Index size)
        : data_(static_cast<T*>(take_scratch(static_cast<std::size_t>(size) * sizeof(T)))), size_(size) {}
    ~Buffer() { return_scratch(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    T& operator[](Index i) const { return data_[i]; }
    T* data() const { return data_; }
    Index size() const { return size_; }
    Vector<T> first(Index size) const { return {data_, size}; }
    Matrix<T> square(Index side) const { return {data_, side, side, side}; }

   private:
    T* data_;
    Index size_;
};

// More memory if there is too little; what was in it is lost.
template <class T>
class Room {
   public:
    Room() = default;
    ~Room() { return_scratch(data_); }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    T* at_least(Index size) {
        if (size > size_) {
            return_scratch(data_);
            data_ = nullptr;
            size_ = 0;
            data_ = static_cast<T*>(take_scratch(static_cast<std::size_t>(size) * sizeof(T)));
            size_ = size;
        }
        return data_;
    }

    void swap(Room& other) {
        T* const data = data_;
        const Index size = size_;
        data_ = other.data_;
        size_ = other.size_;
        other.data_ = data;
        other.size_ = size;
    }

   private:
    T* data_ = nullptr;
    Index size_ = 0;
};

inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }
inline Index smaller(Index a, Index b) { return a < b ? a : b; }
inline Index larger(Index a, Index b) { return a > b ? a : b; }
inline double size_of(double a) { return a < 0.0 ? -a : a; }

}  // namespace mercer::MERCER_ISA
