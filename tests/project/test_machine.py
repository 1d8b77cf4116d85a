"""Both commands on a machine that lacks something: what is missing is installed once, or named before anything begins.

The machine is a folder of stand-ins, which is the whole PATH of what runs here: an `apt-get` that fails when two of it
run at a time and "installs" a file, pythons that are too old or lack a part, and the few real tools that a shell needs.
"""

import os
import shutil
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from stand_ins import stand_in

from site_features import chromium

ROOT = Path(__file__).parents[2]
PROGRAM = Path(chromium.__file__)
BROWSER = "#!/bin/sh\necho Chromium 1.2.3\n"
# The program as root of a Debian machine, whoever runs these tests.
AS_ROOT = """
import os, platform, sys
sys.path.insert(0, {folder!r})
from site_features import chromium
os.geteuid = lambda: 0
platform.freedesktop_os_release = lambda: {{"ID": "debian"}}
chromium.PAUSE = 0.05
sys.exit(chromium.main())
"""
DEBIAN = {"ID": "debian", "PRETTY_NAME": "Debian GNU/Linux 12 (bookworm)"}
UBUNTU = {"ID": "ubuntu", "ID_LIKE": "debian", "PRETTY_NAME": "Ubuntu 24.04 LTS"}
APT = """
import os, pathlib, sys, time
machine = pathlib.Path({machine!r})
words = [word for word in sys.argv[1:] if not word.startswith("-") and "::" not in word]
try:
    os.mkdir(machine / "lock")
except FileExistsError:
    (machine / "asked").touch()
    print("E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)", file=sys.stderr)
    sys.exit(100)
try:
    time.sleep(0.1)
    with open(machine / "log", "a", encoding="utf8") as log:
        print(*words, file=log)
    if (machine / "no network").exists():
        print("W: Failed to fetch http://deb.debian.org/: Temporary failure resolving", file=sys.stderr)
        if words[0] == "install":
            print("E: Unable to locate package " + words[1], file=sys.stderr)
            sys.exit(100)
    elif (machine / "no shell").exists() and words == ["install", "chromium-headless-shell"]:
        print("E: Unable to locate package chromium-headless-shell", file=sys.stderr)
        sys.exit(100)
    elif words[0] == "install":
        program = machine / "bin" / words[1]
        program.write_text({program!r}, encoding="utf8")
        program.chmod(0o755)
finally:
    os.rmdir(machine / "lock")
"""


