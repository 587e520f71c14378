# Short names for the scripts, for fingers that type make. make alone builds, and runs the unit tests.
.PHONY: all demo start test full bench setup
all:
	cmake --preset dev
	ninja -C build/dev
	ctest --test-dir build/dev --output-on-failure
setup demo test bench:
	scripts/$@
full:
	scripts/test --full
# make start STEP=3 SCENARIO=my-scenario.go SEED=1: a scheduler to learn from (docs/learn). REAL=1: on a real etcd and
# kube-apiserver.
start:
	@scripts/start $(if $(STEP),--step '$(STEP)') $(if $(SCENARIO),--scenario '$(SCENARIO)') $(if $(SEED),--seed '$(SEED)')
