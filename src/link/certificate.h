/* SPDX-License-Identifier: Apache-2.0
 *
 * certificate.h - an authority of one's own, and a server's certificate by it, as PEM. */
#ifndef HONE_LINK_CERTIFICATE_H
#define HONE_LINK_CERTIFICATE_H

#include "base/buf.h"
#include "base/err.h"

enum { PEM_BYTES_MAX = 16 << 10 };

/* A key and the certificate that it signs itself with. The buffers are the caller's. */
int authority_make(struct buf *key, struct buf *certificate, struct err *err);

/* A key for a server, and its certificate for a host (a name or an address) and this machine. */
int certificate_make(struct str authority_key, struct str authority, const char *host,
                     struct buf *key, struct buf *certificate, struct err *err);

#endif
