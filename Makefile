# make lab, make test: each sets up what is missing. `make help` lists the rest.
# ARGS goes to JupyterLab, or to Voila: make lab ARGS=--no-browser
# PYTHON chooses the interpreter; each version has an environment of its own under .venv/.

PYTHON ?= python3
TAG := $(shell $(PYTHON) -c "import sys; print(f'{sys.version_info[0]}.{sys.version_info[1]}' if sys.version_info >= (3, 11) else '')" 2>/dev/null)
ifeq ($(TAG),)
$(error $(PYTHON) is missing or older than 3.11: install Python 3.11 or newer, or name one with PYTHON=…)
endif

VENV := .venv/$(TAG)
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
READY := $(VENV)/ready
LIVE := .venv/live-$(TAG)
ROOM := .venv/room-$(TAG)
PROXY := configurable-http-proxy@5.3.0

# An environment that was copied or moved along with its folder, or whose Python has gone, is set up again.
OURS := import boundary_lab, os; os.path.samefile(boundary_lab.__path__[0], 'src/boundary_lab') or exit(1)
STALE := $(shell for env in $(VENV) $(LIVE) $(ROOM); do \
  test ! -e $$env/ready || $$env/$(notdir $(BIN))/python -c "$(OURS)" 2>/dev/null || rm -f $$env/ready; done)

.PHONY: help lab reset slides room test test-live test-room unit check notebooks exercises freeze defects record explore measure bench coverage mutants fuzz \
  lock clean

help:
	@echo "make lab        open the lab in JupyterLab"
	@echo "make reset      put the notebooks back, and keep those that you changed beside them"
	@echo "make explore    serve the explorers alone, without code"
	@echo "make slides     make a deck of each lesson, with speaker notes, in build/slides"
	@echo "make test       run every test but those of test-live: unit, property, notebooks, browser"
	@echo "make test-live  run the real SDK and its program against a server on loopback; sets up 400 MB"
	@echo "make room       a room of twenty on this machine, with JupyterHub: as root, on Linux; sets up 500 MB"
	@echo "make test-room  twenty people at once in such a room, and what each may not see"
	@echo "make unit       run the tests without notebooks and browser"
	@echo "make check      lint, types, layers"
	@echo "make notebooks  run the notebooks, store their outputs, print what changed"
	@echo "make exercises  write notebooks/exercises/ again, from notebooks/solutions/, and run them"
	@echo "make freeze     after notebooks changed on purpose: how many outputs are compared"
	@echo "make defects    put each named defect into a copy of the core, and see whether both nets catch it"
	@echo "make record     after rows or notebooks changed on purpose: which of them notice which defect"
	@echo "make measure    lesson 7's figures again, on the SDK that is installed; ARGS=--write stores them on purpose"
	@echo "make bench      measure, as ratios"
	@echo "make coverage   the branches of the core that no test takes"
	@echo "make mutants    the changes to the core that no test notices: minutes to an hour"
	@echo "make fuzz       hunt for a wrong answer: TARGET=packet SECONDS=600; tests/fuzz/targets.py names the targets"
	@echo "make lock       pin the newest versions that pyproject.toml allows"
	@echo "make clean      remove the environments and every generated file"

lab: $(READY)
	@$(BIN)/python -m boundary_lab.teach.lab $(ARGS)

reset: $(READY)
	@$(BIN)/python -m boundary_lab.teach.originals

slides: $(READY)
	@$(BIN)/python -m boundary_lab.teach.slides

explore: $(READY)
	@$(BIN)/python -m boundary_lab.teach.explore $(ARGS)

test: $(READY)
	@$(BIN)/python -m pytest

# A network of its own, without an outside, where the system gives one.
CUT_OFF = $(shell unshare --net --map-root-user true 2>/dev/null && echo unshare --net --map-root-user env BOUNDARY_LAB_CUT_OFF=1)

# An environment of its own, options of its own, and no conftest.py of the others: they need what it lacks.
test-live: $(LIVE)/ready
	@$(CUT_OFF) $(LIVE)/$(notdir $(BIN))/python -m pytest tests/live -o addopts= -o python_files='live_*.py' -q --strict-markers \
	  --import-mode=importlib -o pythonpath=tests/live --confcutdir=tests/live -p no:cacheprovider

room: $(ROOM)/ready
	@$(ROOM)/$(notdir $(BIN))/python -m boundary_lab.teach.room $(ARGS)

# As test-live: what it needs, the others lack.
test-room: $(ROOM)/ready
	@$(ROOM)/$(notdir $(BIN))/python -m pytest tests/room -o addopts= -o python_files='room_*.py' -q --strict-markers \
	  --import-mode=importlib -o pythonpath='tests/room tests' --confcutdir=tests/room -p no:cacheprovider

unit: $(READY)
	@$(BIN)/python -m pytest tests --ignore=tests/net --ignore=tests/browser $(ARGS)

check: $(READY)
	@$(BIN)/ruff check --quiet --no-cache
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache --no-logo > $(VENV)/layers || { cat $(VENV)/layers; exit 1; }

notebooks: $(READY)
	@$(BIN)/python -m boundary_lab.teach.notebooks notebooks

exercises: $(READY)
	@$(BIN)/python -m boundary_lab.teach.exercises.generate

freeze: $(READY)
	@cd tests && $(abspath $(BIN))/python -m net.freeze

defects: $(READY)
	@$(BIN)/boundary-lab defects --json | (cd tests && $(abspath $(BIN))/python -m net.noticed)
	@PYTHONOPTIMIZE=1 $(BIN)/boundary-lab defects --json | (cd tests && $(abspath $(BIN))/python -m net.noticed)

