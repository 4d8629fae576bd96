// SPDX-License-Identifier: Apache-2.0
//
// model.js - a model that says what it was told to, on loopback: the Messages API of Anthropic and
// the Responses API of OpenAI, as far as Claude Code and Codex use them.
//
//   node model.js SCRIPT PORT_FILE LOG
//
// SCRIPT is JSON: a list of talks. A client's session (by the header that names it) takes the next
// talk when it first asks, and its turns one by one: a turn is chosen by how many results of tools
// are in the request. The last turn answers everything behind it.
//
//   {"run": "command"}      the model calls the client's shell
//   {"say": "text"}         the model says it, and the turn ends; JSON is given by StructuredOutput
//                           where the client offers that, unless "plain" is true
//   "first": [MISHAP...]    in front of either: each is used once before the turn is played
//
// A MISHAP is {"status": 529, "headers": {...}}, {"drop": true} (the stream breaks off) or
// {"hang": true} (no answer ever).
//
// LOG gets a line for each request: the talk, the turn, what was done.
'use strict';
const fs = require('fs');
const http = require('http');

const [script, portFile, log] = process.argv.slice(2);
const talks = JSON.parse(fs.readFileSync(script, 'utf8'));
const sessions = new Map();
let count = 0;

const id = (prefix) => `${prefix}_${++count}`;

// Which turn is asked for; null: a request beside the talk (a title, a summary).
function turnOf(session, results) {
    if (!sessions.has(session)) sessions.set(session, talks[sessions.size]);
    const turns = sessions.get(session) || [{ say: 'There is nothing left to say.' }];
    return turns[Math.min(results, turns.length - 1)];
}

// ---- Anthropic ----

const anthropic = {
    session: (req) => req.headers['x-claude-code-session-id'] || 'one',
    isTalk: (body) => (body.tools || []).length > 0,
    results: (body) => body.messages.flatMap((m) => (Array.isArray(m.content) ? m.content : []))
        .filter((block) => block.type === 'tool_result').length,
    error: (status) => ({ type: 'error', error: {
        type: { 401: 'authentication_error', 429: 'rate_limit_error', 529: 'overloaded_error' }[status]
            || 'invalid_request_error',
        message: `scripted ${status}` } }),

    blocks(turn, body) {
        const tools = (body.tools || []).map((tool) => tool.name);
        if (turn.run) {
            return [{ type: 'tool_use', id: id('toolu'), name: 'Bash',
                      input: { command: turn.run, description: 'scripted' } }];
        }
        if (tools.includes('StructuredOutput') && !turn.plain && turn.say.startsWith('{')) {
            return [{ type: 'tool_use', id: id('toolu'), name: 'StructuredOutput',
                      input: JSON.parse(turn.say) }];
        }
        return [{ type: 'text', text: turn.say }];
    },

    events(turn, body) {
        const blocks = this.blocks(turn, body);
        const stop = blocks[0].type === 'tool_use' ? 'tool_use' : 'end_turn';
        const usage = { input_tokens: 100, output_tokens: 20 };
        const out = [{ type: 'message_start', message: {
            id: id('msg'), type: 'message', role: 'assistant', model: body.model, content: [],
            stop_reason: null, stop_sequence: null, usage } }];
        blocks.forEach((block, index) => {
            const text = block.type === 'text';
            out.push({ type: 'content_block_start', index,
                       content_block: text ? { type: 'text', text: '' } : { ...block, input: {} } });
            out.push({ type: 'content_block_delta', index,
                       delta: text ? { type: 'text_delta', text: block.text }
                           : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } });
            out.push({ type: 'content_block_stop', index });
        });
        out.push({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage });
        out.push({ type: 'message_stop' });
        return out;
    },

    plain(turn, body) {
        const content = this.blocks(turn, body);
        return { id: id('msg'), type: 'message', role: 'assistant', model: body.model, content,
                 stop_reason: content[0].type === 'tool_use' ? 'tool_use' : 'end_turn',
                 stop_sequence: null, usage: { input_tokens: 100, output_tokens: 20 } };
    },
};

// ---- OpenAI ----

const openai = {
    session: (req) => req.headers['session-id'] || req.headers['session_id'] || 'one',
    isTalk: () => true,
    results: (body) => body.input.filter((item) => item.type === 'function_call_output').length,
    error: (status) => ({ error: { type: 'scripted', code: null, message: `scripted ${status}` } }),

    events(turn, body) {
        const item = turn.run
            ? { type: 'function_call', id: id('fc'), call_id: id('call'), name: 'exec_command',
                arguments: JSON.stringify({ cmd: turn.run }), status: 'completed' }
            : { type: 'message', id: id('msg'), role: 'assistant', status: 'completed',
                content: [{ type: 'output_text', text: turn.say, annotations: [] }] };
        const response = { id: id('resp'), object: 'response', model: body.model, output: [] };
        return [
            { type: 'response.created', response: { ...response, status: 'in_progress' } },
            { type: 'response.output_item.added', output_index: 0, item },
            { type: 'response.output_item.done', output_index: 0, item },
            { type: 'response.completed', response: { ...response, status: 'completed',
                output: [item], usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120,
                    input_tokens_details: { cached_tokens: 0 },
                    output_tokens_details: { reasoning_tokens: 0 } } } },
        ];
    },
};

// ---- the server ----

function send(res, api, turn, body) {
    const events = api.events(turn, body);
    if (body.stream === false || (api === anthropic && !body.stream)) {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(api.plain(turn, body)));
        return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
        res.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    res.end();
}

function mishap(res, api, what, events) {
    if (what.hang) return 'hang';
    if (what.drop) {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(`event: ${events[0].type}\ndata: ${JSON.stringify(events[0])}\n\n`);
        setTimeout(() => res.destroy(), 50);
        return 'drop';
    }
    res.writeHead(what.status, { 'content-type': 'application/json', ...what.headers });
    res.end(JSON.stringify(api.error(what.status)));
    return `status ${what.status}`;
}

function answer(req, res, text) {
    const api = req.url.includes('/v1/messages') ? anthropic
        : req.url.includes('/responses') ? openai : null;
    if (req.method !== 'POST' || !api || req.url.includes('count_tokens')) {
        res.writeHead(req.method === 'HEAD' ? 200 : 404, { 'content-type': 'application/json' });
        res.end('{}');
        return;
    }
    const body = JSON.parse(text);
    if (!api.isTalk(body)) {
        send(res, api, { say: 'ok' }, body);
        return;
    }
    const turn = turnOf(api.session(req), api.results(body));
    const what = (turn.first || []).shift();
    const done = what ? mishap(res, api, what, api.events(turn, body)) : turn.run ? 'run' : 'say';
    if (!what) send(res, api, turn, body);
    fs.appendFileSync(log, `${api === openai ? 'openai' : 'anthropic'} talk ${sessions.size} ` +
                           `results ${api.results(body)} ${done}\n`);
}

const server = http.createServer((req, res) => {
    const pieces = [];
    req.on('data', (piece) => pieces.push(piece));
    req.on('end', () => answer(req, res, Buffer.concat(pieces).toString('utf8')));
});
server.listen(0, '127.0.0.1', () => fs.writeFileSync(portFile, `${server.address().port}\n`));
