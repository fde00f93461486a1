from .report import (
    PrintingError as PrintingError,
    print_page as print_page,
    report_page as report_page,
    write_report as write_report,
)
