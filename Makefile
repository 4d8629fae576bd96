# SPDX-License-Identifier: Apache-2.0
#
# One file builds, tests and installs everything. `make help` lists what it can do.
#
# A build lives in one folder, $(BUILD): an archive per layer, the program, the tests and their
# results. The other builds are this same file called again with another folder and other flags:
# build/asan (sanitizers, and libFuzzer's eyes). Every test program and every lint check is a
# target of its own, so that make's own scheduler keeps all cores busy; tests/run turns what they
# say into lines that can be counted.

PREFIX  = /usr/local
BUILD   = build
WERROR  = -Werror
FUZZ_SECONDS = 60

MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL),0) # a -j on the command line wins; one more than cores: tests wait a lot
MAKEFLAGS += -j$(shell echo $$(($$(nproc) + 1))) --output-sync=target
endif
.SUFFIXES:
.SECONDARY:
.DEFAULT_GOAL = all

# ---- flags -----------------------------------------------------------------------------------

ifeq ($(origin CC),default)
CC = gcc
endif
AR = ar
PKG_CONFIG = pkg-config
DEBUG = -g
OPTIMIZE = -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
OPTIMIZE_UNIT = -O0 # the unit tests' own sources: compiled often, and seldom what takes the time
SANITIZE =
WARN = -Wall -Wextra $(WERROR) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
       -Wcast-qual -Wvla -Wundef -Wwrite-strings -Wformat=2

# What tells compilers and checkers how to read a file; what is left out here changes only code.
READ_FLAGS := -std=c11 -D_GNU_SOURCE -Isrc -Itests -I$(BUILD)/gen \
              $(shell $(PKG_CONFIG) --cflags yyjson sqlite3 yaml-0.1 expat 2>/dev/null)
CFLAGS_ALL = $(READ_FLAGS) $(OPTIMIZE) $(DEBUG) $(WARN) $(SANITIZE) $(CFLAGS)
# The folder that hone is built in leaves no trace in it: builds in two folders give the same bytes.
# Not one of the flags: a build that was moved is not made again.
NO_TRACE = -ffile-prefix-map='$(CURDIR)'=.
export PWD := $(CURDIR)
LDFLAGS_ALL = -Wl,-z,relro,-z,now $(SANITIZE) $(LDFLAGS)

# A library goes into the program where its archive is installed: one less to find at each start.
# Not with SHARED=1, for distributions, whose updates of a library are to count for hone, too.
# But for ncurses, which `hone top` alone calls: as two shared libraries it would cost each start of
# every verb a fifth more (docs/decisions/libraries.md).
archive = $(wildcard $(shell $(CC) -print-file-name=$(1) 2>/dev/null))
# An archive that the compiler finds is not meant where pkg-config does not know the library: musl-gcc
# finds the system's, too.
known = $(shell $(PKG_CONFIG) --libs $(1) 2>/dev/null)
linked = $(if $(call known,$(2)),$(if $(call archive,$(1)),-l:$(1),$(call known,$(2))))
library = $(if $(SHARED),$(call known,$(2)),$(call linked,$(1),$(2)))
LIBS := $(call known,yyjson) $(call library,libsqlite3.a,sqlite3) \
        $(call library,libyaml.a,yaml-0.1) $(call library,libexpat.a,expat) \
        $(call linked,libncursesw.a,ncursesw) $(call linked,libtinfo.a,tinfo) -lm -ldl -lpthread
# What carries attempts over NATS is a program of its own, where its libraries are: hone knows none
# of them.
LINK_LIBS := $(if $(call known,libnats),$(call known,libcrypto) $(call known,libnats) -lpthread)
CMOCKA_LIBS := $(shell $(PKG_CONFIG) --libs cmocka 2>/dev/null)

# Some hundred test programs: a quick linker for them, where there is one.
TEST_LD := $(if $(shell command -v ld.lld 2>/dev/null),-fuse-ld=lld)

# `make V=1` shows whole commands.
ifneq ($(V),)
say =
else ifneq ($(QUIET),)
say = @
else
say = @echo '$(1) $@';
endif

