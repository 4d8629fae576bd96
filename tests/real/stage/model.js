// SPDX-License-Identifier: Apache-2.0
//
// model.js - a model that says what it was told to, to clients on loopback (wire.js).
//
//   node model.js SCRIPT PORT_FILE LOG
//
// SCRIPT is JSON: a list of talks. A client's session takes the next talk when it first asks, and
// its turns one by one: a turn is chosen by how many results of tools are in the request. The last
// turn answers everything behind it. A talk is a list of turns, or {"for": TEXT, "turns": [...]} for
// the session whose prompt has that text.
//
//   {"run": "command"}      the model calls the client's shell
//   {"say": "text"}         the model says it, and the turn ends; JSON is given by StructuredOutput
//                           where the client offers that, unless "plain" is true
//   "first": [MISHAP...]    in front of either: each is used once before the turn is played
//
// LOG gets a line for each request: the talk, the role that the prompt names, the model and the effort
// that were asked for, the turn, what was done. LOG.prompt.ROLE has what a role was told last.
'use strict';
const fs = require('fs');
const wire = require('./wire.js');

const [script, portFile, log] = process.argv.slice(2);
const talks = JSON.parse(fs.readFileSync(script, 'utf8'));
const sessions = new Map();
let nameless = 0, retried = false;

// A client that names no session speaks in one at a time: each beginning is a new one, unless the
// last request was refused and this is another try.
function sessionOf(ask) {
    if (ask.session) return ask.session;
    if (ask.turn === 0 && !retried) nameless++;
    return `nameless ${nameless}`;
}

function talkFor(ask) {
    const prompt = ask.texts.join('\n');
    const index = talks.findIndex((talk) => Array.isArray(talk) || prompt.includes(talk.for));
    if (index < 0) return [{ say: 'There is nothing left to say.' }];
    const [talk] = talks.splice(index, 1);
    return Array.isArray(talk) ? talk : talk.turns;
}

function roleOf(ask) {
    return (/You are `([a-z-]+)`/.exec(ask.texts.join('\n')) || [])[1] || '-';
}

function blocksOf(ask, turn) {
    if (turn.run) return [ask.api.shell(turn.run)];
    if (ask.tools.includes('StructuredOutput') && !turn.plain && turn.say.startsWith('{')) {
        return [{ call: 'StructuredOutput', input: JSON.parse(turn.say) }];
    }
    return [{ say: turn.say }];
}

wire.serve(portFile, (ask, res) => {
    if (ask.aside) {
        wire.send(res, ask, [{ say: 'ok' }]);
        return;
    }
    const session = sessionOf(ask);
    if (!sessions.has(session)) sessions.set(session, talkFor(ask));
    const turns = sessions.get(session);
    const turn = turns[Math.min(ask.results.length, turns.length - 1)];
    const what = (turn.first || []).shift();
    const done = what ? wire.mishap(res, ask, what) : turn.run ? 'run' : 'say';
    if (!what) wire.send(res, ask, blocksOf(ask, turn));
    retried = !!what && !what.hang;
    fs.writeFileSync(`${log}.prompt.${roleOf(ask)}`, ask.texts.join('\n'));
    fs.writeFileSync(`${log}.results`, ask.results.join('\n')); // what tools told the model
    fs.appendFileSync(log, `${ask.api.name} talk ${[...sessions.keys()].indexOf(session) + 1} ` +
                           `role ${roleOf(ask)} model ${ask.model} effort ${ask.effort || 'none'} ` +
                           `results ${ask.results.length} ${done}\n`);
});
