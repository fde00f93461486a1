"""Reports: one self-contained HTML page of a study, which opens without a network."""

from gough.studies.report.report import write_grid_report, write_report, write_study_report

__all__ = ["write_grid_report", "write_report", "write_study_report"]