record: $(READY)
	@$(BIN)/boundary-lab defects --json | (cd tests && $(abspath $(BIN))/python -m net.noticed --write)

measure: $(READY)
	@$(BIN)/python -m boundary_lab.sdk.openai_agents.measured $(ARGS)

bench: $(READY)
	@$(BIN)/python -m pytest tests/bench -o addopts= -o python_files='bench_*.py' -q -p no:nbval \
	  --import-mode=importlib --benchmark-columns=min,median,ops,rounds --benchmark-sort=min --benchmark-warmup=on

# In the others the command may not write, and so neither may what measures it; or they run whole suites in copies.
MEASURED := not no_permission and not no_room_in_a_file and not test_commands and not test_recovery

# A process that a test kills leaves half a file of data; combining them says so.
coverage: $(READY)
	@rm -rf build/coverage && mkdir -p build/coverage
	@$(BIN)/coverage run -m pytest tests --ignore=tests/net --ignore=tests/browser -k "$(MEASURED)" > build/coverage/tests \
	  || { cat build/coverage/tests; exit 1; }
	@$(BIN)/coverage combine > build/coverage/combined 2>&1 || { cat build/coverage/combined; exit 1; }
	@$(BIN)/coverage report > build/coverage/report || { cat build/coverage/report; exit 1; }
	@echo "every line and every branch of the core is taken"

# ARGS goes to mutmut: make mutants ARGS="--max-children 1 boundary_lab.packet.*"
mutants: $(READY)
	@$(BIN)/uv pip install --quiet --python $(VENV) --requirement pyproject.toml --extra mutants \
	  --constraint requirements.lock
	@$(BIN)/python tests/mutants.py $(ARGS)

TARGET ?= packet
SECONDS ?= 600
CORPUS ?= $(VENV)/corpus

fuzz: $(READY)
	@$(BIN)/uv pip install --quiet --python $(VENV) --requirement pyproject.toml --extra fuzz --constraint requirements.lock
	@cd tests && $(abspath $(BIN))/python -m fuzz $(TARGET) $(SECONDS) $(abspath $(CORPUS)) $(if $(ARGS),-- $(ARGS))

lock: $(READY)
	@$(BIN)/uv pip compile --quiet pyproject.toml --extra lab --extra agents --extra slides --extra test --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header --no-annotate --upgrade --output-file requirements.lock
	@printf '%s\n' hatchling pytest uv | $(BIN)/uv pip compile --quiet pyproject.toml - --extra codex --universal \
	  --python-version 3.11 --constraint requirements.lock --generate-hashes --no-emit-index-url --no-header --no-annotate \
	  --upgrade --output-file requirements-live.lock
	@printf '%s\n' hatchling uv | $(BIN)/uv pip compile --quiet pyproject.toml - --extra lab --extra agents --extra room \
	  --universal --python-version 3.11 --constraint requirements.lock --generate-hashes --no-emit-index-url --no-header \
	  --no-annotate --upgrade --output-file requirements-room.lock

clean:
	@rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	@find . -name __pycache__ -prune -exec rm -rf {} + -o -name .ipynb_checkpoints -prune -exec rm -rf {} +

COMMA := ,
PROXIES := $(strip $(foreach NAME,HTTPS_PROXY https_proxy ALL_PROXY all_proxy,$(if $($(NAME)),$(NAME))))

# uv comes first, from the lock like everything else; what it installs, it checks against the lock's hashes, and
# compiles: kernels start by the hundred, and many where Python may write no bytecode. What a step says is kept, and
# shown where it failed, below the one line that says what to look at.
define SET_UP
@mkdir -p $(dir $(@D)) 2>/dev/null && test -w $(dir $(@D)) \
  || { echo "Nothing can be written to $(dir $(@D)): copy the project to a folder of your own, or name another place, VENV=FOLDER."; exit 1; }
@echo "Setting up $(@D) …"
@rm -rf $(@D)
@$(PYTHON) -m venv $(@D) > $(@D).log 2>&1 \
  || { echo "$(PYTHON) cannot make an environment: install python3-venv (Debian, Ubuntu), or look at $(@D).log."; exit 1; }
@sed -n '/^uv==/,/[^\\]$$/p' $< > $(@D)/uv.txt
@{ $(@D)/$(notdir $(BIN))/python -m pip install -qq --disable-pip-version-check --retries 1 --timeout 15 --require-hashes --requirement $(@D)/uv.txt \
  && $(@D)/$(notdir $(BIN))/uv pip sync --quiet --compile-bytecode --python $(@D) --require-hashes $< \
  && $(@D)/$(notdir $(BIN))/uv pip install --quiet --python $(@D) --no-deps --no-build-isolation --editable .; } >> $(@D).log 2>&1 \
  || { echo "Setting up failed. Look at the network$(if $(PROXIES),$(COMMA) the proxy that $(PROXIES) names) and the room on the disk, or into $(@D).log; then run it again."; exit 1; }
@rm -f $(@D).log
@touch $@
endef

$(READY): requirements.lock pyproject.toml
	$(SET_UP)

$(LIVE)/ready: requirements-live.lock pyproject.toml
	$(SET_UP)

$(ROOM)/ready: requirements-room.lock pyproject.toml
	@command -v npm >/dev/null || { echo "npm is missing: the proxy of JupyterHub comes from there. Install nodejs and npm."; exit 1; }
	$(SET_UP)
	@npm install --silent --no-audit --no-fund --no-save --prefix $(ROOM)/proxy $(PROXY) >/dev/null \
	  || { rm -f $@; echo "$(PROXY) could not be had from npm. Look at the network, then run it again."; exit 1; }
