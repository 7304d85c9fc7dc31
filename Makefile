# Two commands do everything on a fresh machine: `make demo` and `make test`.
.PHONY: help demo check test docs show lock clean

help:
	@echo "make demo   an endless motion from the clips inside segue, into ./out, then the studio"
	@echo "make check  lint, types, floors and the tests of changed files, in under a minute"
	@echo "make test   lint, types, floors, tests, kernel coverage, examples, docs, wheel, lowest versions"
	@echo "make docs   the pages, with the gallery run, into build/docs/index.html"
	@echo "make show   every benchmark of benchmarks/show with its bar and verdict"
	@echo "make lock   renew requirements-dev.txt, the exact versions that make test installs"
	@echo "make clean  remove the environment and everything built"

demo:
	@sh scripts/demo.sh

check:
	@sh scripts/check.sh

test:
	@sh scripts/test.sh

docs:
	@sh scripts/docs.sh

show:
	@sh scripts/show.sh

lock:
	@sh scripts/lock.sh

clean:
	rm -rf .venv build dist out .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis docs/drawn docs/examples
