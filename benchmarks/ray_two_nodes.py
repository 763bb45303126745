"""A run in one process and on a Ray cluster of two nodes on this machine, one after the other.

    python benchmarks/ray_two_nodes.py [-- flags of `evalsuite run`, without --out]

Prints whether results.json and records/ are the same bytes, and the seconds of each run: in all, and of its requests. Two nodes
on one machine share its cores: the difference is the cost of the cluster, not the gain of more machines. Exits with 1 if a byte
differs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kill import product_bytes

THREADS = {"OMP_NUM_THREADS": "1"}


def run_seconds(out: Path, flags: list[str]) -> tuple[float, float]:
    """The seconds of the whole process, and those of its requests alone, from its log."""
    words = [sys.executable, "-m", "evalsuite.cli", "run", *flags, "--out", str(out)]
    began = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | THREADS)
    whole = time.perf_counter() - began
    asking = re.findall(r"asked, .* ([\d.]+) s$", (out / "run.log").read_text(), re.MULTILINE)
    return whole, sum(map(float, asking))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flags", nargs="*", default=["--model", "tiny-zh"])
    flags = parser.parse_args().flags
    from ray.cluster_utils import Cluster

    cluster = Cluster(True, head_node_args={"num_cpus": 1, "include_dashboard": False, "env_vars": THREADS})
    cluster.add_node(num_cpus=1, env_vars=THREADS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            runs = {
                "one process": [],
                "Ray, 1 replica": ["--executor", "ray", "--ray-address", cluster.address, "--replicas", "1"],
                "Ray, 2 nodes": ["--executor", "ray", "--ray-address", cluster.address],
            }
            products = {}
            for name, more in runs.items():
                out = Path(folder) / name.replace(" ", "-")
                whole, asking = run_seconds(out, [*flags, *more])
                products[name] = product_bytes(out)
                print(f"{name + ':':16} {whole:6.1f} s in all, {asking:6.1f} s asking", flush=True)
    finally:
        cluster.shutdown()
    same = all(bytes_ == products["one process"] for bytes_ in products.values())
    print(f"results.json and {len(products['one process']) - 1} files of records the same: {same}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
