// SPDX-License-Identifier: Apache-2.0
//
// host.js - a model for a host: it leads a session of Claude Code or Codex as hone's instructions
// say, and plays the agents that it starts.
//
//   node host.js SCRIPT PORT_FILE LOG
//
// The leading model reads what came last from hone: a list of agents, each with a type and a prompt.
// It starts them all and ends its turn; where nothing new came, it ends its turn. What it is told to
// tell the user it says first. In Codex it waits for those that it started, and closes them when they
// have ended, or when hone names them; newer models have other tools for that, and cannot close. An
// agent reads the
// prompt file that it was told of and gives its answer: into the file that it was told of, else as
// its last message. That is all that either knows of hone. A client that hone itself starts from
// inside plays the role that its prompt names.
//
// SCRIPT is JSON:
//
//   "background": true         agents are started in the background
//   "isolation": "worktree"    and with that
//   "leads": {"0": [BLOCK]}    what the leading model does instead in that turn (0 is its first), as
//                              {"call": NAME, "input": {...}} or {"say": TEXT}
//   "in": {"R2": [BLOCK]}      what it does first, once, when hone's instructions are of that phase
//   "tokens": {"0": 985000}    how many tokens that turn of its says that it has read, once; the
//                              host then asks for a summary and begins anew with that
//   "kills": true              it stops the first agent that it has in the background, once; until
//                              then no agent is answered, so that there is one to stop
//   "shows": [PATH...]         what its agents read as well, where it is there (Claude Code)
//   "hasty": 1                 so often it closes agents that are at work (Codex)
//   "keeps": true              it closes agents only when hone names them (Codex)
//   "agents": {"critic": [[TURN...], ...]}   what a role does each time it is started; the last one
//                              goes for all further starts
//
// A TURN is one of
//
//   {"read": true}       reads prompt and change     {"run": COMMAND}   calls the shell
//   {"answer": TEXT}     gives this answer           {"say": TEXT}      says it and ends
//   {"call": NAME, "input": {...}}                   calls any tool
//   {"patch": TEXT}      applies it (Codex)
//
// with "first": [MISHAP...] in front, as in model.js. A role that is not named reads, gives the answer
// of "*" and ends.
//
// LOG gets a line for each request: who, how often it was started, its turn, what was done; LOG.models
// one for each agent, with the model and the effort that were asked for; LOG.prompt.WHO what a role, or
// the leader, was told last, with what tools gave back. With HOST_DUMP in the environment LOG.dump gets
// each request as well.
'use strict';
const fs = require('fs');
const wire = require('./wire.js');

const [scriptFile, portFile, log] = process.argv.slice(2);
const script = JSON.parse(fs.readFileSync(scriptFile, 'utf8'));
const leaders = new Map();
const agents = new Map();
const starts = new Map();
let tasks = 0;

// ---- what hone says ----

const WANTED = /\[PHASE [^\]]*\] \[hone\] run [^\n]*agents? (?:is|are) wanted\.\n[\s\S]*?Start no other agent/g;
const AGENT = /^- (?:subagent_type|agent_type): (\S+)\n(?: {2}model: (\S+)\n)? {2}(?:prompt|message): (.*)$/gm;

const ENDED = /Message Type: FINAL_ANSWER\n[^\n]*\nSender: (\S+)\n/g;

function instructions(texts) {
    return texts.flatMap((text) => [...text.matchAll(WANTED)].map((match) => match[0]));
}

// What the user is to be told: a paragraph behind such a line.
const TELL = /Tell the user (?:first|exactly)[^\n]*:\n((?:[^\n]+\n?)+)/g;
const CLOSE = /call close_agent for ([^\n]*?)(?:, where you have|\. Then start)/g;

