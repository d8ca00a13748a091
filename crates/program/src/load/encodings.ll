; glibc's nextafter, ilogb and logb, which are made of encodings: they are not in the library's bitcode, for `verify` answers them itself. Products and
; sums whose results are not used raise what the function raises.

declare ptr @__errno_location()
declare i64 @llvm.ctlz.i64(i64, i1)
declare i32 @llvm.ctlz.i32(i32, i1)

define double @nextafter(double %x, double %y) {
start:
  %unordered = fcmp uno double %x, %y
  br i1 %unordered, label %nan, label %ordered
nan:
  %sum = fadd double %x, %y
  ret double %sum
ordered:
  %bits = bitcast double %x to i64
  %to = bitcast double %y to i64
  %magnitude = and i64 %bits, 9223372036854775807
  %zero = icmp eq i64 %magnitude, 0
  %to.magnitude = and i64 %to, 9223372036854775807
  %to.zero = icmp eq i64 %to.magnitude, 0
  %zeros = and i1 %zero, %to.zero
  %same.bits = icmp eq i64 %bits, %to
  %same = or i1 %zeros, %same.bits
  br i1 %same, label %there, label %apart
there:
  ret double %y
apart:
  br i1 %zero, label %from.zero, label %step
from.zero:
  %sign = and i64 %to, -9223372036854775808
  %least.bits = or i64 %sign, 1
  %least = bitcast i64 %least.bits to double
  %square = fmul double %least, %least
  ret double %least
step:
  %differ = xor i64 %bits, %to
  %across = icmp slt i64 %differ, 0
  %shorter = icmp ugt i64 %magnitude, %to.magnitude
  %inwards = or i1 %across, %shorter
  %by = select i1 %inwards, i64 -1, i64 1
  %next.bits = add i64 %bits, %by
  %next = bitcast i64 %next.bits to double
  %next.magnitude = and i64 %next.bits, 9223372036854775807
  %beyond = icmp uge i64 %next.magnitude, 9218868437227405312
  br i1 %beyond, label %overflow, label %inside
overflow:
  %double = fadd double %x, %x
  %errno = call ptr @__errno_location()
  store i32 34, ptr %errno
  ret double %next
inside:
  %tiny = icmp ult i64 %next.magnitude, 4503599627370496
  br i1 %tiny, label %underflow, label %normal
underflow:
  %tiny.square = fmul double %x, %x
  %tiny.errno = call ptr @__errno_location()
  store i32 34, ptr %tiny.errno
  ret double %next
normal:
  ret double %next
}

define i32 @labrys_exponent(i64 %magnitude) {
start:
  %field = lshr i64 %magnitude, 52
  %subnormal = icmp eq i64 %field, 0
  br i1 %subnormal, label %small, label %normal
small:
  %zeros = call i64 @llvm.ctlz.i64(i64 %magnitude, i1 true)
  %small.exponent = sub i64 -1011, %zeros
  br label %done
normal:
  %normal.exponent = sub i64 %field, 1023
  br label %done
done:
  %exponent = phi i64 [ %small.exponent, %small ], [ %normal.exponent, %normal ]
  %int = trunc i64 %exponent to i32
  ret i32 %int
}

define i32 @ilogb(double %x) {
start:
  %bits = bitcast double %x to i64
  %magnitude = and i64 %bits, 9223372036854775807
  %zero = icmp eq i64 %magnitude, 0
  %special = icmp uge i64 %magnitude, 9218868437227405312
  %none = or i1 %zero, %special
  br i1 %none, label %invalid, label %finite
invalid:
  %infinite = icmp eq i64 %magnitude, 9218868437227405312
  %result = select i1 %infinite, i32 2147483647, i32 -2147483648
  %undefined = fdiv double 0.0, 0.0
  %errno = call ptr @__errno_location()
  store i32 33, ptr %errno
  ret i32 %result
finite:
  %exponent = call i32 @labrys_exponent(i64 %magnitude)
  ret i32 %exponent
}

define double @logb(double %x) {
start:
  %bits = bitcast double %x to i64
  %magnitude = and i64 %bits, 9223372036854775807
  %zero = icmp eq i64 %magnitude, 0
  br i1 %zero, label %pole, label %other
pole:
  %absolute = bitcast i64 %magnitude to double
  %infinity = fdiv double -1.0, %absolute
  %errno = call ptr @__errno_location()
  store i32 34, ptr %errno
  ret double %infinity
other:
  %special = icmp uge i64 %magnitude, 9218868437227405312
  br i1 %special, label %endless, label %finite
endless:
  %square = fmul double %x, %x
  ret double %square
finite:
  %int = call i32 @labrys_exponent(i64 %magnitude)
  %exponent = sitofp i32 %int to double
  ret double %exponent
}

