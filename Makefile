# Short names for the scripts, for fingers that type make.
.PHONY: all demo test full bench setup
all:
	cmake --preset dev
	ninja -C build/dev
setup demo test bench:
	scripts/$@
full:
	scripts/test --full
