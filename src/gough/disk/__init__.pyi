from .files import (
    cannot_read as cannot_read,
    cannot_write as cannot_write,
    checksum as checksum,
    read_regular as read_regular,
    replacing as replacing,
    atomic_write as atomic_write,
)
from .manifest import MANIFEST as MANIFEST, Manifest as Manifest, versions as versions
from .sources import write_sources as write_sources
from .target import Target as Target, opened as opened, staged as staged
