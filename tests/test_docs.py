"""The documentation: its site, its Chinese, its commands, pictures and links.

What a page of Start and How to shows is run from top to bottom in an empty folder, with what is in INSTEAD; commands of other
pages are read by the real command line.
"""

from __future__ import annotations

import ast
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import processes
import pytest
import yaml
from markdown_pages import Instead, NotRun, Page, Runner, difference, read, slug
from tiers import thorough_but

from evalsuite.backends.openai.faults import Server
from evalsuite.cli import options
from evalsuite.cli.app import COMMANDS, load_command
from evalsuite.common.errors import ConfigError
from tools.generated.python_page import GROUPS, KEYWORDS

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "docs/site"), str(ROOT / "docs")]
import shown_output  # noqa: E402 - a script beside the pages
from assemble import Site, nav_titles  # noqa: E402 - likewise

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
GUIDES = [
    DOCS / "index.md",
    DOCS / "start.md",
    *(path for path in sorted((DOCS / "howto").glob("*.md")) if not path.name.endswith(".zh.md")),
]
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]

# ---------------------------------------------------------------- what a test machine has instead of what pages name

INSTEAD = [
    Instead(r"\b(?:Qwen|openbmb|deepseek-ai|tencent|internlm|meta-llama|01-ai|zai-org|google|baidu|ByteDance-Seed)/[\w.-]+",
            "bundled:models/tiny-zh", "the hub is out of reach; this model ships"),
    Instead(r"\./Qwen[\w.-]+", "bundled:models/tiny-zh", "so is a folder of the reader's"),
    Instead(r"backend: vllm\b", "backend: hf", "vLLM is not installed beside the tests (make test-vllm has it)"),
    Instead(r", vllm: \{{[^}}]*\}}|^ *vllm: \{{[^}}]*\}}\n", "", "which would refuse these keys"),
    Instead(r"https?://(?:localhost:\d+|127\.0\.0\.1:\d+|(?:api|dashscope)\.[\w.]+)(?:/[\w/-]*)?", "{server}",
            "an OpenAI-compatible server of the test"),
    Instead(r"(--data |data check )(?:data|official|\$?EVALSUITE_DATA)\b(?:/\w+)?", r"\g<1>bundled:sample", "the official data are not shipped"),
    Instead(r"(--limit )\d+", r"\g<1>2", "few items take little time"),
    Instead(r"(--shots 0,)\d+", r"\g<1>1", "as does a single example before each"),
    Instead(r"(evalsuite (?:run|preview) (?!.*--limit).*?)(?= *$)", r"\g<1> --limit 2", "the same where a page runs all"),
    Instead(r"(evalsuite (?:run|preview) (?=.*(?:--data bundled:sample|--out runs/mine))(?!.*--tasks))", r"\g<1>--tasks CKF,SE ",
            "of all tasks one of each kind"),
    Instead(r"export (\w+_KEY)=\S+", r"export \g<1>=dummy", "a key"),
]  # fmt: skip
NOT_RUN = [
    NotRun(r"^(?:pip|pipx|uv|uvx|conda|make|git|docker|podman) ", "installs, or fetches"),
    NotRun(r"^(?:python3? -m venv|source|\.|cd|open|xdg-open) ", "the reader's shell and desktop"),
    NotRun(r"^(?:\w+=\S+ )*(?:ollama|vllm|ray|sbatch|srun) ", "starts a server, or a job"),
    NotRun(r"--executor ray|--ray-address", "starts a cluster, which tests/test_ray.py does"),
    NotRun(r"evalsuite data pull", "fetches"),
    NotRun(r"evalsuite run .*bundled:models/", "the models of these lists are on the hub"),
    NotRun(r"^cp -r ~/|evalsuite-tone|--tasks tone", "the example package is not installed; tests/test_own_benchmark.py runs it"),
]  # fmt: skip
# A command that looks at the machine, or for faults, may find some.
CODES = {"evalsuite doctor": [1], "evalsuite parity": [1]}


def reply(prompt: str) -> str:
    return "答案：(a)"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(mix={}, reply=reply, models=("bundled:models/tiny-zh", "served")) as server:
        yield server


