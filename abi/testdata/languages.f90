! What C and Fortran hand each other: attributes that one sets and the other reads, handles and statuses.
! Each rank prints how many of the checks have failed.
#ifdef F08
#define COMM type(MPI_Comm)
#define GROUP type(MPI_Group)
#define INFO type(MPI_Info)
#define OPERATION type(MPI_Op)
#define WINDOW type(MPI_Win)
#define HANDLER type(MPI_Errhandler)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define TAG(s) s%MPI_TAG
#define DATATYPE type(MPI_Datatype)
#else
#define COMM integer
#define GROUP integer
#define INFO integer
#define OPERATION integer
#define WINDOW integer
#define HANDLER integer
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define TAG(s) s(MPI_TAG)
#define DATATYPE integer
#endif

module counts
  implicit none
  integer :: checks = 0, wrong = 0
  integer(8) :: deleted = 0
contains
  subroutine expect(what, got, want)
    character(len=*), intent(in) :: what
    integer(8), intent(in) :: got, want
    checks = checks + 1
    if (got /= want) then
      wrong = wrong + 1
      print '(A,A,I0,A,I0)', what, ' is ', got, '; expected ', want
    end if
  end subroutine
end module

! The callbacks add their extra state, 1, to what they copy, and what is deleted to a sum.
subroutine copy_wide(object, key, extra, before, after, flag, ierror)
  implicit none
  integer :: object, key, ierror
  integer(8) :: extra, before, after
  logical :: flag
  after = before + extra
  flag = .true.
  ierror = 0
end subroutine

subroutine delete_wide(object, key, value, extra, ierror)
  use counts
  implicit none
  integer :: object, key, ierror
  integer(8) :: value, extra
  deleted = deleted + value
  ierror = 0
end subroutine

subroutine copy_narrow(object, key, extra, before, after, flag, ierror)
  implicit none
  integer :: object, key, extra, before, after, ierror
  logical :: flag
  after = before + extra
  flag = .true.
  ierror = 0
end subroutine

subroutine delete_narrow(object, key, value, extra, ierror)
  use counts
  implicit none
  integer :: object, key, value, extra, ierror
  deleted = deleted + value
  ierror = 0
end subroutine

program languages
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  use counts
  implicit none
  external copy_wide, delete_wide, copy_narrow, delete_narrow, c_set, c_keys, c_handles, c_status
  integer(8), external :: c_address, c_int, c_aint, c_type_aint, c_win_aint
  integer :: wide, narrow, with_dup, with_copy, of_type, of_win, number, rank, ierror
  integer(MPI_ADDRESS_KIND) :: value, found, extra, large
  logical :: flag
  COMM :: twin
  DATATYPE :: double
  WINDOW :: win

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  extra = 1
  call MPI_Comm_create_keyval(copy_wide, delete_wide, wide, extra, ierror)
  call MPI_Keyval_create(copy_narrow, delete_narrow, narrow, 1, ierror)
  call MPI_Type_create_keyval(copy_wide, delete_wide, of_type, extra, ierror)
  call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, of_win, extra, ierror)
  call c_keys(with_dup, with_copy)
  large = 2_8**40 + 7

  ! Set by the functions of MPI-2.
  call MPI_Comm_set_attr(MPI_COMM_WORLD, wide, large, ierror)
  call expect('an integer of 8 bytes in C', c_aint(MPI_COMM_WORLD, wide), large)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, wide, found, flag, ierror)
  call expect('an integer of 8 bytes', found, large)
  call MPI_Attr_get(MPI_COMM_WORLD, wide, number, flag, ierror)
  call expect('an integer of 8 bytes in 4', int(number, 8), 7_8)
  value = 5
  call MPI_Comm_set_attr(MPI_COMM_WORLD, with_dup, value, ierror)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, with_copy, value, ierror)
  value = -6
  call MPI_Comm_set_attr(MPI_COMM_WORLD, wide, value, ierror)

  ! Set by those of MPI-1, in which integers have 4 bytes.
  call MPI_Attr_put(MPI_COMM_WORLD, narrow, -3, ierror)
  call expect('an integer of 4 bytes in C', c_int(MPI_COMM_WORLD, narrow), -3_8)
  call MPI_Attr_get(MPI_COMM_WORLD, narrow, number, flag, ierror)
  call expect('an integer of 4 bytes', int(number, 8), -3_8)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, narrow, found, flag, ierror)
  call expect('an integer of 4 bytes in 8', found, -3_8)

  ! Copies keep their kind. What a function of C gives for the address of an integer is an address, unless it is the same.
  deleted = 0
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierror)
  call expect('a copy of 8 bytes in C', c_aint(twin, wide), -5_8)
  call expect('a copy of 4 bytes in C', c_int(twin, narrow), -2_8)
  call expect('a copy by MPI_COMM_DUP_FN in C', c_aint(twin, with_dup), 5_8)
  call MPI_Comm_get_attr(twin, with_dup, found, flag, ierror)
  call expect('a copy by MPI_COMM_DUP_FN', found, 5_8)
  call expect('a copy by a function of C in C', c_int(twin, with_copy), 105_8)
  call MPI_Comm_get_attr(twin, with_copy, found, flag, ierror)
  call expect('a copy by a function of C', found, c_address(twin, with_copy))
  call MPI_Comm_free(twin, ierror)
  call expect('what has been deleted', deleted, -7_8)

  ! Set by C.
  call c_set(MPI_COMM_WORLD, wide, large)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, wide, found, flag, ierror)
  call expect('an address', found, large)
  call MPI_Attr_get(MPI_COMM_WORLD, wide, number, flag, ierror)
  call expect('an address in 4 bytes', int(number, 8), 7_8)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierror)
  call expect('the copy of an address', c_address(twin, wide), large + 1)
  call MPI_Comm_free(twin, ierror)

  ! Attributes of the standard: numbers, but for the base of a window.
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, found, flag, ierror)
  call expect('MPI_TAG_UB', c_int(MPI_COMM_WORLD, MPI_TAG_UB), found)
  call MPI_Win_create(large, 8_8, 8, MPI_INFO_NULL, MPI_COMM_SELF, win, ierror)
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, found, flag, ierror)
  call expect('MPI_WIN_SIZE', found, 8_8)
  call MPI_Get_address(large, value, ierror)
  call MPI_Win_get_attr(win, MPI_WIN_BASE, found, flag, ierror)
  call expect('MPI_WIN_BASE', found, value)
  call MPI_Win_set_attr(win, of_win, large, ierror)
  call expect('an attribute of a window in C', c_win_aint(win, of_win), large)

  call MPI_Type_set_attr(MPI_INTEGER, of_type, large, ierror)
  call MPI_Type_dup(MPI_INTEGER, double, ierror)
  call expect('an attribute of a datatype in C', c_type_aint(double, of_type), large + 1)
  call MPI_Type_free(double, ierror)
  call MPI_Type_delete_attr(MPI_INTEGER, of_type, ierror)
  call MPI_Type_get_attr(MPI_INTEGER, of_type, found, flag, ierror)
  call expect('whether a deleted attribute is there', merge(1_8, 0_8, flag), 0_8)

  call handles()
  call statuses()
  call MPI_Win_free(win, ierror)
  print '(I0,A,I0,A,I0,A)', rank, ': ', checks, ' checks, ', wrong, ' wrong'
  call MPI_Finalize(ierror)

