! The functions by which a Fortran program speaks to a verifier. Comes with labrys, which makes the module `verifier` of it for the programs that it
! builds; for other builds: flang -c verifier.f90.
module verifier
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    ! Any number; any logical of C's.
    function nondet_double() bind(c, name="__VERIFIER_nondet_double")
      import :: c_double
      real(c_double) :: nondet_double
    end function
    function nondet_float() bind(c, name="__VERIFIER_nondet_float")
      import :: c_float
      real(c_float) :: nondet_float
    end function
    function nondet_int() bind(c, name="__VERIFIER_nondet_int")
      import :: c_int
      integer(c_int) :: nondet_int
    end function
    function nondet_long() bind(c, name="__VERIFIER_nondet_long")
      import :: c_long
      integer(c_long) :: nondet_long
    end function
    function nondet_bool() bind(c, name="__VERIFIER_nondet_bool")
      import :: c_bool
      logical(c_bool) :: nondet_bool
    end function
    ! Only runs for which the condition holds count from here on.
    subroutine assume(condition) bind(c, name="__VERIFIER_assume")
      logical(4), value :: condition
    end subroutine
    ! What must hold. `error stop` says the same of what must not be reached.
    subroutine assert(condition) bind(c, name="__VERIFIER_assert")
      logical(4), value :: condition
    end subroutine
  end interface
end module
