# SPDX-License-Identifier: Apache-2.0
#
# What hone is handed out as. Included by the Makefile; everything is made below build/ and ends in
# $(DIST). docs/release.md says how a release is made of it, docs/install.md how users take it.

# The one place that says the version.
VERSION := $(shell sed -n 's/^\#define HONE_VERSION "\(.*\)"/\1/p' src/cmd/version.h)
DIST = build/dist

# ---- one file that runs on any Linux -----------------------------------------------------------

# The same Makefile, with another compiler and with the libraries that tools/static-deps builds.
STATIC_CC = musl-gcc
STATIC = BUILD=build/static CC='$(STATIC_CC)' LDFLAGS='$(LDFLAGS) -static'
.PHONY: static
static: # build/static/hone: one file, for any Linux on x86-64; needs musl-tools (docs/release.md)
	@tools/static-deps build/static-deps
	@PKG_CONFIG_LIBDIR=build/static-deps/lib/pkgconfig $(MAKE) $(STATIC) all
