from .table import input_error as input_error
from .keys import Key as Key, KeyTable as KeyTable, key_tables as key_tables
from .table import ByKind as ByKind, FileTable as FileTable, read as read
from .units import Dimension as Dimension, to_si as to_si
from .user_files import plain_data as plain_data, read_table as read_table, read_text as read_text
