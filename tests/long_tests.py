"""Which tests run only with ``--long``: whole tests, or most cases of one.

``make test`` has to end in minutes, so it runs a sample of what takes long: the cases are evenly spaced, and always the
same. ``make test LONG=1`` runs all.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, Protocol

import pytest

REASON: Final = "takes long: make test LONG=1"

CASES_KEPT: Final[dict[str, dict[str, int]]] = {
    "tests/analysis/test_slowest.py": {
        "test_the_chance_of_so_many_of_a_kind_is_that_of_scipy": 8,
    },
    "tests/analysis/test_sustained.py": {
        "test_bucket_burst_and_base_rate_are_right_in_noise_or_nothing_is_said_of_credits": 0,
    },
    "tests/campaign/test_older_runs.py": {
        "test_an_older_run_goes_on_to_what_it_would_have_become": 1,
    },
    "tests/campaign/test_time_left.py": {
        "test_with_an_aim_what_is_told_to_be_left_and_what_was_spent_are_the_plans_and_it_takes_that_long": 2,
    },
    "tests/cli/test_sim.py": {
        "test_on_a_narrow_terminal_a_model_is_shown_whole_and_no_word_is_cut": 8,
    },
    "tests/cli/test_wrong_input.py": {
        "test_wrong_input_is_named_with_the_way_out": 35,
    },
    "tests/docs/test_numbers.py": {
        "test_a_json_path_is_one_of_the_document": 20,
    },
    "tests/findings/test_dips.py": {
        "test_noise_makes_a_dip_in_at_most_one_of_twenty_flat_sweeps": 0,
    },
    "tests/hostile/test_dying_engines.py": {
        "test_what_no_engine_says_is_told_by_its_field": 5,
    },
    "tests/hostile/test_foreign_text.py": {
        "test_what_a_run_says_is_printed_as_text": 8,
    },
    "tests/hostile/test_forged_runs.py": {
        "test_a_file_that_the_run_did_not_make_is_asked_for": 2,
        "test_a_path_where_nothing_is_stays_empty": 1,
        "test_what_is_no_file_is_refused_as_a_target": 4,
    },
    "tests/hostile/test_held_files.py": {
        "test_a_file_that_another_program_has_open_is_refused": 1,
        "test_a_file_that_nobody_else_has_is_written": 1,
    },
    "tests/hostile/test_left_behind.py": {
        "test_a_refused_account_leaves_no_target": 1,
        "test_a_run_whose_files_are_lost_ends_at_once": 2,
    },
    "tests/hostile/test_limits.py": {
        "test_a_limit_of_the_system_is_told_and_never_waited_for": 2,
        "test_a_name_that_is_not_utf_8_costs_no_traceback": 2,
        "test_a_stdout_that_lacks_a_sign_is_written_without_it": 2,
        "test_output_that_does_not_fit_is_never_taken_for_whole": 2,
    },
    "tests/hostile/test_own_files.py": {
        "test_a_damaged_account_is_told_and_the_run_can_go_on_without_it": 1,
        "test_nothing_is_written_through_another_name": 3,
    },
    "tests/hostile/test_read_names.py": {
        "test_what_is_no_file_of_a_run_is_refused": 18,
    },
    "tests/hostile/test_signals.py": {
        "test_signals_that_come_together_are_one_end_that_leaves_nothing": 3,
    },
    "tests/hostile/test_written_names.py": {
        "test_an_output_that_does_not_fit_leaves_nothing_and_what_was_there": 3,
        "test_another_name_of_somebodys_file_is_parted_from_it": 3,
        "test_what_is_no_plain_file_at_the_name_is_refused_and_left": 5,
        "test_what_lies_beside_the_name_is_neither_opened_nor_removed": 3,
    },
    "tests/report/test_degenerate.py": {
        "test_what_is_at_the_edge_has_its_report": 3,
    },
    "tests/report/test_failures.py": {
        "test_commands_that_read_a_run_warn_too": 1,
        "test_neither_page_nor_tables_nor_summary_cost_each_other": 1,
        "test_whatever_fails_stands_in_its_place_and_the_rest_is_there": 4,
    },
    "tests/sources/test_long_trials.py": {
        "test_a_trial_of_a_hundred_hours_takes_no_more_memory_than_one_of_ten": 0,
    },
    "tests/store/test_damaged_journals.py": {
        "test_a_journal_cut_at_every_byte_of_its_last_4_kib_loads_up_to_the_last_whole_frame": 0,
    },
    "tests/store/test_memory.py": {
        "test_a_long_run_is_read_in_the_memory_of_its_cells": 0,
        "test_so_is_an_archive_of_it": 0,
    },
    "tests/stories/test_content.py": {
        "test_as_many_blocks_are_duplicates_as_were_asked_for": 4,
        "test_data_compresses_by_the_share_that_was_asked_for": 5,
    },
    "tests/stories/test_data_sheets.py": {
        "test_a_new_run_is_compared_with_a_data_sheet": 1,
        "test_a_report_has_the_values_of_every_data_sheet_with_their_sources": 1,
        "test_a_run_can_be_compared_with_every_data_sheet": 2,
        "test_an_unknown_name_is_refused_with_all_names": 1,
    },
    "tests/stories/test_expected_values.py": {
        "test_a_file_that_names_a_cell_that_is_not_there_is_refused": 1,
    },
    "tests/stories/test_followed.py": {
        "test_a_viewer_sees_every_cell_and_has_the_record_in_the_end": 1,
    },
    "tests/stories/test_forms.py": {
        "test_the_paper_can_be_chosen": 1,
    },
    "tests/stories/test_killed.py": {
        "test_a_front_killed_within_each_fsync_and_rename_goes_on": 1,
        "test_a_resumption_that_is_killed_as_well_can_be_resumed": 0,
    },
    "tests/stories/test_limits.py": {
        "test_a_run_writes_no_more_than_its_limit_and_goes_on_with_another": 1,
    },
    "tests/stories/test_meanwhile.py": {
        "test_a_finished_run_is_resumed_into_nothing_but_a_fresh_report": 0,
        "test_a_target_that_changes_ends_the_run_and_can_only_be_resumed_when_it_is_back": 1,
    },
    "tests/stories/test_mixes.py": {
        "test_mixes_of_every_experiment_are_drawn_and_nothing_false_is_said": 1,
    },
    "tests/stories/test_on_error.py": {
        "test_by_default_trials_continue_and_the_command_ends_with_5": 1,
    },
    "tests/stories/test_purposes.py": {
        "test_a_fast_drive_is_good_enough_for_every_purpose": 1,
        "test_a_file_of_requirements_with_its_campaign_is_a_purpose": 1,
        "test_a_resumed_run_ends_with_the_verdict_of_an_uninterrupted_one": 1,
        "test_a_slow_drive_is_not_and_the_exit_code_says_so": 1,
    },
    "tests/stories/test_seeds.py": {
        "test_every_chapter_chart_table_text_and_path_of_a_row_is_in_the_report": 1,
    },
    "tests/stories/test_short_procedures.py": {
        "test_a_short_form_says_that_it_is_one_and_measures_its_matrix_once_steady": 2,
    },
    "tests/stories/test_simulated.py": {
        "test_a_drive_that_fails_on_a_schedule_is_recorded_and_says_so": 1,
        "test_a_resumed_record_is_the_unbroken_one_wherever_the_front_was_killed": 0,
    },
    "tests/stories/test_smartctl.py": {
        "test_without_an_answer_the_run_says_why_and_goes_on": 1,
    },
    "tests/stories/test_sustained.py": {
        "test_bucket_burst_rate_and_base_rate_are_found_within_five_percent": 2,
    },
    "tests/stories/test_verify.py": {
        "test_a_run_that_ends_in_the_middle_of_its_writes_raises_no_alarm": 1,
        "test_a_sound_file_raises_no_alarm_at_once_or_later": 2,
    },
    "tests/stories/test_whole_reports.py": {
        "test_every_other_profile_and_example_runs_to_a_whole_report_on_paper_too": 2,
        "test_the_lab_runs_on_every_model_to_a_whole_report": 1,
        "test_the_main_job_on_a_slow_disk_ends_with_its_report_in_every_form": 0,
    },
    "tests/verify/test_mechanisms.py": {
        "test_the_deciding_campaign_shows_a_mechanism_that_is_switched_on": 1,
        "test_the_deciding_campaign_shows_nothing_where_no_mechanism_is_switched_on": 2,
    },
    "tests/verify/test_repeats.py": {
        "test_they_hold_through_the_engine": 0,
    },
}
"""How many cases of each test of a file run without ``--long``. A test that is not listed runs all its cases."""


class Skippable(Protocol):
    """As much of a collected test as is needed here."""

    @property
    def nodeid(self) -> str:
        """File, name and case."""

    def add_marker(self, marker: pytest.MarkDecorator) -> None:
        """Adds a marker."""


def skip_long(items: Sequence[Skippable]) -> None:
    """Skips the cases of long tests that are not in the sample."""
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    listed = ((f"{file}::{test}", kept) for file, tests in CASES_KEPT.items() for test, kept in tests.items())
    for name, kept in listed:
        found = cases.get(name, [])
        sample = {(number * len(found) + len(found) // 2) // kept for number in range(kept)} if kept else set()
        for number, item in enumerate(found):
            if number not in sample:
                item.add_marker(pytest.mark.skip(reason=REASON))
