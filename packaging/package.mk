# SPDX-License-Identifier: Apache-2.0
#
# What hone is handed out as. Included by the Makefile; everything is made below build/ and ends in
# $(DIST). docs/release.md says how a release is made of it, docs/install.md how users take it.
#
# All of it is made of a commit: what is changed and not committed is in no package. The version is
# said in src/cmd/version.h alone; what names it elsewhere is made with it (*.in), or compared by
# tests/e2e/version.sh.

VERSION := $(shell sed -n 's/^\#define HONE_VERSION "\(.*\)"/\1/p' src/cmd/version.h)
DIST = build/dist
ARCHIVE = $(DIST)/hone-$(VERSION).tar.gz
BINARY = $(DIST)/hone-$(VERSION)-linux-x86_64.tar.gz
# What only those know who publish a release (docs/release.md): where its files can be had, and who
# answers for its packages.
RELEASE_URL = file://$(CURDIR)/$(DIST)
MAINTAINER = The hone maintainers <maintainers@hone.example.org>
# Of the commit, for all that would be of the moment at which it was made.
COMMIT_TIME = $$(tools/build-info --commit | cut -d ' ' -f 2)

.PHONY: static dist dist-static deb npm sbom recipes release package-test

# ---- one file that runs on any Linux -----------------------------------------------------------

# The same Makefile, with another compiler and with the libraries that tools/static-deps builds.
STATIC_CC = musl-gcc
STATIC = BUILD=build/static CC='$(STATIC_CC)' LDFLAGS='$(LDFLAGS) -static'
static: # build/static/hone: one file, for any Linux on x86-64; needs musl-tools (docs/release.md)
	@tools/static-deps build/static-deps
	@PKG_CONFIG_LIBDIR=build/static-deps/lib/pkgconfig $(MAKE) $(STATIC) all

# ---- archives ----------------------------------------------------------------------------------

# Entries in order, with the commit's time, of no user: the same bytes wherever it is made.
PACK = tar --sort=name --owner=0 --group=0 --numeric-owner --mode=go=u,go-w \
       --mtime="@$(COMMIT_TIME)" --format=gnu

dist: # the source archive of the commit; the same bytes in every checkout of it
	@mkdir -p $(DIST)
	@[ -e .git ] || { echo 'make dist packs a commit: it needs a git checkout' >&2; exit 1; }
	@git diff --quiet HEAD -- || echo 'dist: what is not committed is not in it' >&2
	$(call say,dist)git -c tar.umask=0022 archive --format=tar --prefix=hone-$(VERSION)/ HEAD | \
	    gzip -9n > $(ARCHIVE)

# The program, its pages, its plugin and the words for shells, as below a PREFIX.
dist-static: static
	@mkdir -p $(DIST)
	@rm -rf build/tree && mkdir -p build/tree
	@$(MAKE) BUILD=build/static DESTDIR='$(CURDIR)/build/tree' PREFIX=/hone-$(VERSION) install-files \
	    > build/tree.log
	@strip build/tree/hone-$(VERSION)/bin/hone
	@cp LICENSE README.md CHANGELOG.md build/tree/hone-$(VERSION)
	$(call say,dist)$(PACK) -C build/tree -cf - hone-$(VERSION) | gzip -9n > $(BINARY)

# ---- packages ----------------------------------------------------------------------------------

deb: dist # a Debian package, in build/deb; needs debhelper
	$(call say,deb )packaging/make-deb $(ARCHIVE) build/deb '$(MAINTAINER)'
	@cp build/deb/hone_$(VERSION)-*.deb $(DIST)

npm: dist-static # a package for npm, that carries the static program
	@rm -rf build/npm && mkdir -p build/npm
	@cp -R build/tree/hone-$(VERSION)/bin build/tree/hone-$(VERSION)/share/hone/plugin build/npm
	@cp -R build/tree/hone-$(VERSION)/share/man/man1 build/npm/man
	@cp LICENSE packaging/npm/README.md build/npm
	@sed 's/@VERSION@/$(VERSION)/' packaging/npm/package.json.in > build/npm/package.json
	@chmod -R u=rwX,go=rX build/npm # npm packs modes as they are
	$(call say,npm )npm pack --silent --offline --pack-destination $(DIST) ./build/npm > /dev/null

sbom: static # what is in the static program, with versions and licences, as SPDX
	@mkdir -p $(DIST)
	$(call say,sbom)tools/sbom $(VERSION) build/static-deps/SOURCES > $(DIST)/hone-$(VERSION).spdx.json

recipes: dist # for Homebrew and for Arch
	@for recipe in arch/PKGBUILD homebrew/hone.rb; do \
	    sed -e 's/@VERSION@/$(VERSION)/g' -e 's|@URL@|$(RELEASE_URL)|g' \
	        -e 's|@MAINTAINER@|$(MAINTAINER)|' \
	        -e "s/@SHA256@/$$(sha256sum < $(ARCHIVE) | cut -d ' ' -f 1)/" \
	        packaging/$$recipe.in > $(DIST)/$${recipe##*/}; done

release: # all of these, and SHA256SUMS: what is published (docs/release.md)
	@rm -rf $(DIST)
	@$(MAKE) dist dist-static deb npm sbom recipes
	@cd $(DIST) && sha256sum * > ../SHA256SUMS && mv ../SHA256SUMS .
	@ls -l $(DIST)

package-test: # the packages, tried as users do: two builds, chroot, npm, recipes; 10 minutes, root
	@tools/install-deps --package
	@rm -f $(RESULTS)/package.*
	@$(MAKE) -k $(package_results) || true
	@tests/run report part=package $(package_results)
packages := $(patsubst tests/package/%.sh,%,$(wildcard tests/package/*.sh))
package_results = $(packages:%=$(RESULTS)/package.%.txt)
$(RESULTS)/package.chroot.txt: deb
$(RESULTS)/package.recipes.txt: recipes
$(RESULTS)/package.static.txt: npm sbom
$(RESULTS)/package.%.txt: tests/package/%.sh FORCE
	@$(RUN) script $@ $< 1800
