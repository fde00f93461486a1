from .printing import PrintingError as PrintingError, print_page as print_page
from .report import report_page as report_page, write_report as write_report
