"""Reports: one self-contained HTML page of a study, which opens without a network."""

from gough.report.report import report_page, write_report

__all__ = ["report_page", "write_report"]