contains

  ! C gets the handles that Fortran has, and gives the same back.
  subroutine handles()
    GROUP :: all
    INFO :: facts
    REQUEST :: pending
    STATUS :: s
    integer :: bad, got
    call MPI_Comm_group(MPI_COMM_WORLD, all, ierror)
    call MPI_Info_create(facts, ierror)
    call MPI_Info_set(facts, 'key', 'value', ierror)
    call MPI_Irecv(got, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, pending, ierror)
    call c_handles(MPI_COMM_WORLD, all, MPI_INTEGER, MPI_SUM, facts, win, MPI_ERRORS_RETURN, pending, bad)
    call expect('handles that are not the same', int(bad, 8), 0_8)
    call MPI_Wait(pending, s, ierror) ! C has sent it
    call expect('what C has sent', int(got, 8), 42_8)
    call MPI_Info_free(facts, ierror)
    call MPI_Group_free(all, ierror)
  end subroutine

  ! Statuses go from Fortran to C and back, and from one module to the other. Elements are counted in part of a type.
  subroutine statuses()
    DATATYPE :: pair, four
    REQUEST :: pending
    STATUS :: s
    integer :: pairs, count, elements, converted(MPI_STATUS_SIZE)
    real(8) :: sent(34), got(34)
    call MPI_Type_create_struct(2, (/ 1, 1 /), (/ 0_8, 8_8 /), (/ MPI_DOUBLE_PRECISION, MPI_CHARACTER /), pair, ierror)
    call MPI_Type_contiguous(4, pair, four, ierror)
    call MPI_Type_commit(pair, ierror)
    call MPI_Type_commit(four, ierror)
    sent = 0
    do pairs = 0, 9
      call MPI_Irecv(got, 4, four, 0, pairs, MPI_COMM_SELF, pending, ierror)
      call MPI_Send(sent, pairs, pair, 0, pairs, MPI_COMM_SELF, ierror)
      call MPI_Wait(pending, s, ierror)
      call MPI_Get_elements(s, four, elements, ierror)
      call expect('elements', int(elements, 8), 2_8 * pairs)
      call MPI_Get_count(s, four, count, ierror)
      call expect('whole ones', int(count, 8), int(merge(pairs / 4, MPI_UNDEFINED, mod(pairs, 4) == 0), 8))
    end do
    call MPI_Irecv(got, 4, four, 0, 99, MPI_COMM_SELF, pending, ierror)
    call MPI_Send(sent, 1, MPI_DOUBLE_PRECISION, 0, 99, MPI_COMM_SELF, ierror)
    call MPI_Wait(pending, s, ierror)
    call MPI_Get_elements(s, pair, elements, ierror)
    call expect('elements of half a pair', int(elements, 8), 1_8)
#ifdef F08
    call MPI_Status_f082f(s, converted, ierror)
    converted(MPI_TAG) = 60
    call MPI_Status_f2f08(converted, s, ierror)
    call expect('the tag, converted', int(TAG(s), 8), 60_8)
#endif
    TAG(s) = 100
    call c_status(s, converted)
    call expect('the tag by C', int(TAG(s), 8), 130_8)
    call expect('the tag as integers have it', int(converted(MPI_TAG), 8), 120_8)
    call MPI_Get_elements(s, pair, elements, ierror)
    call expect('elements of a status that C has converted', int(elements, 8), 1_8)
    call MPI_Type_free(four, ierror)
    call MPI_Type_free(pair, ierror)
  end subroutine
end program