# ---- what there is ---------------------------------------------------------------------------

# A layer comes behind those it may use; a linker wants them the other way round.
LAYERS = base core format carry dialect io observe store analyze agent settings run guard view report \
         document follow top install drive worker serve cmd
reversed = $(if $(1),$(call reversed,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
ARCHIVES := $(patsubst %,$(BUILD)/lib%.a,$(call reversed,$(LAYERS)))
MAIN := $(wildcard src/cmd/main.c)
HONE := $(if $(MAIN),$(BUILD)/hone)
LINK_MAIN := src/link/main.c
LINK := $(if $(LINK_LIBS),$(BUILD)/hone-link)
LINK_ARCHIVE := $(if $(LINK_LIBS),$(BUILD)/liblink.a)

units    := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
sims     := $(patsubst tests/sim/%.c,%,$(wildcard tests/sim/sim_*.c tests/sim/enum_*.c))
fuzzers  := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
# The round first: a disk that has just forgotten many files is slow to make new ones.
benches  := bench_round $(filter-out bench_round,\
              $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/bench_*.c)))
sweeps   := $(patsubst tests/sweep/%.sh,%,$(wildcard tests/sweep/*.sh))
stories  := $(patsubst tests/e2e/%.sh,%,$(wildcard tests/e2e/*.sh))
# What a repository or an agent tries, as an ordinary user and as root, with and without bubblewrap.
trusts   := $(filter-out lib,$(patsubst tests/trust/%.sh,%,$(wildcard tests/trust/*.sh)))
# A fleet's carrier, with a real server on this machine.
fleets   := $(filter-out lib whole_lib,$(patsubst tests/fleet/%.sh,%,$(wildcard tests/fleet/*.sh)))
# `make test` tells every story to the sanitizers' build, where it costs what it costs anywhere. To
# the program as it is installed, which the sweeps go through too, one of each kind: dialects, ends
# and beginnings of processes, terminals, and what is shorter under the sanitizers.
# What builds a program of its own (additions) builds that plainly.
stories_plain := $(filter additions demo first_run install loop stop_resume view,$(stories))
stories_asan := $(filter-out additions,$(stories))
preloads := $(patsubst tests/support/%.c,%,$(wildcard tests/support/*_preload.c))
supports := $(filter-out $(preloads),$(patsubst tests/support/%.c,%,$(wildcard tests/support/*.c)))

# Every .c beside the programs is shared by all of them.
unit_shared  := $(filter-out $(units:%=tests/unit/%.c),$(wildcard tests/unit/*.c))
sim_shared   := $(filter-out $(sims:%=tests/sim/%.c),$(wildcard tests/sim/*.c))
fuzz_shared  := $(filter-out $(fuzzers:%=tests/fuzz/%.c),$(wildcard tests/fuzz/*.c))
tests_shared := $(wildcard tests/shared/*.c) # of units, sims, fuzzers and support alike
bench_shared := $(filter-out $(benches:%=tests/bench/%.c),$(wildcard tests/bench/*.c))

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
SUPPORT := $(supports:%=$(BUILD)/tests/support/%) $(preloads:%=$(BUILD)/tests/support/%.so)
PROGRAMS := $(units:%=$(BUILD)/tests/unit/%) $(sims:%=$(BUILD)/tests/sim/%) \
            $(benches:%=$(BUILD)/tests/bench/%)

# ---- everything ------------------------------------------------------------------------------

.PHONY: test test-all test-run help
test: # everything: build, all tests, sanitizers, fuzzing, lint; last line: N passed, N failed
	@tools/install-deps
	@$(MAKE) QUIET=1 test-all

test-all:
	@rm -rf build/results build/asan/results build/asan/reports
	@$(MAKE) -k test-run || true
	@tests/run report part=unit $(unit_asan_results) part=sim $(sim_results) \
	    part=sweep $(sweep_results) part=e2e $(e2e_asan_results) $(e2e_plain_results) \
	    part=trust $(trust_results) part=fleet $(fleet_asan_results) part=validate $(validate_results) part=ui $(ui_results) \
	    part=fuzz $(fuzz_results) part=asan $(asan_results) part=lint $(lint_results)

# What takes long and cannot be split comes first, so that it does not run alone at the end.
# Unit tests are run once, by the sanitizers' build: a second compiler sees them in lint's warnings.
test-run: sim-run sweep-run sanitized-run lint-run e2e-plain-run trust-run validate-run ui-run

help: # this list
	@echo 'make TARGET, where TARGET is one of:'
	@sed -n 's/^\([a-z][a-z0-9 -]*\):[^#]*# \(.*\)/    \1\t\2/p' Makefile packaging/package.mk | \
	    expand -t 24

# ---- the program -----------------------------------------------------------------------------

.PHONY: all programs man
all: $(ARCHIVES) $(HONE) $(LINK) man # the archives, build/hone and its manual pages
programs: all $(PROGRAMS) $(SUPPORT) # all of that, and the test programs

$(BUILD)/hone: $(call objects,$(MAIN)) $(ARCHIVES)
	$(call say,link)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS)

$(BUILD)/hone-link: $(call objects,$(LINK_MAIN)) $(BUILD)/liblink.a $(ARCHIVES)
	$(call say,link)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LINK_LIBS) $(LIBS)

# The prompts of a folder, prompts/NAME, are C that belongs to the layer NAME, or to the room NAME of
# some layer.
prompt_folders := $(filter $(patsubst prompts/%,%,$(wildcard prompts/*)),\
                    $(LAYERS) $(notdir $(wildcard src/*/*)))
