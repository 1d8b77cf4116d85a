# The commands of the project; each makes the environment .venv first, once, from the exact pins of requirements.txt.
#
#   make book        build the site into _build/html and say where to open it
#   make test        check format and style (ruff), and run all tests, of which one checks types (basedpyright)
#   make browser     find or install Chromium, which the tests and the PDF need (make test and make pdf begin with it)
#   make record      build, and accept what the cells made as the record (see book/checks.md); only cells run whose code,
#                    or what they depend on, has changed; "make record-anew" runs every cell
#   make check-drift build the whole book as other machines would, and tell whether a build drifts
#   make check-same  build and print the last commit twice, in other surroundings, and compare to the byte
#   make lesson-10   run the lesson's standalone programs
#   make pdf         build, and print the whole book as one PDF, _build/html/book.pdf; the front page links to it
#   make serve       build, serve on localhost, rebuild on change
#   make linkcheck   ask every other site that the book links to whether its page is there (no build or test does that)
#   make package     build the wheel and the sdist of posenc into dist/, and run the library's tests on the wheel
#                    installed beside NumPy alone
#   make bench       measure the library against others, which get an environment of their own (.bench), and the book
#                    against a plain one, and write benchmarks/results.json and book.json; "make bench-quick" measures
#                    the library in a fraction of the time and leaves the files alone
#   make clean       remove what was built (.venv stays; "make distclean" removes it too)

.SILENT:
.ONESHELL:
.SHELLFLAGS := -ec
.DEFAULT_GOAL := book
.PHONY: book test browser record record-anew check-drift check-same lesson-10 serve pdf linkcheck package bench bench-quick clean distclean

bin := .venv/bin
export PYTHONUTF8 := 1

book: .venv/ready
	if ! test -w . || { test -e _build && ! test -w _build; }; then
	  echo "This folder may not be written to; build in a copy that is yours to write." >&2
	  exit 1
	fi
	"$(bin)/jupyter-book" build .

test: browser
	"$(bin)/ruff" format --check --quiet . || { echo "Format the code first: $(bin)/ruff format ." >&2; exit 1; }
	"$(bin)/ruff" check --quiet .
	"$(bin)/python" -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

# Finds Chromium, or installs it where that is possible, and says which one it is.
browser: .venv/ready
	"$(bin)/python" book/_ext/site_features/chromium.py

record: .venv/ready
	GUARD_ACCEPT=1 "$(bin)/jupyter-book" build .

record-anew: .venv/ready
	FRESH_ANEW=1 GUARD_ACCEPT=1 "$(bin)/jupyter-book" build .

check-drift: .venv/ready
	"$(bin)/python" tests/machines.py

check-same: .venv/ready
	"$(bin)/python" tests/same.py

lesson-10: .venv/ready
	"$(bin)/python" book/scripts/pe_matrix.py
	"$(bin)/python" book/scripts/pe_translation.py

serve: .venv/ready
	"$(bin)/jupyter-book" build . || echo "Mend it; the site is built again at every change."
	"$(bin)/python" -m http.server --bind 127.0.0.1 --directory _build/html 8000 &
	trap "kill $$!" EXIT
	echo "Serving http://127.0.0.1:8000/ ; building again at every change (Ctrl-C ends it)"
	"$(bin)/watchfiles" "'$(bin)/jupyter-book' build ." book posenc _config.yml _toc.yml || true

pdf: browser book
	PYTHONPATH=book/_ext "$(bin)/python" -m site_features.print_pdf

linkcheck: .venv/ready
	"$(bin)/jupyter-book" build --builder custom --custom-builder linkcheck .

package: .venv/ready
	"$(bin)/python" tests/package.py

bench: .bench/ready
	"$(bin)/python" -m benchmarks.book
	".bench/bin/python" -m benchmarks.run
	echo "Run make record to have the page Performance read the new results."

bench-quick: .bench/ready
	".bench/bin/python" -m benchmarks.run --quick --output .bench/quick.json

.bench/ready: benchmarks/requirements.txt | .venv/ready
	echo "Making the environment .bench with PyTorch and the other programs (a few minutes, once) ..."
	rm -rf .bench
	"$(bin)/python" -m venv .bench
	.bench/bin/python -m pip install --disable-pip-version-check --requirement benchmarks/requirements.txt
	touch .bench/ready

clean:
	rm -rf _build dist .pytest_cache .ruff_cache .hypothesis book/scripts/output

distclean: clean
	rm -rf .venv .bench

# Made anew when a pin changes. PYTHON=/path/to/python chooses another interpreter.
.venv/ready: requirements.txt pyproject.toml
	supported='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
	python=
	for name in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do
	  if command -v "$$name" >/dev/null 2>&1 && "$$name" -c "$$supported" 2>/dev/null; then python=$$name; break; fi
	done
	if [ -z "$$python" ]; then
	  echo "This book needs Python 3.11, 3.12 or 3.13; found: $$(python3 --version 2>/dev/null || echo none)."
	  echo "Install one, or name it: make book PYTHON=/path/to/python3.12"
	  exit 1
	fi >&2
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then
	  echo "$$python cannot make virtual environments. On Debian or Ubuntu: apt install python3-venv" >&2
	  exit 1
	fi
	if ! "$(bin)/python" -c "$$supported" 2>/dev/null; then
	  echo "Making the environment .venv with $$("$$python" --version) ..."
	  rm -rf .venv
	  "$$python" -m venv .venv
	fi
	echo "Installing the pinned packages into .venv (about a minute, once) ..."
	if ! "$(bin)/python" -m pip install --disable-pip-version-check --requirement requirements.txt; then
	  echo "pip could not install the packages of requirements.txt (is there a network?). Run the command again when it can." >&2
	  exit 1
	fi
	touch .venv/ready
