#!/usr/bin/env bash
# A Slurm of one node for tests, which nobody else can reach: munged, slurmctld and slurmd on the loopback interface, everything they write in
# one folder. Needs root, and Debian's slurmctld, slurmd, slurm-client and munge (scripts/setup.sh installs them).
#
#   scripts/slurm.sh start DIR    starts it; SLURM_CONF=DIR/slurm.conf then is what sbatch, squeue and scontrol need
#   scripts/slurm.sh stop DIR     ends it, and all jobs
set -euo pipefail

command=${1:-} folder=${2:-}
fail() {
    echo "slurm.sh: $*" >&2
    exit 2
}
[ -n "$folder" ] || fail "usage: scripts/slurm.sh start|stop DIR"

# A port that nobody listens on.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

configure() {
    local host
    host=$(hostname -s)
    cat >"$folder/slurm.conf" <<CONF
ClusterName=labrys
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
ReturnToService=2
KillWait=5
InactiveLimit=0
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
}

start() {
    local program
    for program in munged slurmctld slurmd sbatch squeue scontrol; do
        command -v "$program" >/dev/null || fail "$program is not installed; scripts/setup.sh installs slurmctld, slurmd, slurm-client and munge"
    done
    [ "$(id -u)" -eq 0 ] || fail "only root can start slurmd"
    mkdir -p "$folder/state" "$folder/spool"
    chmod 755 "$folder"
    folder=$(cd "$folder" && pwd)
    head -c 1024 /dev/urandom >"$folder/munge.key"
    chmod 600 "$folder/munge.key"
    configure
    munged --force --key-file "$folder/munge.key" --socket "$folder/munge.socket" --pid-file "$folder/munged.pid" \
        --log-file "$folder/munged.log" --seed-file "$folder/munged.seed" 2>"$folder/munged.err" ||
        { cat "$folder/munged.err" >&2; fail "munged does not start"; }
    export SLURM_CONF=$folder/slurm.conf
    slurmctld -c || fail "slurmctld does not start; see $folder/slurmctld.log"
    slurmd || fail "slurmd does not start; see $folder/slurmd.log"
    for _ in $(seq 150); do
        if [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; then return; fi
        sleep 0.2
    done
    tail -n 5 "$folder"/slurmctld.log "$folder"/slurmd.log >&2 || true
    fail "the node does not become idle"
}

stop() {
    local name pid
    export SLURM_CONF=$folder/slurm.conf
    timeout 10 scancel --user=root 2>/dev/null || true
    for _ in $(seq 50); do
        if [ -z "$(timeout 5 squeue -h -t running,completing 2>/dev/null)" ]; then break; fi
        sleep 0.1
    done
    for name in slurmd slurmctld munged; do
        pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 50); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null || true
    done
}

case $command in
start) start ;;
stop) stop ;;
*) fail "usage: scripts/slurm.sh start|stop DIR" ;;
esac