prompt_headers := $(prompt_folders:%=$(BUILD)/gen/prompts/%.h)
prompt_objects = $(patsubst %,$(BUILD)/obj/gen/prompts/%.o,\
                   $(filter $(prompt_folders),$(1) $(notdir $(wildcard src/$(1)/*))))

# The loops that come with hone are C of the layer settings, how its report looks of format, its page
# for browsers of serve, the scripts for shells and what a build says of itself of cmd.
made_settings = $(BUILD)/obj/gen/loops.o
made_format = $(BUILD)/obj/gen/report_css.o
made_serve = $(BUILD)/obj/gen/ui.o
made_cmd = $(BUILD)/obj/gen/completion.o $(BUILD)/obj/gen/build.o
made_objects = $(made_$(1))
$(BUILD)/gen/report_css.c: $(BUILD)/tools/embed pages/report.css
	@mkdir -p $(@D)
	$(call say,make)$< --text report_css $@ pages/report.css
$(BUILD)/gen/loops.c: $(BUILD)/tools/embed $(sort $(wildcard loops/*.yaml)) loops
	@mkdir -p $(@D)
	$(call say,make)$< $@ settings/loop_file.h loop_shipped loop_shipped_all \
	    $(sort $(wildcard loops/*.yaml))
PAGES = $(addprefix $(BUILD)/gen/ui/,app.js.gz index.html.gz style.css.gz theme.js.gz)
pack_page = LC_ALL=C awk -v folder=pages/ui
$(BUILD)/gen/ui.c: $(BUILD)/tools/embed $(PAGES)
	$(call say,make)$< --assets $@ serve/ui/assets.h ui_assets $(PAGES)
$(BUILD)/gen/ui/app.js: tools/pack.awk $(wildcard pages/ui/*.js) pages/ui
	@mkdir -p $(@D)
	$(call say,make)$(pack_page) -v module=app.js -f tools/pack.awk >$@
$(BUILD)/gen/ui/style.css: tools/pack.awk pages/ui/style.css
	@mkdir -p $(@D)
	$(call say,make)$(pack_page) -v style=style.css -f tools/pack.awk >$@
$(BUILD)/gen/ui/%: pages/ui/%
	@mkdir -p $(@D)
	@cp $< $@
$(BUILD)/gen/ui/%.gz: $(BUILD)/gen/ui/% # the same bytes of the same file, wherever and whenever
	@gzip -9n <$< >$@
COMPLETIONS = $(wildcard packaging/completion/*.*sh)
$(BUILD)/gen/completion.c: $(BUILD)/tools/embed $(COMPLETIONS)
	@mkdir -p $(@D)
	$(call say,make)$< $@ cmd/completion.h completion_shell completion_shells $(COMPLETIONS)
$(BUILD)/gen/build.c: FORCE
	@mkdir -p $(@D)
	@tools/build-info $(filter -static,$(LDFLAGS)) > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/tools/embed: $(BUILD)/obj/tools/embed.o
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(LDFLAGS_ALL) -o $@ $^

define layer_rule
$(1)_sources := $(filter-out $(MAIN) $(LINK_MAIN),$(wildcard src/$(1)/*.c src/$(1)/*/*.c))
$(BUILD)/lib$(1).a: $$(call objects,$$($(1)_sources)) $(call prompt_objects,$(1)) \
                    $(call made_objects,$(1)) $(BUILD)/list/$(1)
	@rm -f $$@
	$$(call say,ar  )$(AR) qcsD $$@ $$(filter %.o,$$^)
$(BUILD)/list/$(1): FORCE
	@mkdir -p $$(@D)
	@echo '$$($(1)_sources)' | cmp -s - $$@ || echo '$$($(1)_sources)' > $$@
endef
$(foreach layer,$(LAYERS) link,$(eval $(call layer_rule,$(layer))))

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc  )$(CC) $(CFLAGS_ALL) $(NO_TRACE) -MMD -MP -c -o $@ $<

# tools/prompts.c says what it makes of prompts, and what fails the build.
define prompt_rule
$(BUILD)/gen/prompts/$(1).h $(BUILD)/gen/prompts/$(1).c: $(BUILD)/gen/prompts/$(1).made ;
$(BUILD)/gen/prompts/$(1).made: $(BUILD)/tools/prompts $(wildcard prompts/$(1)/*.md \
                                prompts/*/_*.md src/*/$(1)/*.c src/$(1)/*.c) prompts/$(1)
	@mkdir -p $$(@D)
	$$(call say,make)$(BUILD)/tools/prompts $(1) $$(basename $$@).h $$(basename $$@).c \
	    $(wildcard src/*/$(1)/*.c src/$(1)/*.c)
	@touch $$@
endef
$(foreach folder,$(prompt_folders),$(eval $(call prompt_rule,$(folder))))
$(BUILD)/tools/prompts: $(BUILD)/obj/tools/prompts.o $(BUILD)/libbase.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(LDFLAGS_ALL) -o $@ $^
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc  )$(CC) $(CFLAGS_ALL) $(NO_TRACE) -MMD -MP -c -o $@ $<
$(call objects,$(foreach layer,dialect guard drive serve cmd,$($(layer)_sources)) \
                $(wildcard tests/unit/*.c)): | $(prompt_headers)

# private: what it needs, the list of flags above all, is not made with these.
$(BUILD)/obj/tests/unit/%.o: private override OPTIMIZE = $(OPTIMIZE_UNIT)

# Other flags or another compiler: everything is made again.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@$(PKG_CONFIG) --exists yyjson sqlite3 yaml-0.1 expat ncursesw 2>/dev/null || { \
	    echo 'hone is built with pkg-config, yyjson, SQLite, libyaml, expat and ncurses:' \
	        'run tools/install-deps' >&2; \
	    exit 1; }
	@printf '%s\n' "$(subst ",\",$(CC) $(CFLAGS_ALL))" > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# The manual pages are written by a program that reads the same tables as the command line.
ifneq ($(wildcard tools/man.c),)
man: $(BUILD)/man/done
$(BUILD)/tools/%: $(BUILD)/obj/tools/%.o $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS)
$(BUILD)/man/done: $(BUILD)/tools/man
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call say,man )$< $(@D)
	@touch $@
endif

# The agents of the plugin are texts made of the same pieces as the prompts. They are in the
# repository, since hosts take them from there; lint says where they are not as they would be made.
.PHONY: plugin
plugin: $(BUILD)/tools/prompts # plugin/agents/, of prompts/plugin/
	@for file in $(filter-out _%,$(notdir $(basename $(wildcard prompts/plugin/*.md)))); do \
	    $< --text plugin/$$file > plugin/agents/$$file.md || exit 1; done

.PHONY: reference
reference: $(BUILD)/tools/man # docs/reference/command-line.md, of the tables of verbs
	@$< --markdown > docs/reference/command-line.md

.PHONY: security
security: # the tables of docs/SECURITY.md, of the rows in tests
	@tools/security > docs/SECURITY.md.new && mv docs/SECURITY.md.new docs/SECURITY.md

# With a + a line writes to the terminal at once: the run is to be watched.
.PHONY: demo picture
demo: # a small program with faults, reviewed and repaired until it is clean
	@tools/install-deps --demo
	@$(MAKE) QUIET=1 $(BUILD)/hone
	+@HONE=$(BUILD)/hone tools/demo
picture: $(HONE) $(BUILD)/tools/picture_svg # docs/demo.svg: that, as it looks on a terminal
	+@tools/picture

there = $(DESTDIR)$(PREFIX)
complete_bash = share/bash-completion/completions/hone
complete_zsh = share/zsh/site-functions/_hone
complete_fish = share/fish/vendor_completions.d/hone.fish
.PHONY: install install-files uninstall
install: all # to PREFIX (/usr/local), below DESTDIR
	@$(MAKE) install-files
install-files:
	install -D -m 0755 $(BUILD)/hone '$(there)/bin/hone'
	[ -z '$(LINK)' ] || install -D -m 0755 $(BUILD)/hone-link '$(there)/bin/hone-link'
	install -d '$(there)/share/man/man1'
	install -m 0644 $(BUILD)/man/*.1 '$(there)/share/man/man1'
	find plugin -type f -exec install -D -m 0644 {} '$(there)/share/hone/'{} \;
	install -D -m 0644 packaging/completion/bash.sh '$(there)/$(complete_bash)'
	install -D -m 0644 packaging/completion/zsh.zsh '$(there)/$(complete_zsh)'
	install -D -m 0644 packaging/completion/fish.fish '$(there)/$(complete_fish)'
uninstall: # takes away what install put there; settings and runs stay
	rm -f '$(there)/bin/hone' '$(there)/bin/hone-link' '$(there)'/share/man/man1/hone.1 '$(there)'/share/man/man1/hone-*.1
	rm -f '$(there)/$(complete_bash)' '$(there)/$(complete_zsh)' '$(there)/$(complete_fish)'
	rm -rf '$(there)/share/hone/plugin'
	-rmdir '$(there)/share/hone' 2>/dev/null

# ---- test programs ---------------------------------------------------------------------------

define link_program
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(LDFLAGS_ALL) $(TEST_LD) -o $@ $^ $(LIBS) $(CMOCKA_LIBS)
endef

# All unit tests are one program, which has a name for each of their files.
$(BUILD)/tests/unit/all: $(call objects,$(wildcard tests/unit/*.c) $(tests_shared)) $(ARCHIVES)
	$(link_program)
$(units:%=$(BUILD)/tests/unit/%): $(BUILD)/tests/unit/all
	@ln -f $< $@
$(BUILD)/tests/sim/%: $(BUILD)/obj/tests/sim/%.o $(call objects,$(sim_shared) $(tests_shared)) $(ARCHIVES)
	$(link_program)
$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(call objects,$(bench_shared)) $(ARCHIVES)
	$(link_program)
$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(call objects,$(fuzz_shared) $(tests_shared)) $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(LDFLAGS_ALL) $(TEST_LD) -fsanitize=fuzzer -o $@ $^ $(LIBS)
$(BUILD)/tests/support/%.so: tests/support/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(READ_FLAGS) -O2 -g $(WARN) -fPIC -shared -o $@ $< -ldl
$(BUILD)/tests/support/%: $(BUILD)/obj/tests/support/%.o $(call objects,$(tests_shared)) $(ARCHIVES)
	$(link_program)

# ---- results ---------------------------------------------------------------------------------
#
# $(BUILD)/results/PART.NAME.txt holds `ok NAME` and `not ok NAME: why` lines of one program.

RESULTS = $(BUILD)/results
RUN = tests/run --build $(BUILD)

unit_results  = $(units:%=$(RESULTS)/unit.%.txt)
sim_results   = $(sims:%=$(RESULTS)/sim.%.txt)
sweep_results = $(sweeps:%=$(RESULTS)/sweep.%.txt)
trust_results = $(trusts:%=$(RESULTS)/trust.%.txt)
fleet_results = $(fleets:%=$(RESULTS)/fleet.%.txt)
fleet_asan_results = $(fleets:%=build/asan/results/fleet.%.txt)
e2e_results   = $(stories:%=$(RESULTS)/e2e.%.txt)
fuzz_results  = $(fuzzers:%=build/asan/results/fuzz.%.txt)
unit_asan_results = $(units:%=build/asan/results/unit.%.txt)
asan_results  = $(sims:%=build/asan/results/sim.%.txt) build/asan/results/sanitizer.reports.txt
e2e_asan_results  = $(stories_asan:%=build/asan/results/e2e.%.txt)
e2e_plain_results = $(stories_plain:%=$(RESULTS)/e2e.%.txt)
lint_results  = $(lint_checks:%=$(RESULTS)/lint.%.txt)

$(RESULTS)/unit.%.txt: $(BUILD)/tests/unit/% FORCE
	@$(RUN) unit $@ $<
$(RESULTS)/sim.%.txt: $(BUILD)/tests/sim/% FORCE
	@$(RUN) sim $@ $<
$(RESULTS)/sweep.%.txt: tests/sweep/%.sh $(BUILD)/hone $(SUPPORT) FORCE
	@$(RUN) script $@ $<
$(RESULTS)/e2e.%.txt: tests/e2e/%.sh $(BUILD)/hone $(LINK) $(BUILD)/tools/prompts $(SUPPORT) man FORCE
	@$(RUN) script $@ $<
$(RESULTS)/trust.%.txt: tests/trust/%.sh tests/trust/lib.sh $(BUILD)/hone $(SUPPORT) FORCE
	@$(RUN) script $@ $<
$(RESULTS)/fleet.%.txt: tests/fleet/%.sh $(wildcard tests/fleet/*lib.sh) $(BUILD)/hone $(LINK) $(SUPPORT) FORCE
	@$(RUN) script $@ $<
$(RESULTS)/fuzz.%.txt: $(BUILD)/tests/fuzz/% FORCE
	@$(RUN) fuzz $@ $< $(FUZZ_TIME) $(FUZZ_SEED) $(FUZZ_RUNS)

# `make PART` runs one part and ends with its counts.
.PHONY: unit sim sweep e2e trust fleet unit-run sim-run sweep-run e2e-run e2e-plain-run trust-run
.PHONY: fleet-run
unit sim sweep e2e trust fleet: %: # one part of the tests
	@rm -f $(RESULTS)/$*.*
	@$(MAKE) -k $*-run || true
	@tests/run report part=$* $($*_results)
unit-run: $(unit_results)
sim-run: $(sim_results)
sweep-run: $(sweep_results)
e2e-run: $(e2e_results)
trust-run: $(trust_results)
fleet-run: $(fleet_results)
e2e-plain-run: $(e2e_plain_results)

# Memory errors and undefined behaviour: the unit tests, and shorter sims and stories; and fuzzing.
# One build for all of them: what libFuzzer looks through costs the others little, and a second
# build much. clang, since its two sanitizers share one runtime: both write their reports where they
# are told. At a fixed address and with no more than line numbers: quicker to make and to start. And
# yyjson's functions are not forced into every caller: with sanitizers in them that takes longer than
# all of our own.
ASAN = BUILD=build/asan CC=clang WARN= DEBUG=-g1 LDFLAGS='$(LDFLAGS) -no-pie' \
       OPTIMIZE='-O1 -fno-omit-frame-pointer -fno-pie' \
       OPTIMIZE_UNIT='-O0 -fno-omit-frame-pointer -fno-pie' \
       SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
       CFLAGS='$(CFLAGS) -Dyyjson_inline=inline'
FUZZ_TIME = $(FUZZ_SECONDS)
# The smoke tries the same inputs wherever it runs, on a busy machine too: a number of them, and the
# same ones. `make fuzz` goes where it likes, for as long as it is told.
FUZZ_SEED = 0
FUZZ_RUNS = -1
FUZZ_SMOKE = FUZZ_TIME=10 FUZZ_SEED=1 FUZZ_RUNS=2000
.PHONY: asan fuzz fuzz-smoke asan-run fuzz-run fuzz-smoke-run sanitized-run sanitizer-reports
asan: # unit tests, shorter sims and stories under ASan and UBSan
	@rm -rf build/asan/results build/asan/reports
	@$(MAKE) -k asan-run || true
	@tests/run report part=asan $(unit_asan_results) $(asan_results) $(e2e_asan_results)
fuzz fuzz-smoke: %: # each target for FUZZ_SECONDS (60); or for a moment
	@rm -f build/asan/results/fuzz.*
	@$(MAKE) -k $*-run || true
	@tests/run report part=fuzz $(fuzz_results)
asan-run:
	@$(MAKE) -k $(ASAN) asan-parts || true
	@$(MAKE) sanitizer-reports
fuzz-run:
	@$(MAKE) -k $(ASAN) fuzz-parts
fuzz-smoke-run:
	@$(MAKE) -k $(ASAN) $(FUZZ_SMOKE) fuzz-parts
sanitized-run:
	@$(MAKE) -k $(ASAN) $(FUZZ_SMOKE) asan-parts fuzz-parts || true
	@$(MAKE) sanitizer-reports
sanitizer-reports:
	@tests/run --build build/asan sanitizer build/asan/results/sanitizer.reports.txt
.PHONY: asan-parts fuzz-parts
asan-parts: $(unit_results) $(sim_results) $(stories_asan:%=$(RESULTS)/e2e.%.txt) $(fleet_results)
fuzz-parts: $(fuzzers:%=$(RESULTS)/fuzz.%.txt)

# What hone writes and serves, judged by programs of others: some from Debian, some from npm. What is
# not there is not tried, and its story says so.
validates := $(patsubst tests/validate/%.sh,%,$(wildcard tests/validate/*.sh))
validate_results = $(validates:%=$(RESULTS)/validate.%.txt)
.PHONY: validate validate-run validate-html validate-lsp npm-tools
validate: # reports, the site and hone lsp, judged by others; some of them are from npm
	@rm -f $(RESULTS)/validate.* build/npm-tools/why-not
	@$(MAKE) -k validate-run || true
	@tests/run report part=validate $(validate_results)
validate-run: $(validate_results)
validate-html validate-lsp: validate-%: # of these: the HTML report; VS Code's client with hone lsp
	@rm -f build/npm-tools/why-not
	@$(MAKE) -k $(RESULTS)/validate.$*.txt || true
	@tests/run report part=$* $(RESULTS)/validate.$*.txt
$(RESULTS)/validate.%.txt: tests/validate/%.sh $(BUILD)/hone $(SUPPORT) npm-tools FORCE
	@$(RUN) script $@ $<
npm-tools:
	@tests/npm/bring build/npm-tools || true

# hone ui in a real browser. `make test` brings no browser: its stories say where there is none.
uis := $(patsubst tests/ui/%.sh,%,$(wildcard tests/ui/*.sh))
ui_results = $(uis:%=$(RESULTS)/ui.%.txt)
.PHONY: ui-test ui-run
ui-test: # the pages of hone ui, in chromium; needs npm
	@tools/install-deps --ui
	@rm -f $(RESULTS)/ui.* build/npm-tools/why-not
	@$(MAKE) -k ui-run || true
	@tests/run report part=ui $(ui_results)
ui-run: $(ui_results)
$(RESULTS)/ui.%.txt: tests/ui/%.sh $(BUILD)/hone $(BUILD)/tools/picture_svg $(SUPPORT) npm-tools FORCE
	@$(RUN) script $@ $<

.PHONY: pictures
pictures: $(HONE) $(SUPPORT) $(BUILD)/tools/picture_svg npm-tools # docs/pictures: hone ui, hone top
	@tools/install-deps --ui
	@$(RUN) script $(RESULTS)/made.pictures.txt tools/pictures
	@cat $(RESULTS)/made.pictures.txt

# The real clients, from npm, talking to a scripted model: not a part of `make test`.
reals := $(patsubst tests/real/%.sh,%,$(wildcard tests/real/*.sh))
real_results = $(reals:%=$(RESULTS)/real.%.txt)
.PHONY: real-agents real-agents-run
real-agents: # hone with the real Claude Code and Codex on a scripted model; needs npm
	@rm -f $(RESULTS)/real.*
	@tests/real/tools $(BUILD)/real-tools || true
	@if tests/real/clients $(BUILD)/real; then $(MAKE) -k real-agents-run || true; \
	    tests/run report part=real $(real_results); fi
real-agents-run: $(real_results)
$(RESULTS)/real.%.txt: tests/real/%.sh $(BUILD)/hone FORCE
	@$(RUN) script $@ $<

# What takes long with a fleet: not a part of `make test`.
fleets_long := $(patsubst tests/fleet-long/%.sh,%,$(wildcard tests/fleet-long/*.sh))
fleet_long_results = $(fleets_long:%=$(RESULTS)/fleet-long.%.txt)
FLEET_SECONDS = 3000
.PHONY: fleet-test fleet-long-run
# FLEET_ROUNDS=20 FLEET_CUTS=50 FLEET_SOAK_S=240 say how long, FLEET_SEED what is drawn,
# FLEET_ATTEMPTS=3000 FLEET_LANES=200 how many
fleet-test: # a fleet in chaos, with power cuts, drawn cables, stopped workers; 10,000 attempts; 200 lanes; 200 workers; a real ssh; newer servers
	@rm -f $(RESULTS)/fleet-long.*
	@$(MAKE) -k -j1 fleet-long-run || true
	@tests/run report part=fleet-long $(fleet_long_results)
fleet-long-run: $(fleet_long_results)
$(RESULTS)/fleet-long.%.txt: tests/fleet-long/%.sh $(wildcard tests/fleet/*lib.sh) $(BUILD)/hone $(LINK) $(SUPPORT) FORCE
	@$(RUN) script $@ $< $(FLEET_SECONDS)

# Lint: a target per check.
lint_checks := $(shell tools/lint --list)
.PHONY: lint lint-run
lint: # what tools/lint checks
	@rm -f $(RESULTS)/lint.*
	@$(MAKE) -k lint-run || true
	@tests/run report part=lint $(lint_results)
lint-run: $(lint_results)
$(RESULTS)/lint.%.txt: FORCE
	@$(RUN) lint $@ $*
$(addprefix $(RESULTS)/lint.,purity.txt names.txt used.txt calls.txt): $(ARCHIVES) $(LINK_ARCHIVE)
$(RESULTS)/lint.warnings.txt: $(BUILD)/flags
$(RESULTS)/lint.man.txt: man
$(RESULTS)/lint.made.txt: $(BUILD)/tools/prompts $(BUILD)/tools/man
$(addprefix $(RESULTS)/lint.,self.txt dialects.txt weight.txt): $(BUILD)/hone

.PHONY: sim-convergence
sim-convergence: $(BUILD)/tests/sim/sim_convergence # what policies cost and leave, by simulation
	@$< all

.PHONY: site
site: # the documents as pages to read in a browser, in build/site
	@tools/site $(BUILD)/site

.PHONY: bench
bench: $(HONE) $(benches:%=$(BUILD)/tests/bench/%) $(SUPPORT) npm-tools # how fast, as ratios
	@$(RUN) bench $(benches:%=$(BUILD)/tests/bench/%) $(wildcard tests/bench/bench_*.sh)

.PHONY: mcp-conformance
mcp-conformance: $(HONE) $(BUILD)/tests/support/mcp_suite # hone mcp, judged by others (from npm)
	@tools/mcp-conformance $^

include packaging/package.mk

.PHONY: clean deps
clean: # removes build/
	rm -rf build
deps: # installs what building and testing needs (tools/install-deps)
	tools/install-deps

FORCE:
.PHONY: FORCE