define float @nextafterf(float %x, float %y) {
start:
  %unordered = fcmp uno float %x, %y
  br i1 %unordered, label %nan, label %ordered
nan:
  %sum = fadd float %x, %y
  ret float %sum
ordered:
  %bits = bitcast float %x to i32
  %to = bitcast float %y to i32
  %magnitude = and i32 %bits, 2147483647
  %zero = icmp eq i32 %magnitude, 0
  %to.magnitude = and i32 %to, 2147483647
  %to.zero = icmp eq i32 %to.magnitude, 0
  %zeros = and i1 %zero, %to.zero
  %same.bits = icmp eq i32 %bits, %to
  %same = or i1 %zeros, %same.bits
  br i1 %same, label %there, label %apart
there:
  ret float %y
apart:
  br i1 %zero, label %from.zero, label %step
from.zero:
  %sign = and i32 %to, -2147483648
  %least.bits = or i32 %sign, 1
  %least = bitcast i32 %least.bits to float
  %square = fmul float %least, %least
  ret float %least
step:
  %differ = xor i32 %bits, %to
  %across = icmp slt i32 %differ, 0
  %shorter = icmp ugt i32 %magnitude, %to.magnitude
  %inwards = or i1 %across, %shorter
  %by = select i1 %inwards, i32 -1, i32 1
  %next.bits = add i32 %bits, %by
  %next = bitcast i32 %next.bits to float
  %next.magnitude = and i32 %next.bits, 2147483647
  %beyond = icmp uge i32 %next.magnitude, 2139095040
  br i1 %beyond, label %overflow, label %inside
overflow:
  %double = fadd float %x, %x
  %errno = call ptr @__errno_location()
  store i32 34, ptr %errno
  ret float %next
inside:
  %tiny = icmp ult i32 %next.magnitude, 8388608
  br i1 %tiny, label %underflow, label %normal
underflow:
  %tiny.square = fmul float %x, %x
  %tiny.errno = call ptr @__errno_location()
  store i32 34, ptr %tiny.errno
  ret float %next
normal:
  ret float %next
}

define i32 @labrys_exponentf(i32 %magnitude) {
start:
  %field = lshr i32 %magnitude, 23
  %subnormal = icmp eq i32 %field, 0
  br i1 %subnormal, label %small, label %normal
small:
  %zeros = call i32 @llvm.ctlz.i32(i32 %magnitude, i1 true)
  %small.exponent = sub i32 -118, %zeros
  br label %done
normal:
  %normal.exponent = sub i32 %field, 127
  br label %done
done:
  %exponent = phi i32 [ %small.exponent, %small ], [ %normal.exponent, %normal ]
  %int = add i32 %exponent, 0
  ret i32 %int
}

define i32 @ilogbf(float %x) {
start:
  %bits = bitcast float %x to i32
  %magnitude = and i32 %bits, 2147483647
  %zero = icmp eq i32 %magnitude, 0
  %special = icmp uge i32 %magnitude, 2139095040
  %none = or i1 %zero, %special
  br i1 %none, label %invalid, label %finite
invalid:
  %infinite = icmp eq i32 %magnitude, 2139095040
  %result = select i1 %infinite, i32 2147483647, i32 -2147483648
  %undefined = fdiv float 0.0, 0.0
  %errno = call ptr @__errno_location()
  store i32 33, ptr %errno
  ret i32 %result
finite:
  %exponent = call i32 @labrys_exponentf(i32 %magnitude)
  ret i32 %exponent
}

define float @logbf(float %x) {
start:
  %bits = bitcast float %x to i32
  %magnitude = and i32 %bits, 2147483647
  %zero = icmp eq i32 %magnitude, 0
  br i1 %zero, label %pole, label %other
pole:
  %absolute = bitcast i32 %magnitude to float
  %infinity = fdiv float -1.0, %absolute
  %errno = call ptr @__errno_location()
  store i32 34, ptr %errno
  ret float %infinity
other:
  %special = icmp uge i32 %magnitude, 2139095040
  br i1 %special, label %endless, label %finite
endless:
  %square = fmul float %x, %x
  ret float %square
finite:
  %int = call i32 @labrys_exponentf(i32 %magnitude)
  %exponent = sitofp i32 %int to float
  ret float %exponent
}