@pytest.fixture(scope="module")
def evalsuite() -> Iterator[Callable[..., tuple[int, str]]]:
    keys = dict.fromkeys(("OPENAI_API_KEY", "DEEPSEEK_API_KEY", "DASHSCOPE_API_KEY", "MY_KEY"), "dummy")
    with processes.commands("openai", *processes.TORCH) as run:
        yield lambda folder, *words, **variables: run(folder, *words, **keys | variables)


def run_in_shell(folder: Path, command: str, environment: Mapping[str, str]) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"} | environment
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def _code(text: str) -> str:
    """The code of a block without comments, which a Chinese page has in Chinese."""
    return re.sub(r"(?m)\s*(?:^|\s)#.*", "", text).strip()


def guides() -> Iterator[Path]:
    """The guides in English and the README; a Chinese page where it shows other code, not only other words."""
    for path in [*GUIDES, READMES[0]]:
        yield path
        chinese = path.with_suffix(".zh.md")
        if chinese.exists() and any(
            block.lang != "console"
            and (block.title or block.lang == "python")
            and _code(block.text) != _code(other.text)
            for block, other in zip(read(chinese).blocks, read(path).blocks, strict=False)
        ):
            yield chinese


def in_the_checkout(folder: Path) -> None:
    """Put what the repository tracks into a folder, by links: the READMEs' commands are typed there, beside its files."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("needs a checkout of git")
    for name in {Path(path).parts[0] for path in listed.stdout.split("\0") if path}:
        (folder / name).symlink_to(ROOT / name)


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_a_readme_activates_the_environment_first(path: Path) -> None:
    """`make run` creates the environment, and a shell does not find its commands before it is activated."""
    shown = [command for block in read(path).blocks for command in block.commands]
    first = next(n for n, command in enumerate(shown) if re.match(r"(?:evalsuite|pip|python) ", command))
    assert shown[:first] == ["make run", "make test", ". .venv/bin/activate"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    thorough_but(1, sorted((path for path in guides() if path.exists()), key=lambda path: path not in READMES)),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_guide_does_what_it_shows(
    path: Path, tmp_path: Path, server: Server, evalsuite: Callable[..., tuple[int, str]]
) -> None:
    pytest.importorskip("torch")
    if path in READMES:
        in_the_checkout(tmp_path)

    def in_python(folder: Path, code: str, environment: Mapping[str, str]) -> tuple[int, str]:
        """All blocks of a page are one program, whose later parts use what earlier ones named."""
        file = folder / "shown_so_far.py"
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(before + code, encoding="utf-8")
        return evalsuite(folder, file.name, **environment)

    runner = Runner(
        tmp_path, INSTEAD, NOT_RUN, {"server": server.url}, evalsuite, run_in_shell, in_python, parse, CODES
    )
    assert not (wrong := runner.run(read(path))), "\n".join(wrong)


@pytest.fixture(scope="module")
def command_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands whose output is shown: in the second language nothing is asked anew."""
    return tmp_path_factory.mktemp("shown")


@pytest.mark.thorough
@pytest.mark.parametrize("language", shown_output.PAGES)
def test_the_output_shown_is_what_the_commands_print(
    language: str, command_folder: Path, evalsuite: Callable[..., tuple[int, str]]
) -> None:
    """The output in the pages is what docs/shown_output.py writes."""
    pytest.importorskip("torch")

    def command(*words: str, **variables: str) -> str:
        code, said = evalsuite(command_folder, *words, **variables)
        assert code == 0, said
        return said

    page = shown_output.PAGES[language].read_text(encoding="utf-8")
    assert {found["name"] for found in shown_output.shown_commands(page)} == {*shown_output.PARTS}
    assert shown_output.with_output(page, command, command_folder, language) == page


@pytest.mark.parametrize("language", shown_output.READMES)
def test_a_readme_has_the_table_of_a_run(language: str) -> None:
    """CI compares it with that of `make run`: docs/shown_output.py --check."""
    text = shown_output.READMES[language].read_text(encoding="utf-8")
    assert "\n…\nHARD, test\n  95 %  ±1\n…\n" in shown_output.with_table(
        text, "EASY, test\n 95 %\nHARD, test \n  95 %  ±1\nn: items\n"
    )


# ---------------------------------------------------------------- commands that are not run


# Names that stand for the reader's own.
_OWN = re.compile(r"…|\b(?:tone|mine)\b")


