from .report import report_page as report_page, write_report as write_report
