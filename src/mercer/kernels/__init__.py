from mercer.kernels.algebra import *