def parse(shown: str) -> None:
    """Parse a shown command as the command line does; raises the error of the command line or of its settings."""
    for part in re.split(r"\s(?:\||>|>>|&&|;)\s", shown):
        words = shlex.split(part, comments=True)
        while words and re.match(r"[A-Z_]+=", words[0]):
            words.pop(0)
        if not words or words[0] != "evalsuite":
            continue
        name, *rest = words[1:] or ["--help"]
        if name.startswith("-"):
            continue
        assert name in COMMANDS, f"no command {name}"
        command = load_command(name)
        inner = getattr(command, "commands", None)
        if inner and rest and not rest[0].startswith("-"):
            assert rest[0] in inner, f"no command {name} {rest[0]}"
            command, *rest = inner[rest[0]], *rest[1:]
        if "--help" in rest:
            continue
        given = command.make_context(name, list(rest)).params
        if (settings := KEYWORDS.get("run" if name in ("preview", "requests") else name)) and not _OWN.search(part):
            _settings(settings, given)


def _settings(settings: type, given: Mapping[str, object]) -> None:
    hints = options.get_type_hints(settings)
    known = {f.name: options._value(f, hints[f.name], given[f.name]) for f in fields(settings) if f.name in given}
    try:
        settings(**known)
    except ConfigError as error:  # the command names files of the reader's own, which are not here
        if not re.search(r"no such (file|folder)|cannot read", str(error)):
            raise


def commands_of(path: Path) -> list[tuple[int, str]]:
    return [
        (block.line, command) for block in read(path).blocks for command in block.commands if "evalsuite " in command
    ]


@pytest.mark.slow
def test_every_command_is_one_of_the_command_line() -> None:
    wrong: list[str] = []
    found = 0
    for path in [*PAGES, *READMES, ROOT / "CONTRIBUTING.md"]:
        for line, command in commands_of(path) if path.exists() else ():
            found += 1
            try:
                parse(command)
            except Exception as error:
                said = getattr(error, "message", "") or str(error) or type(error).__name__
                wrong.append(f"{path.relative_to(ROOT)}:{line}: $ {command}\n    {said}")
    assert found > 100 and not wrong, "\n".join(wrong)


# Commands that need nothing of the reader's and take no time.
CHEAP = re.compile(
    r"evalsuite (?:tasks|models|cite|parse --explain --reply|metrics --help|build check bundled:)(?!.*…)"
)


@pytest.mark.slow
def test_cheap_commands_of_other_pages_run(tmp_path: Path, cli: Callable[..., object]) -> None:
    shown = {
        command for path in PAGES if path not in GUIDES for _, command in commands_of(path) if CHEAP.match(command)
    }
    assert len(shown) >= 3
    for command in sorted(shown):
        cli(*shlex.split(command, comments=True)[1:])


def test_python_in_pages_is_python() -> None:
    wrong: list[str] = []
    for path in PAGES:
        for block in read(path).blocks:
            if block.lang == "python" and path.name != "python.md":
                try:
                    ast.parse(block.text)
                except SyntaxError as error:
                    wrong.append(f"{path.relative_to(ROOT)}:{block.line}: {error}")
    assert not wrong, "\n".join(wrong)


_DOTTED = re.compile(r"`(evalsuite(?:\.\w+)+)")


def test_dotted_names_in_pages_exist() -> None:
    named = {name for path in PAGES for name in _DOTTED.findall(path.read_text(encoding="utf-8"))}
    assert "evalsuite.benchmarks.probing" in named
    assert not [name for name in sorted(named) if not _is_importable(name)]


