"""Worker processes: the pool that asks them, the process itself, and the answers it gives."""
