/* SPDX-License-Identifier: Apache-2.0
 *
 * dialect.h - a loop's rules and its files, as a few pure functions and constants.
 *
 * A dialect compiles its settings to a plan, writes the prompts, judges the answers and says what
 * its contract files hold. It starts nothing, reads nothing and writes nothing: the same functions
 * serve every driver, and a test is a struct literal.
 *
 * Room: the rules of loops. This folder holds the interface, the tables, and readers that several
 * dialects share; each dialect has a folder below. Pure: a dialect starts, reads and writes
 * nothing. */
#ifndef HONE_DIALECT_DIALECT_H
#define HONE_DIALECT_DIALECT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/engine.h"
#include "format/row.h"

/* One option or configured value: "max-iterations" = "3". A later one wins. */
struct setting {
    const char *name, *value;
};

/* A file that settings come from, as it was when the run was started. */
struct config_text {
    const char *path; /* as the dialect named it: "~/.claude/x.json", or relative */
    struct str text;
};

/* What is wrong with settings and was not taken, a sentence each. Empty is a valid value. */
struct warnings {
    struct arena arena;
    const char **items;
    uint32_t count, cap;
};

struct role_file;

struct settings {
    const struct setting *items;
    uint32_t count;
    const struct config_text *files; /* those that are there, in the dialect's order */
    uint32_t file_count;
    struct warnings *warnings;       /* where the plan function puts them; NULL: none are kept */
};

/* Whether it can be the name of a model, which becomes an argument of a program: only letters,
 * digits and ._-:/@[], with a letter or a digit in front. */
bool is_model_name(struct str text);

/* The text of the file with that name, as config_text has it; empty: there is none. */
struct str settings_file(const struct settings *settings, const char *name);
/* The last value of an option; NULL where it was not given. */
const char *setting_value(const struct settings *settings, const char *name);
/* The value as a number from 1 to max; ERR_USAGE says so where it is none. */
int setting_number(const struct settings *settings, const char *name, uint32_t otherwise,
                   uint32_t max, uint32_t *out, struct err *err);
/* ERR_USAGE: one that the dialect's options do not have. */
struct dialect;
int settings_check(const struct settings *settings, const struct dialect *dialect,
                   struct err *err);
