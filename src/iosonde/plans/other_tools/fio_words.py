"""Every option of fio: translated, not needed, different or not supported, with the reason.

The list is from ``fio --cmdhelp`` and ``fio --enghelp`` of fio 3.33. Newer options are from its HOWTO.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Handling(StrEnum):
    """How an option is handled."""

    TRANSLATED = "translated"
    IGNORED = "ignored"
    DIFFERS = "differs"
    REFUSED = "refused"


@dataclass(frozen=True)
class FioWord:
    """How an option is handled, and why. A value in ``harmless`` has no effect in fio."""

    handling: Handling
    reason: str
    harmless: frozenset[str] = frozenset({"0"})


def _words(handling: Handling, reason: str, names: str, *, harmless: str = "0") -> dict[str, FioWord]:
    word = FioWord(handling, reason, frozenset(harmless.split()))
    return dict.fromkeys(names.split(), word)


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


ALIASES: Final = {
    "readwrite": "rw",
    "blocksize": "bs",
    "blockalign": "ba",
    "blocksize_range": "bsrange",
    "blocksize_unaligned": "bs_unaligned",
    "iodepth_batch_submit": "iodepth_batch",
    "iodepth_batch_complete": "iodepth_batch_complete_min",
    "io_limit": "io_size",
    "fill_fs": "fill_device",
    "fileoffset": "offset",
    "nr_files": "nrfiles",
    "timeout": "runtime",
    "iomem": "mem",
    "ratemin": "rate_min",
    "ratecycle": "rate_cycle",
    "wait_for_previous": "stonewall",
    "disable_bw": "disable_bw_measurement",
    "ss": "steadystate",
    "ss_dur": "steadystate_duration",
    "ss_ramp": "steadystate_ramp_time",
    "hugepage_size": "hugepage-size",
}

SWITCHES: Final = _set(
    "bs_unaligned norandommap time_based verify_only exitall exitall_on_error stonewall new_group thread "
    "group_reporting zero_buffers refill_buffers hipri fixedbufs registerfiles sqthread_poll userspace_reap "
    "nonvectored force_async"
)
"""Options that need no value. On a command line a value is accepted only after ``=``."""

_TARGET: Final = "the target argument: iosonde probe TARGET"
TRANSLATED: Final = {
    "rw": "--pattern and --read",
    "rwmixread": "--read",
    "rwmixwrite": "--read, set to 100 minus the value",
    "bs": "--block-size",
    "bssplit": "--block-size, such as 4KiB:70,64KiB:30",
    "iodepth": "--queue-depth",
    "numjobs": "--jobs",
    "runtime": "--duration",
    "ramp_time": "--warmup",
    "time_based": "the default: a probe always runs for --duration",
    "size": "--size",
    "filesize": "--size",
    "offset": "--offset",
    "offset_increment": "the default with a sequential pattern: each job accesses a separate part of the target",
    "filename": _TARGET,
    "directory": _TARGET,
    "nrfiles": "one file per target",
    "direct": "the default; --buffered disables it",
    "buffered": "--buffered",
    "ioengine": "--engine io_uring or psync; use io_uring instead of libaio",
    "hipri": "--poll iopoll",
    "sqthread_poll": "--poll sqpoll",
    "rate_iops": "--rate",
    "rate": "--rate, in operations per second",
    "rate_process": "--arrivals",
    "thinktime": "--think-time",
    "thinktime_blocks": "--burst",
    "thinktime_blocks_type": "--burst",
    "fdatasync": "--sync fdatasync --flush-every",
    "fsync": "--sync fdatasync --flush-every",
    "sync": "--sync",
    "buffer_compress_percentage": "--compressible",
    "dedupe_percentage": "--duplicates",
    "zero_buffers": "--data zeros",
    "buffer_pattern": "--data zeros, if the pattern is 0",
    "verify": "--verify",
    "random_distribution": "--pattern",
    "percentage_random": "--pattern runs:PERCENT",
    "norandommap": "--pattern random; if not set, --pattern permutation",
    "kb_base": "determined by the unit: 4KiB is 4096 bytes, 4kB is 4000 bytes",
}
"""Options with a counterpart, as text for an option without a value."""

_HOW_SHOWN: Final = "iosonde always records time series and histograms; --json prints them"
_OWN_FILE: Final = (
    "iosonde creates, lays out and removes a test file, and writes to an existing file only with --overwrite"
)
_OTHER_ENGINE: Final = "iosonde has no equivalent ioengine"
_KEPT_GOING: Final = "iosonde counts errors and continues; with `--on-error stop`, it ends the trial"

WORDS: Final[dict[str, FioWord]] = {
    **dict.fromkeys(TRANSLATED, FioWord(Handling.TRANSLATED, "")),
    **_words(
        Handling.IGNORED,
        _HOW_SHOWN,
        "description group_reporting new_group stats clat_percentiles lat_percentiles slat_percentiles "
        "percentile_list significant_figures disk_util gtod_reduce gtod_cpu disable_lat disable_clat "
        "disable_slat disable_bw_measurement unified_rw_reporting write_bw_log write_lat_log write_iops_log "
        "write_hist_log bwavgtime iopsavgtime log_entries log_avg_msec log_hist_msec log_hist_coarseness "
        "log_max_value log_window_value log_offset log_prio log_issue_time log_compression "
        "log_compression_cpus log_store_compressed log_unix_epoch log_alternate_epoch "
        "log_alternate_epoch_clock_id job_start_clock_id per_job_logs block_error_percentiles unit_base "
        "write_iolog clocksource",
    ),
    **_words(
        Handling.IGNORED,
        _OWN_FILE,
        "fallocate unlink unlink_each_loop overwrite create_serialize create_fsync create_on_open "
        "allow_file_create allow_mounted_write lockfile file_service_type openfiles unique_filename "
        "filename_format",
    ),
    **_words(
        Handling.IGNORED,
        "iosonde uses threads, with registered buffers and files",
        "thread mem iomem_align fixedbufs registerfiles nonvectored userspace_reap hugepage-size",
    ),
    **_words(
        Handling.IGNORED,
        _KEPT_GOING,
        "continue_on_error ignore_error error_dump exitall exit_what exitall_on_error",
    ),
    **_words(
        Handling.IGNORED,
        "iosonde generates new random data for each write",
        "refill_buffers buffer_compress_chunk",
    ),
    **_words(
        Handling.IGNORED,
        "iosonde needs no random map, and a permutation always covers each block once",
        "softrandommap",
    ),
    **_words(
        Handling.IGNORED,
        "a probe runs a single job once",
        "stonewall wait_for loops",
    ),
    **_words(
        Handling.IGNORED,
        "iosonde uses a different random number generator; --seed makes a run reproducible",
        "random_generator randrepeat allrandrepeat randseed",
    ),
    **_words(
        Handling.IGNORED,
        "--verify reads back the whole target and reports bad blocks",
        "do_verify verify_fatal verify_dump verify_async verify_async_cpus",
    ),
    **_words(
        Handling.IGNORED,
        "iosonde always reports when the requested rate is not achieved",
        "rate_min rate_iops_min rate_cycle",
    ),
    **_words(
        Handling.DIFFERS,
        "iosonde chooses the batch sizes and reaps completions as they arrive",
        "iodepth_batch iodepth_batch_complete_min iodepth_batch_complete_max",
    ),
    **_words(
        Handling.DIFFERS,
        "iosonde pins its workers to CPUs near the device; use `taskset` or `numactl` to choose other CPUs",
        "cpus_allowed cpus_allowed_policy cpumask numa_cpu_nodes numa_mem_policy sqthread_poll_cpu",
        # CPU 0 and node 0 are valid choices, not the default.
        harmless="",
    ),
    **_words(
        Handling.DIFFERS,
        "iosonde does not invalidate or fill the page cache",
        "invalidate pre_read fadvise_hint",
        harmless="0 none",
    ),
    **_words(
        Handling.DIFFERS,
        "a probe ends after the measurement time, without a final flush",
        "end_fsync fsync_on_close",
    ),
    **_words(
        Handling.DIFFERS,
        "iosonde generates new random data for each write",
        "scramble_buffers",
        harmless="1",
    ),
    **_words(
        Handling.DIFFERS,
        "a probe starts immediately",
        "startdelay",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde has no equivalent",
        "bsrange bs_unaligned ba offset_align rw_sequencer number_ios file_append nowait write_barrier "
        "sync_file_range read_beyond_wp serialize_overlap",
        harmless="0 sequential",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde always keeps each queue full",
        "iodepth_low io_submit_mode",
        harmless="inline",
    ),
    **_words(
        Handling.REFUSED,
        "a probe ends after the measurement time; to set an amount, use a campaign",
        "io_size",
    ),
    **_words(
        Handling.REFUSED,
        "a probe only measures",
        "fill_device create_only",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not support this kind of think time",
        "thinktime_spin thinktime_iotime thinkcycles rate_ignore_thinktime flow flow_id flow_watermark flow_sleep",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not search for the load that meets a latency target",
        "latency_target latency_window latency_percentile latency_run",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not stop at a latency limit; `iosonde check` tests the results against one",
        "max_latency",
    ),
    **_words(
        Handling.REFUSED,
        "`iosonde run --precision` measures until the requested precision is reached",
        "steadystate steadystate_duration steadystate_ramp_time steadystate_check_interval ss_interval",
    ),
    **_words(
        Handling.REFUSED,
        "with --verify, iosonde writes a different header to each sector and reads the data back in a different way",
        "verify_interval verify_offset verify_pattern verify_pattern_interval verify_backlog "
        "verify_backlog_batch verify_only verify_state_load verify_state_save verify_policy "
        "verify_write_sequence verify_header_seed experimental_verify trim_percentage trim_verify_zero "
        "trim_backlog trim_backlog_batch",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not replay I/O logs",
        "read_iolog read_iolog_chunked replay_no_stall replay_redirect replay_scale replay_align "
        "replay_time_scale replay_skip merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not run external commands",
        "exec_prerun exec_postrun include",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not change host or process settings",
        "ioscheduler cgroup cgroup_nodelete cgroup_weight uid gid lockmem nice opendir profile",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not set I/O priorities or write hints",
        "prio prioclass priohint cmdprio_percentage cmdprio_class cmdprio cmdprio_hint cmdprio_bssplit write_hint",
        harmless="0 none",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not support zones, streams or atomic writes",
        "job_max_open_zones zonemode zonesize zonecapacity zonerange zoneskip max_open_zones ignore_zone_limits "
        "zone_reset_threshold zone_reset_frequency recover_zbd_write_error atomic fdp fdp_pli fdp_pli_select "
        "plids plid_select dataplacement dp_scheme ramp_size",
        harmless="0 none",
    ),
    **_words(
        Handling.REFUSED,
        'a campaign file has precondition = "fast-random", with over_provisioning and slc_cache',
        "sprandom spr_op spr_num_regions spr_cs",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde supports only a percentage of duplicate blocks",
        "dedupe_mode dedupe_working_set_percentage dedupe_global",
        harmless="0 repeat",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not support these io_uring options",
        "uncached force_async hipri_percentage cmd_type",
        harmless="0 nvme",
    ),
    **_words(
        Handling.REFUSED,
        _OTHER_ENGINE,
        "arguments bindname brick busy_poll clientname clustername conf cpuchunks cpuload cpumode donorname "
        "exit_on_io_done grace_time hostname inplace interface listen mss nodelay pingpong pool port program "
        "protocol rbdname readfua sg_write_mode single-instance skip_bad stat_type std_redirect stream_id thp "
        "touch_objects ttl uri verb volume window_size writefua",
    ),
}


PROGRAM: Final[dict[str, FioWord]] = {
    **_words(
        Handling.IGNORED,
        _HOW_SHOWN,
        "output output-format terse-version minimal append-terse eta eta-newline eta-interval status-interval "
        "bandwidth-log latency-log debug warnings-fatal inflate-log idle-prof",
    ),
    **_words(
        Handling.IGNORED,
        "iosonde manages its own memory and files",
        "alloc-size max-jobs aux-path",
    ),
    **_words(
        Handling.IGNORED,
        "a read-only workload never writes",
        "readonly",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not run workloads on other hosts",
        "client server daemonize remote-config",
    ),
    **_words(
        Handling.REFUSED,
        "iosonde does not run external commands",
        "trigger trigger-file trigger-timeout trigger-remote",
    ),
    **_words(
        Handling.REFUSED,
        "the option does not describe a workload",
        "help version cmdhelp enghelp showcmd parse-only crctest cpuclock-test merge-blktrace-only",
    ),
}
"""Options of the program itself, valid on its command line only."""

PROGRAM_SWITCHES: Final = _set(
    "minimal append-terse bandwidth-log latency-log warnings-fatal readonly help version showcmd parse-only "
    "cpuclock-test merge-blktrace-only"
)


def fio_name(name: str) -> str:
    """The name of an option in the table."""
    return ALIASES.get(name, name)
