from .chunks import Executor as Executor, opened as opened
from .chunks import Chunk as Chunk, for_each as for_each, in_chunks as in_chunks
from .cluster import Cluster as Cluster, Scheduler as Scheduler
from .workers import Processes as Processes
from .record import ChunkRecord as ChunkRecord
from .chunks import sweep as sweep
from .workers import Here as Here, Workers as Workers
