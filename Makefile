# Two commands do everything on a fresh machine: `make demo` and `make test`.
.PHONY: help demo test docs show clean

help:
	@echo "make demo   an endless motion from the clips inside segue, into ./out"
	@echo "make test   lint, types, floors, tests, kernel coverage, examples, docs, wheel, numpy 1.26"
	@echo "make docs   the pages, with the gallery run, into build/docs/index.html"
	@echo "make show   every benchmark of benchmarks/show with its bar and verdict"
	@echo "make clean  remove the environment and everything built"

demo:
	@sh scripts/demo.sh

test:
	@sh scripts/test.sh

docs:
	@sh scripts/docs.sh

show:
	@sh scripts/show.sh

clean:
	rm -rf .venv build dist out .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis docs/drawn docs/examples