def _is_importable(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


# ---------------------------------------------------------------- Chinese


def pairs() -> list[tuple[Path, Path]]:
    found = [path for path in [*PAGES, READMES[1]] if path.name.endswith(".zh.md") and path.exists()]
    return [(path.with_name(path.name.replace(".zh.md", ".md")), path) for path in found]


def test_guides_are_in_chinese_too() -> None:
    lacking = [path.name for path in GUIDES if not path.with_suffix(".zh.md").exists()]
    assert not lacking and len(GUIDES) == 11


@pytest.mark.parametrize(
    ("english", "chinese"), [pytest.param(*pair, id=str(pair[1].relative_to(ROOT))) for pair in pairs()]
)
def test_a_chinese_page_keeps_step(english: Path, chinese: Path) -> None:
    one, other = read(english), read(chinese)
    assert [(level, told) for level, _, told in one.headings] == [(level, told) for level, _, told in other.headings]
    if english.parent != ROOT:
        bare = [text for level, text, told in (*one.headings, *other.headings) if not told]
        assert not bare, f"headings without an id of their own: {bare}"
    assert [block.lang for block in one.blocks] == [block.lang for block in other.blocks]
    wrong = [
        f"line {theirs.line}: {said}"
        for ours, theirs in zip(one.blocks, other.blocks, strict=True)
        if (said := difference(ours, theirs))
    ]
    assert not wrong, "\n".join(wrong)


# ---------------------------------------------------------------- pictures


def test_every_picture_is_used_and_made_by_a_script() -> None:
    pictures = {path.name for path in (DOCS / "pictures").iterdir()}
    texts = [path.read_text(encoding="utf-8") for path in [*PAGES, *READMES] if path.exists()]
    used = {name for text in texts for name in re.findall(r"pictures/([\w.-]+\.\w+)", text)}
    assert used == pictures
    strings = {
        node.value
        for script in DOCS.glob("*.py")
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert not {name for name in pictures if not {name, Path(name).stem} & strings}
    shown = {path for path in DOCS.rglob("*") if path.suffix in (".png", ".jpg", ".svg", ".webp", ".gif")}
    assert shown == {DOCS / "pictures" / name for name in pictures}


# ---------------------------------------------------------------- links


def links() -> Iterator[tuple[Path, str]]:
    top = [*ROOT.glob("*.md"), *(ROOT / "design").glob("*.md"), *(ROOT / "models").rglob("*.md")]
    for path in [*top, *PAGES]:
        for link in read(path).links:
            yield path, link


def test_links_between_files_hold() -> None:
    wrong: list[str] = []
    known: dict[Path, Page] = {}
    for path, link in links():
        if re.match(r"\w+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or not target.is_relative_to(ROOT):
            wrong.append(f"{path.relative_to(ROOT)}: {link}")
        elif anchor and target.suffix == ".md":
            page = known.setdefault(target, read(target))
            if anchor not in page.anchors:
                wrong.append(f"{path.relative_to(ROOT)}: {link} (no such heading)")
    assert not wrong, "\n".join(wrong)


def test_links_to_elsewhere_have_the_form_of_one() -> None:
    """Addresses are not asked for: a test needs no network."""
    found = [(path, link) for path, link in links() if re.match(r"\w+:", link)]
    assert found
    for path, link in found:
        parts = urlsplit(link)
        assert parts.scheme in ("https", "mailto") and re.fullmatch(r"[\w.-]+\.\w+|", parts.netloc), f"{path}: {link}"


# ---------------------------------------------------------------- the site


class _Config(yaml.SafeLoader):
    """mkdocs.yml, without the values that its own tags make."""


_Config.add_multi_constructor("", lambda *_: None)


def config() -> dict[str, object]:
    loaded: dict[str, object] = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), _Config)
    return loaded


def entries(nav: object) -> Iterator[tuple[str, str]]:
    """Title and page of each entry; "" if there is none."""
    assert isinstance(nav, list)
    for entry in nav:
        if isinstance(entry, str):
            yield "", entry
        else:
            ((title, inner),) = entry.items()
            if isinstance(inner, str):
                yield title, inner
            else:
                yield title, ""
                yield from entries(inner)


def test_the_navigation_lists_every_page_and_is_in_chinese() -> None:
    listed = list(entries(config()["nav"]))
    pages = [page for _, page in listed if page]
    theirs = {path.relative_to(DOCS).as_posix() for path in PAGES if not path.name.endswith(".zh.md")}
    theirs |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "design").glob("*.md")}
    assert sorted(pages) == sorted(theirs)
    plugins = {name: more for each in config()["plugins"] if isinstance(each, dict) for name, more in each.items()}  # type: ignore[attr-defined]
    chinese = next(language for language in plugins["i18n"]["languages"] if language["locale"] == "zh")
    assert {title for title, _ in listed if title} == {*chinese["nav_translations"]}


