"""The share of small faults in code that its tests notice. Mutates a seeded sample of positions, one at a time, in a copy.

    python -m pip install --target /tmp/mut cosmic-ray    # makes the mutants; not a dependency of the suite
    PYTHONPATH=/tmp/mut nice python benchmarks/mutation.py metrics analyses/significance.py --mutants 180 --seed 0 --out mutants.jsonl
    PYTHONPATH=/tmp/mut nice python benchmarks/mutation.py --again mutants.jsonl --slow    # the survivors, with slow tests

Files are drawn in proportion to their lines; a position in a file, and one of cosmic-ray's changes there, at random. A mutant
runs against the tests of its file (`TESTS`), without those marked slow or thorough; it is killed if one fails or they take too
long. Two changes are never drawn: of annotations, and `is` for `==`, which matters only where Python does not share small
values. Prints a table and each survivor as a diff, for a person to read: either the change makes no difference, or a test is
missing.
"""

import argparse
import ast
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent

Mutant = dict[str, Any]  # file, line, operator and the operator's index of the position; later the outcome
# Start of a file's path -> names of its tests, quick ones first. The longest start counts.
TESTS = {
    "__init__": "package frames",
    "analyses": "end_of_run journey sheets tables show",
    "analyses/abstention": "askings",
    "analyses/anchor": "anchors",
    "analyses/average_ranks": "ranking tables",
    "analyses/confusion": "breakdown tables",
    "analyses/correlations": "ranking tables",
    "analyses/detectable": "power",
    "analyses/extraction": "whole_replies",
    "analyses/findings": "findings end_of_run findings_agree",
    "analyses/item_mean": "early_stopping sampling memory",
    "analyses/items": "show terminal sampling",
    "analyses/judge_correction": "corrected",
    "analyses/judged": "judge judge_run sisters gaps",
    "analyses/means": "benchmarks early_stopping",
    "analyses/ranked_pairs": "ranking early_stopping",
    "analyses/saved": "strangers rounding sheets",
    "analyses/scores": "tables end_of_run early_stopping unread",
    "analyses/second_reader": "second_reader unread",
    "analyses/significance": "ranking tables",
    "analyses/stability": "askings",
    "analyses/token": "tokens",
    "analyses/votes": "askings",
    "authoring": "build_annotations build_tasks build_tutorial own_files",
    "authoring/agree": "build_agree",
    "authoring/artefacts": "build_stats",
    "authoring/c": "build_stats build_screen build_distractors",
    "authoring/d": "build_distractors build_screen",
    "authoring/inspection": "build_inspection",
    "authoring/knowledge": "build_screen",
    "authoring/merging": "build_inspection",
    "authoring/screen": "build_screen",
    "authoring/s": "build_stats build_agree build_screen",
    "backends": "backends scripted config setup",
    "backends/baseline": "baselines journey",
    "backends/checkpoint": "model_settings backends weights families",
    "backends/cluster": "cluster ray",
    "backends/hf": "backends backend_probes backend_patterns likelihood",
    "backends/keys": "secrets openai",
    "backends/model": "config model_settings model_paths models_schema sampling",
    "backends/openai": "openai secrets tokens requests",
    "backends/openai/batch": "batches",
    "backends/openai/lines": "requests batches",
    "backends/openai/provider": "batches secrets",
    "backends/openai/spending": "costs",
    "backends/vllm": "model_settings sampling backends",
    "benchmarks": "benchmarks data sample setup",
    "benchmarks/check": "data sample build_stats",
    "benchmarks/cicero": "cicero cicero_published",
    "benchmarks/cider": "cider cider_dnli",
    "benchmarks/corecode": "sample prompt data build_tasks",
    "benchmarks/corpus": "data sample c3 xcopa",
    "benchmarks/file": "benchmark_file benchmark_file_commands",
    "benchmarks/glucose": "glucose benchmarks",
    "benchmarks/kinds": "perturb likelihood journey scoring",
    "benchmarks/languages": "parse_reasoned whole_replies scoring",
    "benchmarks/registry": "benchmarks own_benchmark setup",
    "cli": "cli exit_codes show docs messages_table",
    "cli/audit": "audit audit_answer audit_marks",
    "cli/batch": "batches requests",
    "cli/build": "build_tasks build_annotations build_stats build_screen",
    "cli/contamination": "contamination cli",
    "cli/data": "data pull",
    "cli/finetune": "finetune cli",
    "cli/judge": "judge_run cli",
    "cli/tables": "terminal tables sheets show rounding",
    "common": "elsewhere strangers names terminal",
    "common/dialogue": "prompt data build_annotations aspects",
    "common/fences": "judge",
    "common/files": "one_writer own_files elsewhere names",
    "common/flags": "cli keywords",
    "common/language": "messages",
    "common/linebreaks": "terminal",
    "common/lock": "one_writer own_files",
    "common/numbers": "rounding power",
    "common/plugins": "setup own_benchmark",
    "common/processes": "worker_processes",
    "common/s": "script secrets sheets frames",
    "common/sheet": "sheets tables terminal",
    "common/templates": "prompt names reasoned",
    "common/text": "secrets openai strangers",
    "evaluation": "journey lines cli truncated",
    "evaluation/ask": "sampling secrets journey",
    "evaluation/cost": "costs",
    "evaluation/detectable": "power",
    "evaluation/display": "secrets openai terminal journey",
    "evaluation/preview": "model_paths exit_codes journey",
    "evaluation/prompt_tokens": "costs",
    "evaluation/stored_samples": "costs",
    "evaluation/token_forecast": "costs",
    "exchange/batch": "lines explain parse_confidence",
    "exchange/re": "requests",
    "exchange/submit": "submit tokens truncated",
    "exchange": "parity",
    "exposure": "contamination contamination_planted",
    "finetuning": "finetune finetune_pools cli",
    "metrics": "metrics metrics_paper",
    "metrics/agreement": "audit_agreement judge",
    "metrics/classical": "difficulty",
    "metrics/contains": "charm",
    "metrics/independence": "memory",
    "metrics/ppi": "corrected",
    "metrics/profiles": "metrics metrics_references",
    "metrics/sequences": "early_stopping",
    "metrics/votes": "askings",
    "metrics/bleu": "metrics metrics_references",
    "metrics/chrf": "metrics metrics_references",
    "metrics/cider": "metrics metrics_references",
    "metrics/classes": "metrics_classes",
    "metrics/counts": "metrics metrics_sets metrics_references",
    "metrics/exact": "metrics metrics_references",
    "metrics/meteor": "metrics metrics_references metrics_paper",
    "metrics/rouge": "metrics metrics_references",
    "metrics/rows": "metrics metric_means scoring tables",
    "metrics/semsim": "metrics_semsim",
    "metrics/sets": "metrics_sets",
    "metrics/squad": "metrics_squad",
    "metrics/statistics": "stats metrics_sets metrics_classes breakdown ranking",
    "metrics/tokens": "metrics metrics_references",
    "page": "findings blame page page_shards",
    "parse": "parse_* labelled_replies whole_replies explain words_needed rules_needed",
    "parse/span": "parse_span labelled_replies span_rules_needed",
    "perturb": "perturb robustness",
    "prompt": "prompt reasoned names",
    "results": "scoring store journey",
    "results/chosen_items": "anchors",
    "results/cells": "journey lines sampling",
    "results/compar": "compare lines power",
    "results/estimates": "early_stopping",
    "results/outcomes": "breakdown robustness",
    "results/records": "submit strangers sampling",
    "results/schema": "schema submit sheets frames",
    "results/scoring": "scoring cedar reasoned",
    "results/similarity": "metrics_semsim scoring",
    "results/store": "store batches old_runs",
    "results/votes": "askings",
    "results/words": "sheets tables",
    "review": "audit",
    "review/audit": "audit audit_agreement audit_answer audit_marks",
    "review/judge": "judge judge_run sisters",
    "setup": "setup elsewhere",
    "setup/benchmark": "benchmark_file",
    "types": "keywords prompt scoring perturb",
}
# Starts of paths whose last part is the name of their test.
NAMESAKES = (
    "analyses/aspects analyses/blame analyses/breakdown analyses/calibration analyses/chance analyses/contamination "
    "analyses/difficulty analyses/gaps analyses/learning analyses/memory analyses/overview analyses/robustness "
    "backends/ray backends/recording backends/scripted benchmarks/blend benchmarks/c3 benchmarks/cedar benchmarks/charm "
    "benchmarks/pull cli/anchors cli/chinese_help cli/compare cli/export cli/parity cli/requests cli/setup cli/show "
    "cli/submit common/finite common/weights evaluation/truncated evaluation/early_stopping evaluation/second_reader "
    "exchange/explain exchange/export exchange/parity exchange/publish frames metrics/anchors metrics/calibration "
    "metrics/chance metrics/power results/tokens"
)
TESTS |= {start: start.rpartition("/")[2] for start in NAMESAKES.split()}
# Parts of the names of tests that take seconds to minutes: they evaluate whole runs, draw many samples, or start Python.
DEAR = (
    "a_real_run of_a_run the_oracle_is_right_under the_tables_fit_80 equal_to_scikit_learn "
    "false_alarms any_text_gives symmetric_metrics import_loads need_no_dictionary real_encoder tables_fit"
)
# Modules that are loaded once, not for each mutant.
PRELOADED = (
    "pytest numpy jieba nltk sacrebleu rouge_chinese sklearn.metrics scipy.stats hypothesis typer yaml jinja2 evalsuite "
    "evalsuite.cli.app"
)


