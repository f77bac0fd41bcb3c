# Everything here is also one or two plain commands; the README prints them.
#   make demo    set up .venv and run the whole product on the example site
#   make test    set up .venv with what the tests need, and run them
#   make lock    pin every dependency anew (UPGRADE=--upgrade takes newer releases)
#   make proto   write the generated gRPC modules anew
#   make secrets write what docker-compose.yml mounts, unless it is there
PYTHON ?= python3
VENV ?= .venv
ARGS ?=
UPGRADE ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Three layers, one resolution: what the services need; the engine and the database in wheels; the tests' tools.
SERVICE_LOCK := requirements.lock
LOCAL_LOCK := requirements-local.lock
TEST_LOCK := requirements-test.lock

.PHONY: demo test lock proto secrets
.DELETE_ON_ERROR:

demo: $(VENV)/.local
	$(BIN)/draftgate demo $(ARGS)

test: $(VENV)/.test
	@.ci/system-packages
	$(BIN)/python -m pytest $(ARGS)

$(VENV)/.local: pyproject.toml $(SERVICE_LOCK) $(LOCAL_LOCK) | $(BIN)/python
	$(PIP) install --quiet --require-hashes -r $(SERVICE_LOCK) -r $(LOCAL_LOCK)
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.local $(TEST_LOCK)
	$(PIP) install --quiet --require-hashes -r $(SERVICE_LOCK) -r $(LOCAL_LOCK) -r $(TEST_LOCK)
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Draftgate needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + ". Name another one: make PYTHON=python3.12")'
	@$(PYTHON) -c 'import sys, sysconfig; "musl" in (sysconfig.get_config_var("SOABI") or "") and sys.exit("The embedded PostgreSQL and the offline engine have no wheels for musl systems such as Alpine. Use a glibc system, or install draftgate without [local] and set DATABASE_URL and a provider.")'
	$(PYTHON) -m venv $(VENV)

# uv resolves for all platforms at once; plain pip installs the result.
LOCK_BUILD := build/lock
RESOLVE := uv pip compile --quiet --universal --python-version 3.11 --no-annotate
LAYER := $(RESOLVE) --generate-hashes --no-emit-index-url --custom-compile-command "make lock" \
	--constraint $(LOCK_BUILD)/whole
# Leaves out what a lower layer has pinned already.
NAMES := sed -n 's/^\([a-z0-9][a-z0-9._-]*\)==.*/--no-emit-package=\1/p'

lock:
	@command -v uv >/dev/null || { echo "make lock needs uv: python3 -m pip install uv"; exit 1; }
	@mkdir -p $(LOCK_BUILD)
	@cat $(SERVICE_LOCK) $(LOCAL_LOCK) $(TEST_LOCK) > $(LOCK_BUILD)/whole 2>/dev/null || true
	@echo "setuptools>=80" > $(LOCK_BUILD)/build.in
	$(RESOLVE) $(UPGRADE) --extra local --extra test pyproject.toml $(LOCK_BUILD)/build.in -o $(LOCK_BUILD)/whole
	@rm -f $(SERVICE_LOCK) $(LOCAL_LOCK) $(TEST_LOCK)
	$(LAYER) pyproject.toml $(LOCK_BUILD)/build.in -o $(SERVICE_LOCK)
	$(LAYER) --extra local $$($(NAMES) $(SERVICE_LOCK)) pyproject.toml -o $(LOCAL_LOCK)
	$(LAYER) --extra local --extra test $$($(NAMES) $(SERVICE_LOCK) $(LOCAL_LOCK)) pyproject.toml -o $(TEST_LOCK)
	@for file in $(LOCAL_LOCK) $(TEST_LOCK); do \
		sed '/^# The following packages/,$$d' $$file > $(LOCK_BUILD)/cut && cp $(LOCK_BUILD)/cut $$file; done
	@rm -r $(LOCK_BUILD)

proto: $(VENV)/.test
	$(BIN)/python proto/generate.py

# The folder keeps others out. The files are open, because Compose mounts them as they are and the containers
# run as a user of their own.
RANDOM_HEX := head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
secrets:
	@mkdir -p -m 700 secrets && echo '*' > secrets/.gitignore
	@for name in database_password translator_token review_secret_key; do \
		[ -s secrets/$$name ] || $(RANDOM_HEX) > secrets/$$name; done
	@[ -s secrets/database_url ] || \
		echo "postgresql://draftgate:$$(cat secrets/database_password)@postgres:5432/draftgate" > secrets/database_url
	@chmod 644 secrets/database_password secrets/database_url secrets/translator_token secrets/review_secret_key
