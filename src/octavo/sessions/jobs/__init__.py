"""Work that goes on without its client: detached runs, held runs, executions in sessions."""
