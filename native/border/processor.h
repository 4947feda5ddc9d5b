// Which x86-64 levels this processor and its operating system have, asked by the cpuid instruction.
//
// Compilers have __builtin_cpu_supports for this, but it needs a library that some of them (zig) do not have.  Bits are
// numbered as in the manuals of Intel and AMD; a level is a set of them, as the System V ABI defines it.
#pragma once

#include <cpuid.h>

#include <cstdint>
#include <initializer_list>

namespace mercer {

class Processor {
   public:
    Processor() {
        std::uint32_t a = 0, b = 0, c = 0, d = 0;
        if (__get_cpuid(1, &a, &b, &c, &d)) basic_ = c;
        if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
            extended_ = b;
            more_ = c;
        }
        if (__get_cpuid(0x80000001u, &a, &b, &c, &d)) amd_ = c;
        if (bits(basic_, {OSXSAVE})) saved_ = saved_registers();
    }

    // SSE3, SSSE3, SSE4.1, SSE4.2, CMPXCHG16B, POPCNT, LAHF.
    bool v2() const { return bits(basic_, {0, 9, 19, 20, 13, 23}) && bits(amd_, {0}); }

    // AVX, AVX2, FMA, F16C, MOVBE, BMI1, BMI2, LZCNT; the system saves the 256-bit registers.
    bool v3() const {
        return v2() && bits(basic_, {28, 12, 29, 22}) && bits(extended_, {5, 3, 8}) && bits(amd_, {5}) &&
               bits(saved_, {1, 2});
    }

    // AVX-512 F, DQ, CD, BW, VL; the system saves the 512-bit registers and the masks.
    bool v4() const { return v3() && bits(extended_, {16, 17, 28, 30, 31}) && bits(saved_, {5, 6, 7}); }

    // AVX512_VPOPCNTDQ, which no level has: the ones of eight words in one instruction.
    bool counts_vectors() const { return v4() && bits(more_, {14}); }

   private:
    static constexpr int OSXSAVE = 27;

    static bool bits(std::uint32_t word, std::initializer_list<int> wanted) {
        for (int bit : wanted)
            if (!(word >> bit & 1u)) return false;
        return true;
    }

    // The register XCR0: the kinds of registers that the system keeps when it switches between threads.
    static std::uint32_t saved_registers() {
        std::uint32_t low, high;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        return low;
    }

    std::uint32_t basic_ = 0, extended_ = 0, more_ = 0, amd_ = 0, saved_ = 0;
};

}  // namespace mercer
