"""Worker processes: the supervisor that asks them, the process itself, and the answers it gives."""
