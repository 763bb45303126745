"""Make a benchmark like CORECODE from your own dialogues: screen, annotate, build, check (`evalsuite build`)."""

from evalsuite.authoring.task_files import Annotation, read_annotations, write_task_files

__all__ = ["Annotation", "read_annotations", "write_task_files"]