class Machine:
    """A folder whose `bin` is the PATH of what runs on this machine."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()

    def add(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(script, encoding="utf8")
        path.chmod(0o755)

    def add_real(self, *names: str) -> None:
        for name in names:
            path = shutil.which(name)
            assert path is not None, f"this machine has no {name}"
            (self.bin / name).symlink_to(path)

    def add_apt(self, program: str = BROWSER) -> None:
        """Add an `apt-get` that installs this program under the name that it is asked for."""
        code = self.folder / "apt.py"
        code.write_text(APT.format(machine=str(self.folder), program=program), encoding="utf8")
        self.add("apt-get", f'#!/bin/sh\nexec "{sys.executable}" "{code}" "$@"\n')

    def log(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text(encoding="utf8").splitlines() if path.exists() else []

    def run(self, *command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess:
        env = {"PATH": str(self.bin), "HOME": str(self.folder), "PLAYWRIGHT_BROWSERS_PATH": str(self.folder / "none")}
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, encoding="utf8", timeout=120)

    def find_browser_as_a_program(self) -> subprocess.CompletedProcess:
        return self.run(sys.executable, "-c", AS_ROOT.format(folder=str(PROGRAM.parents[1])))


@pytest.fixture
def find_browser(machine, monkeypatch, capsys):
    """Return the main function of the program, which then runs here as this user of this system."""

    class Playwright:
        """It has no browser of its own."""

        chromium = SimpleNamespace(executable_path=str(machine.folder / "none"))

    def find(system: dict = DEBIAN, user: int = 0, patience: float = 60) -> tuple[int, str, str]:
        monkeypatch.setenv("PATH", str(machine.bin))
        monkeypatch.setattr("os.geteuid", lambda: user)
        monkeypatch.setattr("platform.freedesktop_os_release", lambda: system)
        monkeypatch.setattr(chromium, "PATIENCE", patience)
        monkeypatch.setattr(chromium, "PAUSE", 0.05)
        monkeypatch.setattr(chromium, "sync_playwright", lambda: nullcontext(Playwright))
        status = chromium.main()
        return status, *capsys.readouterr()

    return find


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


# ---- the browser


def test_the_system_s_browser_is_taken_as_it_is(machine, find_browser):
    machine.add("google-chrome", BROWSER)
    machine.add_apt()
    status, output, errors = find_browser()
    assert (status, errors) == (0, "")
    assert output == f"The browser is Chromium 1.2.3, the system's: {machine.bin / 'google-chrome'}\n"
    assert machine.log() == []


def test_four_that_ask_at_once_get_one_install_and_the_same_path(machine):
    machine.add_apt()
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: machine.find_browser_as_a_program(), range(4)))
    assert [run.returncode for run in runs] == [0] * 4, [run.stderr for run in runs]
    assert machine.log() == ["update", "install chromium-headless-shell"]
    last = [run.stdout.splitlines()[-1] for run in runs]
    assert {line.rpartition(": ")[2] for line in last} == {str(machine.bin / "chromium-headless-shell")}
    assert sum("just installed with apt" in line for line in last) == 1


def test_the_headless_shell_is_taken_before_the_full_browser(machine, find_browser):
    machine.add("chromium", BROWSER)
    machine.add("chromium-headless-shell", BROWSER)
    assert find_browser()[1].rstrip().endswith("/chromium-headless-shell")


def test_a_debian_without_the_headless_shell_gets_the_full_browser(machine, find_browser):
    machine.add_apt()
    (machine.folder / "no shell").touch()
    status, output, errors = find_browser()
    assert status == 0 and output.rstrip().endswith("/chromium"), errors
    assert machine.log() == ["update", "install chromium-headless-shell", "install chromium"]


def test_a_lock_that_another_program_has_is_waited_for(machine, find_browser):
    machine.add_apt()
    lock, asked = machine.folder / "lock", machine.folder / "asked"
    lock.mkdir()

    def free() -> None:
        while not asked.exists():
            time.sleep(0.02)
        lock.rmdir()

    Thread(target=free, daemon=True).start()
    status, output, errors = find_browser()
    assert status == 0 and machine.log() == ["update", "install chromium-headless-shell"], errors
    assert output.count("Another program has apt's lock: waiting") == 1


@pytest.mark.parametrize("apt, how, reason", [
    (False, {}, "no apt-get"),
    (True, {"user": 1000}, "Only root can install it"),
    (True, {"system": UBUNTU}, "Ubuntu 24.04 LTS is not Debian"),
    (True, {"system": {}}, "is not Debian"),
])  # fmt: skip
def test_what_cannot_be_installed_is_told_with_what_to_do(machine, find_browser, apt, how, reason):
    if apt:
        machine.add_apt()
    status, output, errors = find_browser(**how)
    assert (status, output) == (1, "")
    assert reason in errors and "apt install chromium" in errors
    assert "-m playwright install --with-deps chromium" in errors
    assert machine.log() == []


def test_without_a_network_the_words_of_apt_are_told(machine, find_browser):
    machine.add_apt()
    (machine.folder / "no network").touch()
    status, _, errors = find_browser()
    assert status == 1
    for words in "is there a network?", "Temporary failure resolving", "Unable to locate package", "apt install":
        assert words in errors


def test_a_lock_that_stays_is_told(machine, find_browser):
    machine.add_apt()
    (machine.folder / "lock").mkdir()
    status, _, errors = find_browser(patience=0.2)
    assert status == 1 and "Could not get lock" in errors


def test_ubuntu_s_script_that_leads_to_a_snap_is_no_browser(machine, find_browser):
    machine.add("chromium-browser", f"{BROWSER}# or else: exec /snap/bin/chromium\n")
    status, _, errors = find_browser(system=UBUNTU, user=1000)
    assert status == 1 and "No Chromium was found" in errors


def test_a_browser_that_does_not_start_is_passed_over(machine, find_browser):
    machine.add("chromium", "#!/bin/sh\nexit 127\n")
    machine.add("google-chrome", BROWSER)
    assert find_browser()[1].rstrip().endswith("/google-chrome")


def test_an_installed_browser_that_does_not_start_is_told(machine, find_browser):
    machine.add_apt("#!/bin/sh\nexit 127\n")
    status, _, errors = find_browser()
    assert status == 1 and "none of its programs starts" in errors


def test_tests_and_printer_only_look_it_up(machine, monkeypatch):
    """Where there is none they say what to do, and install nothing."""
    playwright = stand_in(chromium=stand_in(executable_path=str(machine.folder / "none")))
    machine.add_apt()
    monkeypatch.setenv("PATH", str(machine.bin))
    with pytest.raises(chromium.NoBrowser, match="apt install chromium"):
        chromium.path(playwright)
    assert machine.log() == []
    machine.add("chromium", BROWSER)
    assert chromium.path(playwright) == str(machine.bin / "chromium")


def test_the_browser_comes_before_the_tests(machine, tmp_path):
    """Make ends where there is none, and pytest does not begin."""
    folder = project(tmp_path)
    log = tmp_path / "log"
    python = f'#!/bin/sh\necho "$@" >> "{log}"\ncase "$*" in *chromium.py) exit 1;; esac\n'
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").write_text(python, encoding="utf8")
    (folder / ".venv" / "bin" / "python").chmod(0o755)
    machine.add_real("make")
    (folder / ".venv" / "ready").touch()
    done = machine.run("make", "test", cwd=folder)
    assert done.returncode == 2
    [line] = log.read_text(encoding="utf8").splitlines()
    assert line.endswith("chromium.py") and (ROOT / line).samefile(PROGRAM)


# ---- the environment


def project(folder: Path) -> Path:
    """Return a folder with what `make` reads to make the environment."""
    copy = folder / "a clone"
    copy.mkdir()
    for name in "Makefile", "requirements.txt", "pyproject.toml":
        shutil.copy(ROOT / name, copy)
    return copy


def python(version: str, ensurepip: bool = True, network: bool = True) -> str:
    """Return a stand-in of Python: it knows its version, makes environments of itself, and its pip needs a network."""
    major, minor = version.split(".")[:2]
    return textwrap.dedent(f"""\
        #!/bin/sh
        case "$*" in
          --version) echo "Python {version}" ;;
          *"import sys"*) exec "{sys.executable}" -c 'import sys; sys.version_info = ({major}, {minor}, 0, "final", 0)
        '"${{2#import sys; }}" ;;
          *ensurepip*) exit {0 if ensurepip else 1} ;;
          "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
          *"pip install"*) echo "pip of Python {version}"; exit {0 if network else 1} ;;
          *) echo "unexpected: $*"; exit 9 ;;
        esac
        """)


def make_environment(machine: Machine) -> tuple[subprocess.CompletedProcess, Path]:
    machine.add_real("make", "rm", "touch", "mkdir", "cp")
    folder = project(machine.folder)
    return machine.run("make", ".venv/ready", cwd=folder), folder / ".venv" / "ready"


def test_the_first_python_that_is_new_enough_makes_the_environment(machine):
    machine.add("python3", python("3.9.2"))
    machine.add("python3.12", python("3.12.1"))
    done, ready = make_environment(machine)
    assert done.returncode == 0 and ready.exists(), done.stdout + done.stderr
    assert "with Python 3.12.1" in done.stdout and "pip of Python 3.12.1" in done.stdout


@pytest.mark.parametrize("pythons, words", [
    ([], ["needs Python 3.11, 3.12 or 3.13; found: none", "make book PYTHON="]),
    ([("python3", python("3.9.2"))], ["found: Python 3.9.2", "make book PYTHON="]),
    ([("python3", python("3.14.0"))], ["found: Python 3.14.0"]),
    ([("python3", python("3.11.2", ensurepip=False))], ["apt install python3-venv"]),
    ([("python3", python("3.11.2", network=False))], ["is there a network?"]),
])  # fmt: skip
def test_what_the_environment_lacks_is_named(machine, pythons, words):
    for name, script in pythons:
        machine.add(name, script)
    done, ready = make_environment(machine)
    assert done.returncode == 2 and not ready.exists()
    assert [word for word in words if word not in done.stderr] == []


# ---- continuous integration


def integrate(machine: Machine, user: int) -> subprocess.CompletedProcess:
    """Run .ci/run as a user, in a folder of its own."""
    machine.add_real("bash", "env")
    machine.add("id", f"#!/bin/sh\necho {user}\n")
    folder = machine.folder / "a clone" / ".ci"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "run", folder)
    return machine.run(folder / "run", cwd=machine.folder)


def test_continuous_integration_installs_make_where_it_is_missing(machine):
    machine.add_apt('#!/bin/sh\necho "make $1 in ${PWD##*/}"\n')
    done = integrate(machine, user=0)
    assert done.returncode == 0 and done.stdout == "make test in a clone\n", done.stderr
    assert machine.log() == ["update", "install make"]


@pytest.mark.parametrize("apt, user, network, words", [
    (False, 0, True, "This needs make"),
    (True, 1000, True, "This needs make"),
    (True, 0, False, "is there a network?"),
])  # fmt: skip
def test_continuous_integration_says_that_make_is_missing(machine, apt, user, network, words):
    if apt:
        machine.add_apt()
    if not network:
        (machine.folder / "no network").touch()
    done = integrate(machine, user)
    assert done.returncode == 1 and words in done.stderr and "apt install make" in done.stderr
    assert os.access(machine.bin / "make", os.F_OK) is False
