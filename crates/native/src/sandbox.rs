//! What the code under test may not do: use the network, write large files, take all memory, outlive its parent.

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
    if let Some(architecture) = ARCHITECTURE {
        let statement = |code: u32, value: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k: value };
        let jump = |value: u32, jt: u8, jf: u8| libc::sock_filter {
            code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
            jt,
            jf,
            k: value,
        };
        let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        // seccomp_data: the call's number at 0, the architecture at 4.
        let mut program = [
            statement(load, 4),
            jump(architecture, 0, 3),
            statement(load, 0),
            jump(libc::SYS_socket as u32, 0, 1),
            statement(libc::BPF_RET, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
            statement(libc::BPF_RET, libc::SECCOMP_RET_ALLOW),
        ];
        let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
        // SAFETY: the program outlives the calls; the kernel checks it.
        unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &filter);
        }
    }
}
