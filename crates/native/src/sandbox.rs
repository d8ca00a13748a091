//! What the code under test may not do: use the network, write large files, take all memory, fork, outlive its parent. Where a
//! report says what the code is that nobody trusts, it may also neither run programs, nor write files, nor look into other processes.
//!
//! A call that forks would go on twice, in the driver loop too.
//!
//! **What confinement is worth.** It takes the system calls that are listed from the process, before code of the library runs, and
//! its children inherit that. It is no virtual machine: files can be read, processes of the same user be sent signals (the worker
//! itself must end its runners), and a fault of the kernel is one.

/// Whether the kernel ends this process when the thread that started it ends.
pub fn die_with_parent(wanted: bool) {
    #[cfg(target_os = "linux")]
    // SAFETY: sets an attribute of this process; takes no pointers.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, if wanted { libc::SIGKILL } else { 0 });
    }
}

/// Limits memory to what is mapped now plus `mebibytes`, output files to 64 MiB, and leaves no core dumps.
pub fn limit_resources(mebibytes: u64) {
    limit(libc::RLIMIT_CORE, 0);
    limit(libc::RLIMIT_FSIZE, 64 << 20);
    limit(libc::RLIMIT_AS, mapped_bytes() + (mebibytes << 20));
}

/// Bytes of a page of memory: 4,096 on x86-64, and up to 65,536 elsewhere.
pub fn page_size() -> u64 {
    // SAFETY: takes no pointers.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(0).max(1)
}

/// Bytes of address space that this process has mapped.
fn mapped_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split(' ').next().and_then(|word| word.parse::<u64>().ok()));
    pages.unwrap_or(0) * page_size()
}

/// Limits processor time in seconds and output files to 64 MiB, and leaves no core dumps. Address space is not limited: sanitizers map
/// terabytes that they don't use.
pub fn limit_program(seconds: u64) {
    limit(libc::RLIMIT_CORE, 0);
    limit(libc::RLIMIT_FSIZE, 64 << 20);
    limit(libc::RLIMIT_CPU, seconds);
}

fn limit(resource: libc::__rlimit_resource_t, bytes: u64) {
    let limits = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: the struct outlives the call. A limit that cannot be set leaves the old one in force.
    unsafe { libc::setrlimit(resource, &limits) };
}

/// The kernel's name of this processor in seccomp filters (`AUDIT_ARCH_X86_64`, `AUDIT_ARCH_AARCH64`).
#[cfg(target_os = "linux")]
const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else {
    None
};

/// Makes every new socket fail with EPERM, where the kernel offers seccomp and this processor's name is known.
pub fn deny_network() {
    #[cfg(target_os = "linux")]
    deny(&NETWORK, false);
}

/// Takes the network, programs, other processes and all writing of files from this process, where [`deny_network`] can do that.
pub fn confine() {
    #[cfg(target_os = "linux")]
    deny(&[&NETWORK[..], &PROCESSES, &MACHINE, &FILES, &LEGACY_FILES].concat(), true);
}

/// Makes forks fail with EAGAIN, as where there are too many processes. Threads and programs (`system`) stay possible: what starts them
/// shares its memory with the caller.
pub fn deny_forks() {
    #[cfg(target_os = "linux")]
    {
        let Some(mut filter) = Filter::begin() else { return };
        let again = Filter::fail(libc::EAGAIN);
        #[cfg(target_arch = "x86_64")]
        filter.refuse(&[libc::SYS_fork], again);
        // What flags clone3 has, a filter cannot see. Where the kernel does not know it, C libraries call clone.
        filter.refuse(&[libc::SYS_clone3], Filter::fail(libc::ENOSYS));
        filter.refuse_without_flags(libc::SYS_clone, 16, libc::CLONE_VM as u32, again);
        filter.install();
    }
}

/// As [`confine`], but programs can be run: each has what this process has.
pub fn confine_but_running() {
    #[cfg(target_os = "linux")]
    {
        let runs = |call: &libc::c_long| [libc::SYS_execve, libc::SYS_execveat].contains(call);
        let others: Vec<libc::c_long> = PROCESSES.into_iter().filter(|call| !runs(call)).collect();
        deny(&[&NETWORK[..], &others, &MACHINE, &FILES, &LEGACY_FILES].concat(), true);
    }
}

/// `io_uring` opens sockets and files by itself.
#[cfg(target_os = "linux")]
const NETWORK: [libc::c_long; 2] = [libc::SYS_socket, libc::SYS_io_uring_setup];

#[cfg(target_os = "linux")]
const PROCESSES: [libc::c_long; 15] = [
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
];

/// What root alone may do, who labrys is in containers.
#[cfg(target_os = "linux")]
const MACHINE: [libc::c_long; 17] = [
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
];

