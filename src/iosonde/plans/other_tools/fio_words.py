"""Every option of fio: which are translated, which are not needed, and which can't be had, with the reason.

``fio --cmdhelp`` and ``fio --enghelp`` of fio 3.33 list them; newer ones are from its HOWTO.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Fate(StrEnum):
    """What becomes of an option."""

    TRANSLATED = "translated"
    IGNORED = "ignored"
    DIFFERS = "differs"
    REFUSED = "refused"


@dataclass(frozen=True)
class FioWord:
    """What becomes of an option, and why. With a value of ``harmless`` it asks for nothing."""

    fate: Fate
    reason: str
    harmless: frozenset[str] = frozenset({"0"})


def _words(fate: Fate, reason: str, names: str, *, harmless: str = "0") -> dict[str, FioWord]:
    word = FioWord(fate, reason, frozenset(harmless.split()))
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
"""Options that need no value; on a command line one stands behind ``=`` only."""

_TARGET: Final = "the target: iosonde probe TARGET"
TRANSLATED: Final = {
    "rw": "--pattern and --read",
    "rwmixread": "--read",
    "rwmixwrite": "--read, the rest to 100",
    "bs": "--block-size",
    "bssplit": "--block-size, such as 4KiB:70,64KiB:30",
    "iodepth": "--queue-depth",
    "numjobs": "--jobs",
    "runtime": "--duration",
    "ramp_time": "--warmup",
    "time_based": "what a probe does: it lasts for --duration",
    "size": "--size",
    "filesize": "--size",
    "offset": "--offset",
    "offset_increment": "what sequential --jobs do: each has a part of its own",
    "filename": _TARGET,
    "directory": _TARGET,
    "nrfiles": "one file a target",
    "direct": "the default; --buffered goes without it",
    "buffered": "--buffered",
    "ioengine": "--engine io_uring or psync; io_uring takes the place of libaio",
    "hipri": "--poll iopoll",
    "sqthread_poll": "--poll sqpoll",
    "rate_iops": "--rate",
    "rate": "--rate, in operations a second",
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
    "buffer_pattern": "--data zeros, for a pattern of 0",
    "verify": "--verify",
    "random_distribution": "--pattern",
    "percentage_random": "--pattern runs:PERCENT",
    "norandommap": "--pattern random; without it, permutation",
    "kb_base": "in the unit: 4KiB is 4096 bytes, 4kB is 4000",
}
"""Options with a counterpart, in words for who gives no value."""

_HOW_SHOWN: Final = "iosonde keeps every interval and histogram, and --json prints them"
_OWN_FILE: Final = (
    "iosonde makes, fills and removes its file by itself, and never changes an existing one without leave"
)
_OTHER_ENGINE: Final = "iosonde has no such ioengine"
_KEPT_GOING: Final = "iosonde counts errors and goes on"

WORDS: Final[dict[str, FioWord]] = {
    **dict.fromkeys(TRANSLATED, FioWord(Fate.TRANSLATED, "")),
    **_words(
        Fate.IGNORED,
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
        Fate.IGNORED,
        _OWN_FILE,
        "fallocate unlink unlink_each_loop overwrite create_serialize create_fsync create_on_open "
        "allow_file_create allow_mounted_write lockfile file_service_type openfiles unique_filename "
        "filename_format",
    ),
    **_words(
        Fate.IGNORED,
        "iosonde's workers are threads, with memory and files that the ring knows",
        "thread mem iomem_align fixedbufs registerfiles nonvectored userspace_reap hugepage-size",
    ),
    **_words(
        Fate.IGNORED,
        _KEPT_GOING,
        "continue_on_error ignore_error error_dump exitall exit_what exitall_on_error",
    ),
    **_words(
        Fate.IGNORED,
        "iosonde writes random data anew each time",
        "refill_buffers buffer_compress_chunk",
    ),
    **_words(
        Fate.IGNORED,
        "a probe is one job, once",
        "stonewall wait_for loops",
    ),
    **_words(
        Fate.IGNORED,
        "iosonde's own generator repeats with --seed",
        "random_generator randrepeat allrandrepeat randseed",
    ),
    **_words(
        Fate.IGNORED,
        "--verify reads everything back, and tells each block that is wrong",
        "do_verify verify_fatal verify_dump verify_async verify_async_cpus",
    ),
    **_words(
        Fate.IGNORED,
        "iosonde says by itself when a rate is not kept",
        "rate_min rate_iops_min rate_cycle",
    ),
    **_words(
        Fate.DIFFERS,
        "iosonde submits an eighth of a queue at a time, and takes what is complete at once",
        "iodepth_batch iodepth_batch_complete_min iodepth_batch_complete_max",
    ),
    **_words(
        Fate.DIFFERS,
        "iosonde places its workers near the device; `taskset` or `numactl` before iosonde hold it elsewhere",
        "cpus_allowed cpus_allowed_policy cpumask numa_cpu_nodes numa_mem_policy sqthread_poll_cpu",
    ),
    **_words(
        Fate.DIFFERS,
        "the page cache is left as it is",
        "invalidate pre_read fadvise_hint",
        harmless="0 none",
    ),
    **_words(
        Fate.DIFFERS,
        "a probe ends by its time, and nothing is flushed behind it",
        "end_fsync fsync_on_close",
    ),
    **_words(
        Fate.DIFFERS,
        "iosonde writes other random data each time",
        "scramble_buffers",
        harmless="1",
    ),
    **_words(
        Fate.DIFFERS,
        "a probe begins at once",
        "startdelay",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde has nothing of the kind",
        "bsrange bs_unaligned ba offset_align rw_sequencer number_ios file_append nowait write_barrier "
        "sync_file_range read_beyond_wp serialize_overlap",
        harmless="0 sequential",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde keeps each queue full",
        "iodepth_low io_submit_mode",
        harmless="inline",
    ),
    **_words(
        Fate.REFUSED,
        "a probe ends by its time; a campaign takes an amount",
        "io_size",
    ),
    **_words(
        Fate.REFUSED,
        "a probe measures, and does nothing else",
        "fill_device create_only",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde has no rests of this kind",
        "thinktime_spin thinktime_iotime thinkcycles rate_ignore_thinktime flow flow_id flow_watermark flow_sleep",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde has no search of its own for a latency",
        "latency_target latency_window latency_percentile latency_run max_latency",
    ),
    **_words(
        Fate.REFUSED,
        "`iosonde run --precision` measures until figures are known",
        "steadystate steadystate_duration steadystate_ramp_time steadystate_check_interval ss_interval",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde's --verify seals and reads back in a way of its own",
        "verify_interval verify_offset verify_pattern verify_pattern_interval verify_backlog "
        "verify_backlog_batch verify_only verify_state_load verify_state_save verify_policy "
        "verify_write_sequence verify_header_seed experimental_verify trim_percentage trim_verify_zero "
        "trim_backlog trim_backlog_batch",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde repeats no log of another program",
        "read_iolog read_iolog_chunked replay_no_stall replay_redirect replay_scale replay_align "
        "replay_time_scale replay_skip merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde runs no commands of others",
        "exec_prerun exec_postrun include",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde changes nothing about the host",
        "ioscheduler cgroup cgroup_nodelete cgroup_weight uid gid lockmem nice opendir profile",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde gives its operations no priorities and no hints",
        "prio prioclass priohint cmdprio_percentage cmdprio_class cmdprio cmdprio_hint cmdprio_bssplit write_hint",
        harmless="0 none",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde has no zones, streams and atomic writes",
        "job_max_open_zones zonemode zonesize zonecapacity zonerange zoneskip max_open_zones ignore_zone_limits "
        "zone_reset_threshold zone_reset_frequency recover_zbd_write_error atomic fdp fdp_pli fdp_pli_select "
        "plids plid_select dataplacement dp_scheme sprandom spr_op spr_num_regions spr_cs ramp_size",
        harmless="0 none",
    ),
    **_words(
        Fate.REFUSED,
        "the share of duplicates is all that iosonde can be asked for",
        "dedupe_mode dedupe_working_set_percentage dedupe_global",
        harmless="0 repeat",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde's operations go through the ring as they are",
        "uncached force_async hipri_percentage cmd_type",
        harmless="0 nvme",
    ),
    **_words(
        Fate.REFUSED,
        _OTHER_ENGINE,
        "arguments bindname brick busy_poll clientname clustername conf cpuchunks cpuload cpumode donorname "
        "exit_on_io_done grace_time hostname inplace interface listen mss nodelay pingpong pool port program "
        "protocol rbdname readfua sg_write_mode single-instance skip_bad stat_type std_redirect stream_id thp "
        "touch_objects ttl uri verb volume window_size writefua",
    ),
}


PROGRAM: Final[dict[str, FioWord]] = {
    **_words(
        Fate.IGNORED,
        _HOW_SHOWN,
        "output output-format terse-version minimal append-terse eta eta-newline eta-interval status-interval "
        "bandwidth-log latency-log debug warnings-fatal inflate-log idle-prof",
    ),
    **_words(
        Fate.IGNORED,
        "iosonde has memory and files of its own",
        "alloc-size max-jobs aux-path",
    ),
    **_words(
        Fate.IGNORED,
        "a workload that only reads writes nothing",
        "readonly",
    ),
    **_words(
        Fate.REFUSED,
        "a workload on other hosts can't be had",
        "client server daemonize remote-config",
    ),
    **_words(
        Fate.REFUSED,
        "iosonde runs no commands of others",
        "trigger trigger-file trigger-timeout trigger-remote",
    ),
    **_words(
        Fate.REFUSED,
        "it asks fio for something else than a workload",
        "help version cmdhelp enghelp showcmd parse-only crctest cpuclock-test merge-blktrace-only",
    ),
}
"""Options of the program, which stand on its command line only."""

PROGRAM_SWITCHES: Final = _set(
    "minimal append-terse bandwidth-log latency-log warnings-fatal readonly help version showcmd parse-only "
    "cpuclock-test merge-blktrace-only"
)


def fio_name(name: str) -> str:
    """The name of an option as the table has it."""
    return ALIASES.get(name, name)