def test_a_page_is_called_as_in_the_navigation() -> None:
    """The pages of Start and How to have their title in the navigation, in each language that they are written in."""
    nav = nav_titles(ROOT / "mkdocs.yml")
    wrong: list[str] = []
    for path in [*GUIDES[1:], DOCS / "install.md", DOCS / "runs.md", DOCS / "gallery.md"]:
        for page, title in zip((path, path.with_suffix(".zh.md")), nav[path.relative_to(DOCS).as_posix()], strict=True):
            if page.exists() and read(page).headings[0][1] != title:
                wrong.append(f"{page.relative_to(ROOT)}: {read(page).headings[0][1]}, not {title}")
    assert not wrong, "\n".join(wrong)


def test_a_link_called_as_a_file_is_called_as_its_page_on_the_site(tmp_path: Path) -> None:
    Site(out=tmp_path / "site").make()
    english, chinese = ((tmp_path / "site" / name).read_text(encoding="utf-8") for name in ("start.md", "start.zh.md"))
    assert "[What a run leaves](runs.md)" in english and "[运行后留下什么](runs.md)" in chinese
    assert "[Robustness](robustness.md)" in english  # the page's heading is longer: only the part before its colon
    named = re.compile(r"\[[\w./-]+\.md\]\((?!https?:)")
    assert not [page for page in tmp_path.rglob("*.md") if named.search(read(page).prose)]


def test_the_python_page_has_every_public_name() -> None:
    import evalsuite

    assert {name for names in GROUPS.values() for name in names} | {"Settings"} == {*evalsuite.__all__}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="needs evalsuite[docs]")
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder / "site"


def build(folder: Path) -> None:
    """Build the site as `make site` does, in a folder of the test."""
    env = os.environ | {"SITE_DOCS": str(folder / "docs"), "NO_MKDOCS_2_WARNING": "1", "NO_PROXY": ""}
    # a build that fetches anything fails
    env |= {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    made = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder / "site")]
    for command in ([sys.executable, "docs/site/assemble.py", str(folder / "docs")], made):
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough
def test_the_site_is_whole(site: Path) -> None:
    """mkdocs itself fails at links and anchors that lead nowhere."""
    for page in ("index", "start", "commands", "howto/model", "design/house", "source/models_yaml"):
        for language in ("", "zh/"):
            text = (site / f"{language}{page}.html").read_text(encoding="utf-8")
            fetched = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(https?:[^\"> ]+)", text)
            assert not fetched, f"{language}{page} fetches {fetched}"
    commands = (site / "commands.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f'id="{slug(f"evalsuite {name}")}"' in commands, name
    for folder, word in (("", "accuracy"), ("zh/", "准确率")):
        script = (site / folder / "search/search_index.js").read_text(encoding="utf-8")
        index = json.loads(script.removeprefix("var __index = "))
        assert index["config"]["lang"] == ["en", "zh"]
        # Words of Chinese are cut by zero-width spaces.
        assert any(f"{word}" in re.split(r"[\s\u200b<>.,，。、（(]+", entry["text"]) for entry in index["docs"]), word
        places = {entry["location"].partition("#")[0] for entry in index["docs"]} - {""}
        assert places and all((site / folder / place).exists() for place in places)


# A page of Material asks for the map of the site, to switch languages, which no browser gives to files: it says so on the
# console.
NO_MAP = "XMLHttpRequest.prototype.send = function () { this.dispatchEvent(new Event('error')); };"


@pytest.mark.thorough
@pytest.mark.parametrize(("start", "word"), [("zh/index", "准确率"), ("commands", "limit")])
def test_search_works_without_a_server(site: Path, browse: Callable[..., Any], start: str, word: str) -> None:
    """The search finds pages of the reader's language."""
    with browse(site / f"{start}.html", drawn="h1", script=NO_MAP) as tab:
        tab.locator(".md-search__input").click()
        tab.keyboard.insert_text(word)
        tab.keyboard.press("Shift")  # a key after the typed text
        tab.wait_for_selector(".md-search-result__link")
        places = [link.get_attribute("href") for link in tab.locator(".md-search-result__link").all()]
        home = (site / "zh" if start.startswith("zh/") else site).as_uri()
        assert places and all(
            place.startswith(f"{home}/") and ("/zh/" in place) == start.startswith("zh/") for place in places
        )
