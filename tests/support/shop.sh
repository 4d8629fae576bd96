# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# shop.sh - a little shop whose change is reviewed, for stories and pictures of pages: what its
# agents say is in shop_claude.mjs. Sourced after story.sh and play.sh. Each run is made in the
# folder of the shop, which is entered.

mkdir -p "$TMPDIR/bin"
# shellcheck disable=SC2154 # of play.sh
hold=$play/hold
cat >"$TMPDIR/bin/claude" <<END
#!/bin/sh
SHOP_HOLD='$hold' exec node '$TOP/tests/support/shop_claude.mjs'
END
chmod +x "$TMPDIR/bin/claude"
PATH=$TMPDIR/bin:$PATH

# shop_new FOLDER: the shop as it was, with a change in it that adds discounts.
shop_new()
{
    mkdir -p "$1/shop" && cd "$1" || exit 1
    git init -q -b discounts .
    cat >shop/price.py <<'END'
"""Prices."""


def total(items):
    """What the items cost together."""
    return sum(price * count for _, price, count in items)
END
    cat >shop/cart.py <<'END'
"""The cart of a little shop."""

from shop.price import total


class Cart:
    def __init__(self):
        self.items = []
        self.code = None

    def add(self, name, price, count=1):
        self.items.append((name, price, count))

    def sum(self):
        return total(self.items)
END
    cat >shop/till.py <<'END'
"""The till."""


def sell(reader, cart):
    reader.charge(cart.sum())
END
    printf '# A little shop\n' >README.md
    git add . && git commit -q -m 'A little shop'
    cat >shop/cart.py <<'END'
"""The cart of a little shop."""

from shop.price import total

CODES = {"WELCOME": 5, "STAFF-ONLY": 500}


class Cart:
    def __init__(self):
        self.items = []
        self.code = None

    def add(self, name, price, count=1):
        self.items.append((name, price, count))

    # A code of the customer.

    def discount(self, code):
        self.code = code

    def sum(self):
        return total(self.items) - CODES.get(self.code, 0)
END
    cat >shop/till.py <<'END'
"""The till."""


def sell(reader, cart):
    receipt = "\n".join(name for name, _, _ in cart.items)
    receipt += f"\n{cart.sum():.2f}"

    print(receipt)
    pay(reader, cart)


def pay(reader, cart):
    try:
        reader.charge(cart.sum())
    except Exception:
        pass
END
}

# Three rounds: all is fixed, and a fix brings one more finding.
shop_review()
{
    hone run review --max-iterations 5 --budget usd=8 --agent '*=claude' "$@" \
        -- 'Discounts for customers who have a code'
}

# Two tasks side by side; one of them is reviewed twice. What is not committed yet is.
shop_lanes()
{
    git add -A && git commit -q -m 'Discounts'
    printf '%s\n' '# Next' '- [ ] refunds: Money back to the card' \
        '- [ ] vouchers: Vouchers as a gift' >"$TMPDIR/tasks.md"
    hone run loops --tasks "$TMPDIR/tasks.md" --agent '*=claude'
}

# A question, left open: run cycles does not pass.
shop_question()
{
    git add -A && git commit -q -m 'What is there'
    hone run cycles 'The receipt names the discount' --cycles 1 --agent '*=claude'
}

# shop_begin ROLES [OPTION...]: a run in the background that waits for these roles, until
# `rm $hold`; $shop_pid is its process.
shop_begin()
{
    echo "$1" >"$hold"
    shift
    printf '# one more change\n' >>shop/price.py
    "$HONE" run review --max-iterations 2 --agent '*=claude' "$@" -- 'Prices once more' \
        >"$TMPDIR/begun" 2>&1 </dev/null &
    shop_pid=$!
}