void warnings_add(struct warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void warnings_release(struct warnings *warnings);

/* Which values of a setting the user must agree to, where a repository brings them: those that run
 * a command, give agents more rights, or let a gate look at less or pass with more than it does
 * built in. Every setting has a row that says so. */
enum consent {
    CONSENT_UNSAID,
    CONSENT_NEVER, /* about none */
    CONSENT_ANY,   /* any value that is not empty */
    CONSENT_TRUE,  /* of a switch */
    CONSENT_FALSE,
    CONSENT_LEAST, /* the first of its words */
    CONSENT_LESS,  /* those of its words that stand in front of the one that is built in */
    CONSENT_AGENT, /* an agent, or one of a list, that is a command, plays answers from a file, or
                      looks at nothing */
};

/* One effective setting of a dialect's configuration, and where it comes from. */
struct config_item {
    const char *path;  /* in the file: "phases.3.onFailure" */
    const char *value; /* as JSON */
    const char *from;  /* the file, as the dialect names it; NULL: built in */
    const char *means; /* in words, where the value does not say it; NULL: it does */
    bool asked;        /* the value is one that the user must agree to (enum consent) */
    bool is_agent;     /* the value is a SPEC: only a command must be agreed to */
};

struct config_list {
    struct config_item *items;
    uint32_t count, cap;
};

/* Grows in arena. */
void config_list_add(struct config_list *list, struct arena *arena, struct config_item item);

/* What hone.json may hold of an option, as dialects.DIALECT.OPTION. An option that is about one run
 * (a file, a folder, where to stop) is no key: a file that is always read would hold it for runs
 * that it was not meant for. */
enum key_kind {
    KEY_NONE,   /* it is no key */
    KEY_SWITCH, /* true or false */
    KEY_NUMBER, /* a whole number from 1 to max */
    KEY_WORD,   /* one of some words */
    KEY_ROLES,  /* a list of roles, which the option takes with commas between them */
};

struct option_key {
    enum key_kind kind;
    uint32_t max;
    const char *const *words; /* NULL ends */
    const char *builtin;      /* what holds where no file says anything, as JSON */
    enum consent consent;
};

/* An option of `hone run DIALECT`, for the command line, hone.json, the help and the man page. */
struct dialect_option {
    const char *name;     /* without the dashes */
    const char *argument; /* "N", "FILE"; NULL for a switch */
    const char *help;
    struct option_key key;
    bool is_file;         /* its argument is a file whose text the run keeps, among the files */
    /* Its argument is a folder for the dialect's own files. Where it was not given: the nth choice
     * for it; the first that does not exist is taken. stamp is YYYYMMDD-HHMM in local time. NULL:
     * it is no such option. */
    const char *(*folder)(const char *task, const struct settings *settings, const char *stamp,
                          uint32_t nth, struct arena *arena);
};

/* What hone itself does for a role that no agent plays. */
enum builtin_kind {
    BUILTIN_ANSWER,  /* nothing is run: the text is the answer */
    BUILTIN_COMMAND, /* the text, by sh -c; the answer is "exit N", a line end, and what it said */
    BUILTIN_COMMIT,  /* what was changed since the last one, with the text as its message; the
                        answer is "commit ID" or "nothing", and the files, a line each */
    BUILTIN_SCAN,    /* hone looks for secrets in the workspace: its findings go to found() */
    BUILTIN_INTEGRATE, /* of a task's lane: what it changed is committed with the text as its
                        message and merged behind what was merged before. The answer is "merged
                        ID", or "nothing" where it changed nothing, or "conflict", the files of it,
                        a line each, an empty line and what stands on both sides */
};

struct builtin {
    enum builtin_kind kind;
    const char *text;
};

/* A file of the work tree that is not as the last commit has it, or as it was before. */
struct tree_file {
    struct str path;    /* relative */
    const char *change; /* in a delta: added, modified, deleted, mode */
    const char *oid;    /* git's id of its content now; "" where it is deleted */
};

/* The work tree as it is, for dialects that judge by it: wants_tree. */
struct tree_view {
    const char *head;              /* the commit it stands on; "": none yet */
    const struct tree_file *dirty; /* what differs from that commit, untracked files included */
    uint32_t dirty_count;
    const struct tree_file *delta; /* what differs from when the round's worker or fixer began */
    uint32_t delta_count;
    bool from_head; /* that beginning is not known: the delta is what differs from head */
    struct str diff;               /* the delta as text, cut where it is very long; may be empty */
    bool diff_cut;
};

/* How a task's lane is called in its folder, its branch, its agents' environment and prompts. */
struct lane_about {
    const char *name;    /* unique in the repository, letters, digits and '-': HONE_LANE */
    const char *task_id; /* HONE_TASK_ID */
    const char *task;    /* HONE_TASK */
};

/* Where the agents of a run put their answers. All but the first are those of a host. */
enum answers {
    ANSWERS_TO_HONE, /* HONE_OUTPUT: hone itself started them */
    ANSWERS_IN_FILE, /* their answer_file(), where they have one */
    ANSWERS_SPOKEN,  /* they say it last: hidden folders of the workspace are closed to them */
};

/* What a dialect may know of a run. Everything is borrowed. */
struct run_view {
    const struct engine *engine;
    const char *id;
    const char *task;
    const char *workspace; /* absolute */
    const char *owner;     /* the engine's process id, as text */
    const struct str *changed; /* files that changed since the last review, relative */
    uint32_t changed_count;
    const char *since;     /* the changes since this commit are judged; "" or NULL: everything */
    bool scope_given;      /* the user named the scope; else the dialect says what is judged */
    const struct settings *settings; /* how the run was asked for */
    const char *test;      /* the project's test command; "" or NULL: none is known */
    const char *fence;     /* a word no agent could know before: marks quoted text in prompts */
    const char *uuid;      /* another name of the run, for dialects whose files want one */
    const char *backend;   /* of the agent that is asked or judged: "claude"; "" elsewhere */
    const struct tree_view *tree; /* at a judgement, and in the prompt of a reviewer; else NULL.
                                     Only with wants_tree */
    const char *worktrees; /* absolute: the folder that holds a work tree per lane, by its name */
    uint64_t recorded;     /* engine.steps when the run was last recorded; 0: never, or unknown */
    enum answers answers;  /* where its agents put their answers */
    const char *session;   /* the host's own name for its session; "" where there is no host */
};

/* Whether the agents are those of a host. */
bool view_is_hosted(const struct run_view *run);
/* Whether record() leaves the answer file of this job alone: an agent of the host may have written
 * it, and it is not judged yet. Never so in the step that asks for it: what lies there then was
 * written before the agent was asked. */
bool view_leaves_answer(const struct run_view *run, const struct job *job);

struct prompt_request {
    const struct action *action; /* an ACT_START */
    const char *output;          /* HONE_OUTPUT: where the agent may put its answer */
    struct str problem;          /* what was wrong with its last answer; empty: nothing */
};

/* Paths are relative to the workspace, and content is what the file holds, byte for byte. */
struct contract_file {
    const char *path;
    struct str content;
};

struct contract {
    struct arena arena; /* holds everything below */
    struct contract_file *files;
    uint32_t file_count, file_cap;
    const char **folders; /* that must exist even while empty */
    uint32_t folder_count, folder_cap;
    const char **absent;  /* files that must not exist: what an agent put there is removed */
    uint32_t absent_count, absent_cap;
    struct contract_row *rows; /* only those that may have changed since view.recorded */
    uint32_t row_count, row_cap;
};

void contract_release(struct contract *contract);
/* All copy what they are given. */
void contract_file_add(struct contract *contract, const char *path, struct str content);
struct yyjson_mut_doc;
/* The same of a document, in lines; frees it. */
void contract_json_add(struct contract *contract, const char *path, struct yyjson_mut_doc *doc);
void contract_folder_add(struct contract *contract, const char *path);
void contract_absent_add(struct contract *contract, const char *path);
void contract_row_add(struct contract *contract, const char *table,
                      const struct contract_cell *cells, uint32_t count);

/* A run as its contract files tell it. */
struct restored {
    struct arena arena;
    const char *task;
    struct event *events;
    uint32_t count, cap;
    bool doubted; /* the files call something passed that does not count, since they are not ours */
};

/* Behind the others; its texts must live as long. */
void restored_add(struct restored *restored, struct event event);

/* Findings and what there is to say about the looking. */
struct found {
    const struct finding *findings;
    uint32_t count;
    const struct str *notes;
    uint32_t note_count;
};

/* A row of a dialect's own names: what belongs to what. */
struct word_pair {
    const char *of, *is; /* NULL, NULL ends */
};
/* The word that belongs to `of`; NULL: none does, or there are no pairs (NULL). */
const char *word_pair_find(const struct word_pair *pairs, const char *of);

/* ---- what only some dialects have: each group as a whole, or NULL ---- */

/* The agent of a role where the command line names none. */
struct dialect_casting {
    /* The SPEC that the dialect's own configuration names for a role (copy 0: for the one that
     * joins copies, or is alone); NULL: it names none. */
    const char *(*agent)(const struct settings *settings, const char *role, uint32_t copy,
                         struct arena *arena);
    /* The same without any configuration: it counts only where its program is there. */
    const char *(*agent_default)(const struct settings *settings, const char *role,
                                 uint32_t copy, struct arena *arena);
    /* How hard the model of that SPEC thinks, of agent()'s or of agent_default()'s; NULL: as its
     * program has it. The function may be NULL. */
    const char *(*effort)(const struct settings *settings, const char *role, uint32_t copy,
                          bool by_default, struct arena *arena);
};

/* Roles that are left to one program, and are not asked twice; with casting. */
struct dialect_insisting {
    /* Where the program of agent_default() is not there, and the dialect wants no other in its
     * place: how the user names another for this role, half a sentence. NULL: any can play. */
    const char *(*no_stand_in)(const char *role);
    /* The SPEC of the agent that plays a role inside a host ("claude", "codex") where none was
     * named; NULL: agent_default() says it, and else the host's own agents do. */
    const char *(*hosted_agent)(const struct settings *settings, const char *host,
                                const char *role, struct arena *arena);
    /* Whether the agent of this backend is asked only once for the role: neither broken contracts
     * nor failures are asked for again. */
    bool (*asked_once)(const char *backend, const char *role);
};

/* Configuration files of its own. */
struct dialect_configuring {
    const char *const *files; /* "~/" is the user's home; NULL ends */
    /* Every setting of them, in order. */
    void (*list)(const struct settings *settings, struct arena *arena, struct config_list *out);
};

/* What a run begins with, and its last words. */
struct dialect_framing {
    /* What EV_START brings: the groups of the tasks that the settings name, and a document of what
     * is there at the beginning (with wants_tree, run->tree is), which a diary keeps. Of a run that
     * continues a file *out is what restore() made of it. */
    int (*start)(const struct run_view *run, struct arena *arena, struct result *out,
                 struct err *err);
    /* What a person wants to read when the run has ended; adds nothing where there is nothing. */
    void (*conclude)(const struct run_view *run, struct buf *out);
};

/* A run that goes on from a contract file. */
struct dialect_continuing {
    /* The contract file that the settings ask to continue, relative; NULL: a new run. Its text is
     * among the files of the settings, by this path, and restore() is given it. */
    const char *(*file)(const struct settings *settings, struct arena *arena);
    /* The events that lead to what these files say: feeding them to an engine and recording gives
     * the same files. ours: a run of this user's hone wrote them so. Of any other file no approval
     * counts: what it calls passed is judged again. ERR_FORMAT names the file and what is wrong
     * with it. */
    int (*restore)(const struct contract *files, const struct settings *settings, bool ours,
                   struct restored *out, struct err *err);
    /* What of the tree (run->tree) is not as that file left it, half a sentence; NULL: nothing. The
     * user must accept it. *note: what else the user must know of file and tree, half a sentence;
     * NULL: nothing. */
    const char *(*drifted)(const struct run_view *run, const char **note, struct arena *arena);
    const char *option;        /* that names such a file, by its name without the ending */
    const char *accept_option; /* that accepts what has drifted */
};

/* A hosted run that begins with the files of another tool. */
struct dialect_adopting {
    const char *state_file; /* the contract file that says of itself whose run it is */
    const char *plugin;     /* its `plugin`: a file of any other is none of ours */
    /* The settings that such files were made with: plan() and restore() want the same ones. They
     * live in arena. ERR_FORMAT, as restore(). */
    int (*settings_of)(const struct contract *files, struct arena *arena, struct settings *out,
                       struct err *err);
    /* As restore() of those that continue, with files that are not ours. */
    int (*restore)(const struct contract *files, const struct settings *settings,
                   struct restored *out, struct err *err);
};

/* What other tools look for while a run is at work. */
struct dialect_sharing {
    const char *called; /* the dialect's word for what is worked on, for messages */
    /* The lock file that tells other tools that a run is at work, relative; and the process that
     * such a file names (0: it cannot be told). record() writes it and removes it. */
    const char *(*lock_file)(const struct run_view *run, struct arena *arena);
    long (*lock_owner)(struct str text);
    /* Where the prompt of this attempt lies while it runs, relative; NULL: nowhere. */
    const char *(*prompt_file)(const struct run_view *run, const struct action *action,
                               struct arena *arena);
};

/* A call of a tool that an agent reports with, from inside its attempt. */
struct report_call {
    const char *tool;          /* its name */
    const char *lane, *task_id; /* of the caller, as struct lane_about has them; "": none */
    struct yyjson_val *arguments; /* an object that fits the tool's schema */
    struct arena *arena;       /* for words */
};

/* A tool of MCP that the agents of a role report with, instead of answering. */
struct report_tool {
    const char *name, *role;
    const char *title, *description, *input; /* for the client; input is a JSON Schema */
    /* Appends the text that the agent would have answered with. False: the call is refused, and
     * nothing is reported. *message: what the agent is told, in either case. */
    bool (*report)(const struct report_call *call, struct buf *out, const char **message);
};

/* How a role hands in its answer, where saying it last is not all. Each may be NULL. */
struct dialect_answering {
    /* The contract file that an agent of a hosted run writes its answer to, relative; record() then
     * leaves alone what lies there and is not judged yet. NULL: there is none for this one, and
     * what it says last will do. */
    const char *(*file)(const struct run_view *run, const struct action *action,
                        struct arena *arena);
    /* The JSON schema of what a role answers, for backends that hold a model to one: every member
     * required, no others. NULL: the answer is no JSON. */
    const char *(*schema)(const char *role);
    const struct report_tool *tools; /* name NULL ends */
};

/* A lane as `hone status` shows it; a text is NULL where it is missing. */
struct lane_status {
    const char *id, *group, *task, *title;
    const char *status, *phase;
    const char *review_status; /* pending, in_progress, passed, failed */
    const char *last_review_id, *worktree;
    uint32_t iteration, iteration_max, revisions;
};

struct lanes_status {
    struct lane_status *items;
    uint32_t count;
    uint32_t waiting; /* tasks whose group has not begun */
};

/* A plan that fans into lanes. No host can play it: a lane needs a work tree of its own. */
struct dialect_lanes {
    const char *called; /* the dialect's word for them, of many: a member of `hone status --json` */
    const char *one;    /* and of one */
    /* See struct lane_about. lane is not 0. */
    void (*about)(const struct run_view *run, uint32_t lane, struct arena *arena,
                  struct lane_about *out);
    /* Everything lives in arena. */
    void (*status)(const struct run_view *run, struct arena *arena, struct lanes_status *out);
};

/* The dialect in the notation of loop files (dialect/custom). */
struct dialect_notation {
    const char *beyond; /* what the notation cannot say of it, half a sentence; NULL: it says all */
    /* What an agent of the role is told, as a remit, in arena; empty: there is no such role. */
    struct str (*remit)(const char *role, struct arena *arena);
    const char *(*answers)(const char *role); /* how its answer is read: "findings", "grade" */
    const char *commit; /* the message of a commit; NULL: it makes none */
};

/* ---- a dialect ---- */

struct dialect {
    const char *name;
    const char *summary;        /* half a sentence */
    const char *gist;           /* what it does, for a model that chooses; NULL: the name will do */
    const char *task_default;   /* the task where none is given; NULL: one must be given */
    const char *const *task_options; /* and only with one of these, which say what to do (NULL
                                   ends); NULL: always */
    const char *escalation;     /* the word for a bound that the user must decide about; or NULL */
    const char *const *private_paths; /* the files that it writes itself, as prefixes: never in a
                                   delta. No more than those: work could hide there. NULL ends */
    const char *top_folder;     /* at the top of the workspace, of dialects alone; NULL: none */
    const char *trail;          /* folder of an earlier run's files, moved aside at the start */
    bool notes_pass;            /* its user wrote down what fails: what it notes is no failure */
    bool rounds_are_iterations; /* it calls a round an iteration: HONE_ITERATION counts with it */
    const struct dialect_option *options; /* name NULL ends */
    bool wants_test;            /* it runs the project's tests: a command is looked for */
    bool commits;               /* it makes commits: a run refuses to start on a dirty tree */
    const char *dirty_option;   /* unless this option is given: with commits */
    bool judges_newest;         /* where nothing differs from HEAD, the newest commit is what it
                                   judges; else the run itself makes what it judges */
    bool wants_tree;            /* it compares what agents say with the tree: run_view.tree */
    const struct word_pair *analyzer_roles; /* the reviewer that an analyzer suits best; or NULL */
    const struct contract_table *tables;    /* beside the journal; name NULL ends; or NULL */

    /* The plan lives in arena. ERR_USAGE with the setting, its value and what is allowed. */
    int (*plan)(const struct settings *settings, struct arena *arena, struct plan *out,
                struct err *err);
    void (*prompt)(const struct run_view *run, const struct prompt_request *request,
                   struct buf *out);
    /* Texts in out live in arena. Never fails: what cannot be read is VERDICT_INVALID, with
     * out->problem written for the agent that will be asked again. */
    void (*judge)(const struct run_view *run, const struct action *action, struct str answer,
                  struct arena *arena, struct result *out);
    void (*record)(const struct run_view *run, struct contract *out);

    /* All below may be NULL. */

    /* What a reviewer found that answers with findings and in no dialect's form (an analyzer), as
     * the result of an answer that says the same. NULL: such a reviewer cannot play here. */
    void (*found)(const struct run_view *run, const struct action *action,
                  const struct found *found, struct arena *arena, struct result *out);
    /* What is to be done for a role with `builtin` set. */
    void (*builtin)(const struct run_view *run, const struct action *action, struct arena *arena,
                    struct builtin *out);
    /* What a file of the user's says of a role, with all that it extends (role_file.h); NULL: the
     * role has none. The function is NULL where no role of the dialect can have one. */
    const struct role_file *(*role_file)(const struct settings *settings, const char *role,
                                         struct arena *arena);
    /* Roles that its settings name beside what its options do, whose files are wanted; NULL ends.
     * The function may be NULL. */
    const char *const *(*named_roles)(const struct settings *settings, struct arena *arena);
    /* The model that a backend plays a role with, where its SPEC names none; NULL: its own. */
    const char *(*model)(const struct settings *settings, const char *backend, const char *role,
                         struct arena *arena);

    /* Hosted: an agent whose answer broke its contract is sent back a few times, and then another
     * one is asked. Else it is sent back once, which is all that a broken contract is asked for. */
    bool sends_back;

    const struct dialect_casting *casting;
    const struct dialect_insisting *insisting;
    const struct dialect_configuring *configuring;
    const struct dialect_framing *framing;
    const struct dialect_continuing *continuing;
    const struct dialect_adopting *adopting;
    const struct dialect_sharing *sharing;
    const struct dialect_answering *answering;
    const struct dialect_lanes *lanes;
    const struct dialect_notation *notation;

    /* What holds where the user says nothing else: of a loop file. NULL: nothing. */
    const char *until, *budget;
};

extern const struct dialect *const dialects[]; /* those of dialects.h; NULL ends */
/* What a document calls all that a run can be started with: these, and loop files. */
#define DIALECTS_KEY "loops"
const struct dialect *dialect_find(struct str name);
/* The dialect of a run that was asked for so: one of the table, or that of the loop file among its
 * settings' files, which lives in arena. NULL: there is none. */
const struct dialect *dialect_of(const char *name, const struct settings *settings,
                                 struct arena *arena);
/* Whether a host's plugin of this name is hone's own, or one that a dialect adopts runs of. */
bool dialect_knows_plugin(struct str name);
/* The folders at the top of a workspace that are no part of the project: git's, hone's own and
 * those of dialects, which quote what was found. behind: what is added to each. NULL ends. */
const char *const *dialect_folders(const char *behind, struct arena *arena);
/* Where a run's contract files are, relative: the trail, or the folder that an option names. */
const char *dialect_files(const struct dialect *dialect, const struct settings *settings);

#endif