const tellings = (texts) => texts.flatMap((text) => [...text.matchAll(TELL)].map(([, what]) => what));
const named = (texts) => texts.flatMap((text) => [...text.matchAll(CLOSE)].flatMap(([, list]) =>
    [...list.matchAll(/([\w-]+) \(/g)].map(([, id]) => id)));

function listed(instruction) {
    return [...instruction.matchAll(AGENT)].map(([, type, model, prompt]) => ({ type, model, prompt }));
}

// ---- the leading model ----

function startOf(ask, { type, model, prompt }) {
    if (isNewer(ask)) {
        return ofNewer('spawn_agent', { agent_type: type, message: prompt, fork_turns: 'none',
                                        task_name: `${type}_${++tasks}`.replace(/-/g, '_') });
    }
    if (ask.api.name === 'openai') {
        return ofCodex('spawn_agent', { agent_type: type, message: prompt });
    }
    return { call: 'Agent', input: { description: type, prompt, subagent_type: type,
                                     run_in_background: !!script.background, ...(model && { model }),
                                     ...(script.isolation && { isolation: script.isolation }) } };
}

const ofCodex = (call, input) => ({ call, namespace: 'multi_agent_v1', input });
const ofNewer = (call, input) => ({ call, namespace: 'collaboration', input });
const isNewer = (ask) => ask.tools.includes('collaboration');

// What a call gave back, where that is JSON.
function given(text) {
    try {
        return JSON.parse(text) || {};
    } catch (error) {
        return {};
    }
}

// Codex: those that were started are waited for, then closed; null where there is none of them.
function attend(ask, leader) {
    ask.results.slice(leader.seen).map(given).forEach((result) => {
        const started = result.agent_id || result.task_name;
        if (started) leader.open.push(started);
        Object.keys(result.status || {}).forEach((id) => leader.ended.add(id));
    });
    leader.seen = ask.results.length;
    for (const [, task] of ask.texts.join('\n').matchAll(ENDED)) leader.ended.add(task);
    const at_work = leader.open.filter((id) => !leader.ended.has(id));
    const close = (ids) => ids.map((id) => ofCodex('close_agent', { target: id }));
    if (at_work.length > 0 && leader.hasty-- > 0) {
        return { did: `hastens to close ${at_work.length}`, blocks: close(at_work) };
    }
    if (at_work.length > 0) {
        return { did: `waits for ${at_work.length}`,
                 blocks: [isNewer(ask) ? ofNewer('wait_agent', {})
                     : ofCodex('wait_agent', { targets: at_work, timeout_ms: 60000 })] };
    }
    const asked = named([...ask.texts, ...ask.results]);
    const closing = leader.open.filter((id) => !script.keeps || asked.includes(id));
    leader.open = leader.open.filter((id) => !closing.includes(id));
    if (closing.length === 0 || isNewer(ask)) return null;
    return { did: `closes ${closing.length}`, blocks: close(closing) };
}

// The talk begins anew; Codex's model keeps in mind which agents it has.
function forget(session) {
    const leader = leaders.get(session);
    if (leader) leader.acted = leader.seen = leader.said = 0;
}

// Claude Code shows its model the answer of a Stop hook twice: as feedback, and as this.
const REPEATED = /^Stop hook blocking error from command/;

function lead(ask) {
    ask.texts = ask.texts.filter((text) => !REPEATED.test(text));
    const leader = leaders.get(ask.session)
        || { acted: 0, seen: 0, said: 0, open: [], ended: new Set(), hasty: script.hasty || 0 };
    leaders.set(ask.session, leader);
    const news = tellings(ask.texts).slice(leader.said);
    leader.said += news.length;
    const step = next(ask, leader);
    return { ...step, blocks: [...news.map((say) => ({ say })), ...step.blocks] };
}

// What it does now.
function next(ask, leader) {
    const own = (script.leads || {})[ask.turn];
    const all = instructions(ask.texts);
    if (own) return { who: 'leader', did: 'other', blocks: own };
    const busy = attend(ask, leader);
    if (busy) return { who: 'leader', ...busy };
    const first = /agentId: (\w+)/.exec(ask.results.join('\n'));
    if (script.kills && first) {
        script.kills = false;
        held.stopping = true;
        return { who: 'leader', did: 'kills',
                 blocks: [{ call: 'TaskStop', input: { task_id: first[1] } }] };
    }
    const phase = all.length > leader.acted ? (/\[PHASE (.*?)\]/.exec(all.at(-1)) || [])[1] : '';
    const before = (script.in || {})[phase];
    if (before) {
        delete script.in[phase];
        return { who: 'leader', did: `is first in ${phase}`, blocks: before };
    }
    if (all.length > leader.acted) {
        leader.acted = all.length;
        const wanted = listed(all.at(-1));
        return { who: 'leader', did: `starts ${wanted.map((agent) => agent.type).join(' ')}`,
                 blocks: wanted.map((agent) => startOf(ask, agent)) };
    }
    return { who: 'leader', did: 'ends', blocks: [{ say: 'That is all for now.' }] };
}

// ---- agents ----

function told(ask) {
    const text = ask.texts.join('\n');
    const prompt = (/Read the file (\S+\/prompt) and do exactly/.exec(text) || [])[1];
    const file = (/Your answer goes to the file (\S+?)\.(?:\s|$)/.exec(text) || [])[1];
    return { prompt, file };
}

const ROLE = /You are (?:`([a-z-]+)`|the independent (reviewer)[a-z ]* of a session)/;

function roleOf(ask, { prompt, file }) {
    const role = ROLE.exec(`${ask.system}\n${ask.texts.join('\n')}`);
    return role ? role[1] || role[2] : prompt || file ? 'nameless' : 'other';
}

// A client of its own, which plays one role and starts no agents.
function isAlone(ask) {
    return !ask.agent && instructions(ask.texts).length === 0 && ROLE.test(ask.texts.join('\n'));
}

function meet(ask) {
    const about = told(ask);
    const role = roleOf(ask, about);
    const count = (starts.get(role) || 0) + 1;
    const acts = (script.agents || {})[role];
    const usual = [{ read: true }, { answer: (script.agents || {})['*'] || '' }, { say: 'Done.' }];
    starts.set(role, count);
    return { ...about, role, count,
             turns: acts ? acts[Math.min(count, acts.length) - 1] : usual };
}

function blocksOf(ask, agent, turn) {
    if (turn.read) { // and looks at the change, as a reviewer must
        const many = ask.api.name === 'anthropic';
        const alone = many ? 'git status --short' : 'git diff HEAD; git show HEAD';
        const prompt = ask.api.shell(agent.prompt ? `cat '${agent.prompt}'` : alone);
        if (!many) return [prompt];
        return [prompt, ask.api.shell('git diff HEAD'), ask.api.shell('git show HEAD'),
                ...(script.shows || []).map((path) => ask.api.shell(`cat ${path}`))];
    }
    if (turn.run) return [ask.api.shell(turn.run)];
    if (turn.call || turn.patch) return [turn];
    if (turn.answer !== undefined && agent.file) {
        return [ask.api.shell(`cat > ${agent.file} <<'END_OF_ANSWER'\n${turn.answer}\nEND_OF_ANSWER`)];
    }
    return [{ say: turn.answer ?? turn.say }];
}

function play(ask) {
    const key = ask.agent || ask.session;
    if (!agents.has(key)) {
        agents.set(key, meet(ask));
        fs.appendFileSync(`${log}.models`, 
                          `${agents.get(key).role} ${ask.model} effort ${ask.effort || 'none'}\n`);
    }
    const agent = agents.get(key);
    const turn = agent.turns[Math.min(ask.turn, agent.turns.length - 1)];
    const what = (turn.first || []).shift();
    return { who: `${agent.role} ${agent.count}`, what, did: Object.keys(turn).at(-1),
             blocks: what ? null : blocksOf(ask, agent, turn) };
}

// ---- both ----

const held = []; // what agents asked before one of them was stopped

function answer(ask, res) {
    const { who, what, did, blocks } = ask.agent || isAlone(ask) ? play(ask) : lead(ask);
    const done = what ? wire.mishap(res, ask, what) : did;
    if (!what) wire.send(res, ask, blocks);
    fs.writeFileSync(`${log}.prompt.${who.split(' ')[0]}`, [...ask.texts, ...ask.results].join('\n'));
    fs.appendFileSync(log, `${who} turn ${ask.turn} ${done}\n`);
}

wire.serve(portFile, (ask, res) => {
    if (ask.aside) {
        wire.send(res, ask, [{ say: 'ok' }]);
        return;
    }
    if (process.env.HOST_DUMP) fs.appendFileSync(`${log}.dump`, `${JSON.stringify(ask)}\n`);
    if (/Do NOT call any tools|CONTEXT CHECKPOINT COMPACTION/.test(ask.texts.at(-1) || '')) {
        wire.send(res, ask, [{ say: '<summary>Agents were started.</summary>' }]);
        forget(ask.session);
        fs.appendFileSync(log, 'leader compacts\n');
        return;
    }
    if (!ask.agent && (script.tokens || {})[ask.turn]) {
        ask.tokens = script.tokens[ask.turn];
        script.tokens = {};
    }
    if (ask.agent && (script.kills || held.stopping)) {
        held.push([ask, res]);
        return;
    }
    if (!ask.agent && held.stopping) { // it is stopped: its leader has been told
        held.stopping = false;
        held.splice(0).filter(([, other]) => !other.destroyed).forEach((both) => answer(...both));
    }
    answer(ask, res);
});
