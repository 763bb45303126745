"""Making a benchmark like CORECODE of one's own dialogues."""

from evalsuite.authoring.task_files import Annotation, read_annotations, write_task_files

__all__ = ["Annotation", "read_annotations", "write_task_files"]