def tests_of(file: str, root: Path) -> list[str]:
    """The tests of a file, and the examples in its docstrings."""
    start = max((start for start in TESTS if file.startswith(start)), key=len)
    paths = [str(path) for name in TESTS[start].split() for path in sorted(root.glob(f"tests/test_{name}.py"))]
    if ">>> " in (root / "evalsuite" / file).read_text(encoding="utf-8"):
        module = "evalsuite." + file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        paths.append(str(root / f"tests/test_examples.py::test_examples_of_a_module[{module}]"))
    return paths


def code_of(source: str) -> str:
    """The syntax tree as text, without annotations, which never run; "" if the source is no program."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        for name in {"annotation", "returns"} & set(node._fields):
            setattr(node, name, ast.Constant(None))
    return ast.dump(tree)


def mutants_of(file: str, source: str, many: int, dice: Random) -> list[Mutant]:
    """`many` mutants at different positions, or fewer if the file has not so many."""
    places: dict[tuple[Any, ...], list[Mutant]] = {}
    nodes, families = list(ast_nodes(get_ast(source))), dict[str, list[str]]()
    for name in operator_names():  # "…ReplaceBinaryOperator_Add_Sub" and "…_Add_Mul" have the same positions
        if not get_operator(name).arguments() and not name.endswith(("Eq_Is", "NotEq_IsNot")):
            pair = "BinaryOperator_" in name or "ComparisonOperator_" in name
            families.setdefault(name.rpartition("_")[0] if pair else name, []).append(name)
    for names in families.values():
        operator = get_operator(names[0])()
        for n, place in enumerate(place for node in nodes for place in operator.mutation_positions(node)):
            mutant = {"file": file, "line": place[0][0], "n": n}
            places.setdefault(tuple(place), []).extend(mutant | {"operator": name} for name in names)
    chosen = [dice.choice(places[place]) for place in dice.sample(sorted(places), len(places))]
    real = (m for m in chosen if (mutated := mutate(source, m)) and code_of(mutated) not in ("", code_of(source)))
    return list(islice(real, many))


def key_of(mutant: Mutant) -> tuple[Any, ...]:
    return tuple(mutant[name] for name in ("file", "operator", "n"))


def mutate(source: str, mutant: Mutant) -> str | None:
    """The mutated source, or None: cosmic-ray cannot replace an exception that is named `module.Name`."""
    try:
        mutated: str | None = MutationVisitor.mutate_code(source, get_operator(mutant["operator"])(), mutant["n"])
        return mutated
    except AttributeError:
        return None


def inside_function(source: str, line: int) -> bool:
    tree = ast.parse(source)
    defs = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return any(node.body[0].lineno <= line <= (node.end_lineno or 0) for node in defs)


def put_in_place(path: Path, mutated: str) -> None:
    """Give the functions of an imported module the code of its mutated source, so that every caller runs the mutant."""
    codes, codes_left = {}, [compile(mutated, str(path), "exec", dont_inherit=True)]
    while codes_left:
        code = codes_left.pop()
        codes[code.co_qualname, code.co_firstlineno] = code
        codes_left += [const for const in code.co_consts if isinstance(const, CodeType)]
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(path):
            function.__code__ = codes[function.__code__.co_qualname, function.__code__.co_firstlineno]


def tests_pass(
    copy: Path, tests: list[str], arguments: argparse.Namespace, path: Path | None = None, mutated: str = ""
) -> bool:
    """Whether tests pass in a forked process. With `path`, they run a mutant of this module: `mutated` replaces its functions; if it
    is "", all modules are imported anew."""
    if not (child := os.fork()):
        os.setsid()
        os.chdir(copy)
        sink = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(sink, stream)
        if path and mutated == "":
            for name in [name for name in sys.modules if name.partition(".")[0] == "evalsuite"]:
                del sys.modules[name]
        elif path:
            put_in_place(path, mutated)
        quick = ["-m", "not slow and not thorough", "-k", f"not ({' or '.join(DEAR.split())})"]
        which = ["-m", "not thorough"] if arguments.slow else quick
        code = import_module("pytest").main([*tests, "-x", "-q", *which, "-p", "no:cacheprovider"])
        os._exit(int(code))
    stop = time.monotonic() + arguments.limit
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > stop:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return False
        time.sleep(0.05)
    return os.waitstatus_to_exitcode(ended[1]) in (0, 5)  # 5: all tests of these files are slow


def survives(copy: Path, mutant: Mutant, number: int, arguments: argparse.Namespace) -> bool:
    path = copy / "evalsuite" / mutant["file"]
    source, stat = path.read_text(encoding="utf-8"), path.stat()
    mutated = mutate(source, mutant) or ""  # never "": mutants_of leaves out those that cannot be made
    path.write_text(mutated, encoding="utf-8")  # tests that start processes read the file
    os.utime(path, (number, number))  # a unique time: Python would run the compiled file of another mutant
    warm = inside_function(source, mutant["line"]) and source.count("\n") == mutated.count("\n")
    try:
        return tests_pass(copy, tests_of(mutant["file"], copy), arguments, path, mutated if warm else "")
    finally:
        path.write_text(source, encoding="utf-8")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paths", nargs="*", help="files or folders of evalsuite/")
    options.add_argument("--mutants", type=int, default=180)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--limit", type=float, default=300, help="seconds for the tests of one mutant")
    options.add_argument("--slow", action="store_true", help="with the tests that are marked slow")
    options.add_argument("--again", type=Path, help="run the survivors of this file again")
    options.add_argument("--out", type=Path, default=Path("mutants.jsonl"))
    arguments = options.parse_args()
    package = ROOT / "evalsuite"
    if arguments.again:
        lines = [json.loads(line) for line in arguments.again.read_text(encoding="utf-8").splitlines()]
        mutants = [m for m in lines if m.pop("survived")]
        arguments.out = arguments.again.with_suffix(".again.jsonl")
    else:
        paths = [p for name in arguments.paths for p in sorted((package / name).rglob("*.py")) or [package / name]]
        sources = {p.relative_to(package).as_posix(): p.read_text(encoding="utf-8") for p in paths}
        dice = Random(arguments.seed)
        lengths = {file: source.count("\n") for file, source in sources.items()}
        drawn = Counter(dice.choices(list(lengths), list(lengths.values()), k=arguments.mutants))
        mutants = [m for file, many in sorted(drawn.items()) for m in mutants_of(file, sources[file], many, dice)]
        dice.shuffle(mutants)  # the mutants of an interrupted run are then a sample, too
    sys.path[:] = [place for place in sys.path if not (Path(place) / "cosmic_ray").is_dir()]
    done = arguments.out.read_text(encoding="utf-8").splitlines() if arguments.out.exists() else []
    with tempfile.TemporaryDirectory() as folder, arguments.out.open("a", encoding="utf-8") as out:
        copy = Path(folder).resolve() / "copy"
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv*", "runs", "__pycache__", "node_modules")
        )
        sys.path.insert(0, str(copy))
        os.environ |= {
            "PYTHONPATH": str(copy),
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        for name in PRELOADED.split():
            with suppress(ImportError):
                import_module(name)
        for file in sorted({m["file"] for m in mutants}):
            import_module("evalsuite." + file.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
        before = {key_of(m): m for m in map(json.loads, done)}  # the same command continues with the mutants left
        mutants = [before.get(key_of(m), m) for m in mutants]
        proved = {tuple(tests_of(m["file"], copy)) for m in mutants if m.get("survived")}  # tests that passed
        for number, m in enumerate(mutants, 1):
            if "survived" in m:
                continue
            start = time.monotonic()
            m["survived"] = survives(copy, m, number, arguments)
            source = (package / m["file"]).read_text(encoding="utf-8")
            pairs = zip(source.split("\n"), (mutate(source, m) or "").split("\n"), strict=False)
            m["change"] = [[a.strip(), b.strip()] for a, b in pairs if a != b]
            m["seconds"] = round(time.monotonic() - start, 1)
            out.write(json.dumps(m, ensure_ascii=False) + "\n")
            out.flush()
            if m["survived"]:
                proved.add(tuple(tests_of(m["file"], copy)))
                print(f"{m['file']}:{m['line']} {m['operator']} {m['change']}", flush=True)
        for tests in {tuple(tests_of(m["file"], copy)) for m in mutants} - proved:
            if not tests_pass(copy, list(tests), arguments):
                print(f"void: {' '.join(tests)} fail without a mutant, too")
    for file in sorted({m["file"] for m in mutants}):
        here = [m["survived"] for m in mutants if m["file"] == file]
        print(f"{file:28} {len(here):4} mutants {here.count(False):4} killed {here.count(True):4} survived")
    killed = sum(not m["survived"] for m in mutants)
    print(f"{len(mutants)} mutants, {killed} killed ({killed / max(1, len(mutants)):.1%})")


if __name__ == "__main__":
    main()
