"""Papermill's engine and execution manager, over a run of ours."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from papermill.engines import Engine, NotebookExecutionManager

if TYPE_CHECKING:
    from octavo.compat.papermill.following import Follower


class OctavoManager(NotebookExecutionManager):  # type: ignore[misc]
    """Papermill's manager, which marks as completed only what has run, at the time it did."""

    follower: Follower | None = None
    moment: float | None = None
    output_path: str | None

    def now(self) -> datetime:
        """When a cell began or ended; events may reach us a moment later."""
        return (
            datetime.now(UTC) if self.moment is None else datetime.fromtimestamp(self.moment, UTC)
        )

    def save(self, **kwargs: Any) -> None:
        if self.follower is not None:
            self.follower.refresh()
        super().save(**kwargs)

    def notebook_complete(self, **kwargs: Any) -> None:
        waiting = [cell for cell in self.nb.cells if _status(cell) == self.PENDING]
        path, self.output_path = self.output_path, None
        try:
            super().notebook_complete(**kwargs)
        finally:
            self.output_path = path
        for cell in waiting:
            cell.metadata.papermill["status"] = self.PENDING
        self.save()


class OctavoEngine(Engine):  # type: ignore[misc]
    """Runs the cells in Octavo's kernels, and leaves a record beside Papermill's notebook."""

    @classmethod
    def execute_notebook(
        cls,
        nb: Any,
        kernel_name: str,
        output_path: str | None = None,
        progress_bar: bool | dict[str, Any] = True,
        log_output: bool = False,
        autosave_cell_every: int = 30,
        **kwargs: Any,
    ) -> Any:
        """What Papermill calls; the executed notebook."""
        manager = OctavoManager(
            nb,
            output_path=output_path,
            progress_bar=progress_bar,
            log_output=log_output,
            autosave_cell_every=autosave_cell_every,
        )
        manager.notebook_start()
        try:
            cls.execute_managed_notebook(manager, kernel_name, log_output=log_output, **kwargs)
        finally:
            manager.cleanup_pbar()
            manager.notebook_complete()
        return manager.nb

    @classmethod
    def execute_managed_notebook(
        cls,
        nb_man: Any,
        kernel_name: str,
        log_output: bool = False,
        stdout_file: Any = None,
        stderr_file: Any = None,
        start_timeout: float | None = 60,
        execution_timeout: float | None = None,
        **kwargs: Any,
    ) -> None:
        """Run the cells of a manager's notebook, and keep it up to date."""
        from octavo.compat.papermill.following import Follower
        from octavo.compat.papermill.keeping import keeping
        from octavo.compat.papermill.log import Outlet
        from octavo.compat.papermill.outcome import raise_unless_cells_ran
        from octavo.compat.papermill.prepared import prepared_request
        from octavo.surfaces.python.worker import Worker

        given = {**kwargs, "execution_timeout": execution_timeout}
        request = prepared_request(nb_man.nb, kernel_name, _local_path, start_timeout, given)
        follower = Follower(nb_man, Outlet(log_output, stdout_file, stderr_file), kernel_name)
        if isinstance(nb_man, OctavoManager):
            nb_man.follower = follower
        with keeping() as make_context:
            worker = Worker(request, make_context=make_context)
            result = worker.follow(follower.take).results[0]
            follower.finish(result)
        raise_unless_cells_ran(result)


def _status(cell: Any) -> Any:
    return cell.metadata.get("papermill", {}).get("status")


def _local_path(path: str) -> str:
    """A path as Papermill understood it: from where it was called, wherever it is now."""
    from papermill.iorw import papermill_io

    folder = getattr(papermill_io.get_handler("local"), "_cwd", None) or os.getcwd()
    return os.path.normpath(os.path.join(folder, path))
