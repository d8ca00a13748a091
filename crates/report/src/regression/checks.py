LIBM = ctypes.CDLL("libm.so.6")

# What <fenv.h> calls them on this machine.
X86 = platform.machine() in ("x86_64", "i686", "AMD64")
INVALID, DIVBYZERO, OVERFLOW, UNDERFLOW, INEXACT = (1, 4, 8, 16, 32) if X86 else (1, 2, 4, 8, 16)
ALL = INVALID | DIVBYZERO | OVERFLOW | UNDERFLOW | INEXACT


class Float(ctypes.c_float):
    pass


class Double(ctypes.c_double):
    pass


def is_finite(number):
    return number - number == 0


def place(number, code):
    """The place of a float among those of its format in order; both zeros are counted."""
    bits = struct.unpack("<i" if code == "f" else "<q", struct.pack("<" + code, number))[0]
    return bits if bits >= 0 else ~(bits & (0x7FFFFFFF if code == "f" else 0x7FFFFFFFFFFFFFFF))


def apart(a, b, code):
    """How many floats two floats are apart."""
    return abs(place(a, code) - place(b, code))
