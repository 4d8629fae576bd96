/* SPDX-License-Identifier: Apache-2.0
 *
 * rules.c - which rules of gcc, clang-tidy and cppcheck stand for one fault.
 *
 * A warning of clang's has the name that it has in gcc, behind "clang-diagnostic-" and "-W". The
 * other rules stand in a table: those in one row are equal. A rule may stand in several rows, as
 * that of clang's for everything about malloc. */
#include "format/report/rules.h"

enum { RULES_MAX = 9 };

/* Warnings by their name alone. */
static const char *const rows[][RULES_MAX] = {
    { "unused-variable", "unusedVariable" },
    { "unused-but-set-variable", "unreadVariable", "clang-analyzer-deadcode.DeadStores" },
    { "unused-function", "unusedFunction" },
    { "unused-label", "unusedLabel" },
    { "uninitialized", "maybe-uninitialized", "sometimes-uninitialized",
      "analyzer-use-of-uninitialized-value", "uninitvar", "legacyUninitvar", "uninitdata",
      "clang-analyzer-core.uninitialized.Assign", "clang-analyzer-core.uninitialized.UndefReturn" },
    { "uninitialized", "uninitvar", "analyzer-use-of-uninitialized-value",
      "clang-analyzer-core.CallAndMessage", "clang-analyzer-core.UndefinedBinaryOperatorResult",
      "clang-analyzer-core.uninitialized.Branch" },
    { "null-dereference", "analyzer-null-dereference", "analyzer-possible-null-dereference",
      "nullPointer", "nullPointerRedundantCheck", "ctunullpointer",
      "clang-analyzer-core.NullDereference" },
    { "nonnull", "analyzer-null-argument", "analyzer-possible-null-argument", "nullPointer",
      "clang-analyzer-core.NonNullParamChecker", "clang-analyzer-unix.cstring.NullArg" },
    { "analyzer-malloc-leak", "memleak", "memleakOnRealloc", "leakReturnValNotUsed",
      "clang-analyzer-unix.Malloc" },
    { "analyzer-file-leak", "analyzer-fd-leak", "resourceLeak", "clang-analyzer-unix.Stream" },
    { "analyzer-double-free", "doubleFree", "clang-analyzer-unix.Malloc" },
    { "analyzer-use-after-free", "use-after-free", "deallocuse", "deallocret",
      "clang-analyzer-unix.Malloc" },
    { "analyzer-mismatching-deallocation", "mismatched-dealloc", "mismatchAllocDealloc",
      "clang-analyzer-unix.MismatchedDeallocator" },
    { "array-bounds", "stringop-overflow", "analyzer-out-of-bounds", "arrayIndexOutOfBounds",
      "bufferAccessOutOfBounds", "clang-analyzer-security.ArrayBound" },
    { "div-by-zero", "division-by-zero", "zerodiv", "zerodivcond",
      "clang-analyzer-core.DivideZero" },
    { "return-local-addr", "return-stack-address", "returnDanglingLifetime",
      "returnAddressOfAutoVariable", "analyzer-use-of-pointer-in-stale-stack-frame",
      "clang-analyzer-core.StackAddressEscape" },
    { "return-type", "missingReturn" },
    { "format", "invalidPrintfArgType_sint", "invalidPrintfArgType_uint",
      "invalidPrintfArgType_s", "invalidPrintfArgType_int", "invalidPrintfArgType_float",
      "invalidPrintfArgType_p", "invalidScanfArgType_int", "wrongPrintfScanfArgNum" },
    { "format", "format-insufficient-args", "wrongPrintfScanfArgNum" },
    { "format-extra-args", "wrongPrintfScanfArgNum" },
    { "self-assign", "selfAssignment" },
    { "shadow", "shadowVariable", "shadowFunction" },
    { "parentheses", "assignmentInCondition", "bugprone-assignment-in-if-condition" },
    { "sizeof-pointer-memaccess", "pointerSize", "bugprone-sizeof-expression" },
    { "sizeof-array-argument", "sizeofwithsilentarraypointer" },
    { "shift-count-overflow", "shiftTooManyBits", "shiftTooManyBitsSigned" },
    { "address", "string-compare", "literalWithCharPtrCompare" },
    { "infinite-recursion", "analyzer-infinite-recursion" },
    { "empty-body", "suspiciousSemicolon", "bugprone-suspicious-semicolon" },
};

static struct str rule_name(struct str rule)
{
    static const struct str before[] = { { "-W", 2 }, { "clang-diagnostic-", 17 } };

    for (uint32_t i = 0; i < sizeof before / sizeof *before; i++) {
        if (!str_starts(rule, before[i])) continue;
        rule = str_skip(rule, before[i].size);
        if (str_ends(rule, STR("="))) rule.size--; /* "-Wformat=" has levels */
        break;
    }
    return rule;
}

static bool row_has(const char *const *row, struct str name)
{
    for (uint32_t i = 0; i < RULES_MAX && row[i]; i++) {
        if (str_is(name, row[i])) return true;
    }
    return false;
}

bool rules_are_equal(struct str a, struct str b)
{
    struct str left = rule_name(a), right = rule_name(b);

    if (left.size == 0 || right.size == 0) return false;
    if (str_eq(left, right)) return true;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (row_has(rows[i], left) && row_has(rows[i], right)) return true;
    }
    return false;
}
