from .table import input_error as input_error
from .commented import WHICH as WHICH, Schema as Schema, alternatives as alternatives
from .table import ByKind as ByKind, FileTable as FileTable, read as read
from .units import Dimension as Dimension, to_si as to_si
from .user_files import plain_data as plain_data, read_table as read_table, read_text as read_text