/// Opening for reading is left; `openat2`, whose flags a filter cannot see, is not.
#[cfg(target_os = "linux")]
const FILES: [libc::c_long; 25] = [
    libc::SYS_openat2,
    libc::SYS_open_by_handle_at,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mq_open,
];

/// The same number on all processors; newer than some of what `libc` knows.
#[cfg(target_os = "linux")]
const SYS_FCHMODAT2: libc::c_long = 452;

/// Calls that only x86-64 still has.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const LEGACY_FILES: [libc::c_long; 14] = [
    libc::SYS_creat,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_mknod,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(all(target_os = "linux", not(target_arch = "x86_64")))]
const LEGACY_FILES: [libc::c_long; 0] = [];

/// Makes these system calls fail with EPERM, those of other instruction sets too, and on request opening files for writing.
#[cfg(target_os = "linux")]
fn deny(calls: &[libc::c_long], writing: bool) {
    let Some(mut filter) = Filter::begin() else { return };
    let refusal = Filter::fail(libc::EPERM);
    filter.refuse(calls, refusal);
    if writing {
        const TEMPORARY: libc::c_int = 0o20_000_000;
        let writes = (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | TEMPORARY) as u32;
        filter.refuse_with_flags(libc::SYS_openat, 32, writes, refusal);
        #[cfg(target_arch = "x86_64")]
        filter.refuse_with_flags(libc::SYS_open, 24, writes, refusal);
    }
    filter.install();
}

/// A filter of system calls. What it does not refuse is allowed; calls of other instruction sets are refused, because their numbers mean
/// something else.
#[cfg(target_os = "linux")]
struct Filter(Vec<libc::sock_filter>);

#[cfg(target_os = "linux")]
impl Filter {
    /// One that refuses nothing of this instruction set, where the kernel's name of that is known.
    fn begin() -> Option<Filter> {
        let refusal = Filter::fail(libc::EPERM);
        // seccomp_data: the call's number at 0, the architecture at 4, arguments of eight bytes from 16.
        let mut program =
            vec![Filter::load(4), Filter::jump(libc::BPF_JEQ, ARCHITECTURE?, 1, 0), refusal, Filter::load(0)];
        if cfg!(target_arch = "x86_64") {
            // The x32 interface has the same calls by other numbers.
            program.extend([Filter::jump(libc::BPF_JGE, 0x4000_0000, 0, 1), refusal]);
        }
        Some(Filter(program))
    }

    fn statement(code: u32, value: u32) -> libc::sock_filter {
        libc::sock_filter { code: code as u16, jt: 0, jf: 0, k: value }
    }

    fn jump(test: u32, value: u32, jt: u8, jf: u8) -> libc::sock_filter {
        libc::sock_filter { code: (libc::BPF_JMP | test | libc::BPF_K) as u16, jt, jf, k: value }
    }

    fn load(offset: u32) -> libc::sock_filter {
        Filter::statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset)
    }

    /// The answer that a call fails with this error.
    fn fail(error: libc::c_int) -> libc::sock_filter {
        Filter::statement(libc::BPF_RET, libc::SECCOMP_RET_ERRNO | error as u32)
    }

    fn refuse(&mut self, calls: &[libc::c_long], refusal: libc::sock_filter) {
        for call in calls {
            self.0.extend([Filter::jump(libc::BPF_JEQ, *call as u32, 0, 1), refusal]);
        }
    }

    /// Refuses a call where the argument at an offset has one of some flags.
    fn refuse_with_flags(&mut self, call: libc::c_long, offset: u32, flags: u32, refusal: libc::sock_filter) {
        self.0.extend([Filter::jump(libc::BPF_JEQ, call as u32, 0, 4), Filter::load(offset)]);
        self.0.extend([Filter::jump(libc::BPF_JSET, flags, 0, 1), refusal, Filter::load(0)]);
    }

    /// Refuses a call where the argument at an offset has none of some flags.
    fn refuse_without_flags(&mut self, call: libc::c_long, offset: u32, flags: u32, refusal: libc::sock_filter) {
        self.0.extend([Filter::jump(libc::BPF_JEQ, call as u32, 0, 4), Filter::load(offset)]);
        self.0.extend([Filter::jump(libc::BPF_JSET, flags, 1, 0), refusal, Filter::load(0)]);
    }

    /// Puts it in force, for this process and those that it starts, for ever.
    fn install(mut self) {
        self.0.push(Filter::statement(libc::BPF_RET, libc::SECCOMP_RET_ALLOW));
        let filter = libc::sock_fprog { len: self.0.len() as u16, filter: self.0.as_mut_ptr() };
        // SAFETY: the program outlives the calls; the kernel checks it.
        unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &filter);
        }
    }
}
