"""Making a benchmark like CORECODE of one's own dialogues."""

from evalsuite.authoring.task_files import Annotation, build, read

__all__ = ["Annotation", "build", "read"]
