// SPDX-License-Identifier: Apache-2.0
//
// wire.js - three ways to speak with a client: the Messages API of Anthropic, the Responses API of
// OpenAI and the API of Gemini, as far as Claude Code, Codex and Gemini CLI use them.
//
//   ask = wire.read(req, text)   what a request says, or null where it is none to a model
//   wire.send(res, ask, blocks)  the answer: {say: text} and {call: name, input: {...}} in a row;
//                                of Codex's own {patch: text}, {script: text}
//   wire.mishap(res, ask, what)  or a failure: see there
//
// An ask has: api; session (the client's own id of the session, '' where it sends none) and agent
// (that of a helper inside it, '' for the main one); tools (names); texts (what users and the
// system said, oldest first) and system (the system's first words); results (texts of what tools
// gave back); turn (how often it was answered); aside (a title or a summary: no part of the talk);
// effort (how hard the model is to think, '' where nothing is said).
// The function that answers may set tokens: how many the answer says that it has read.
'use strict';

let count = 0;
const id = (prefix) => `${prefix}_${process.pid}${++count}`;
const USAGE = { in: 100, out: 20 };

function textOf(content) {
    if (typeof content === 'string') return content;
    if (Array.isArray(content)) return content.map(textOf).join('\n');
    if (!content) return '';
    return textOf(content.text ?? content.content ?? content.output ?? content.encrypted_content
        ?? '');
}

// ---- Anthropic ----

const anthropic = {
    name: 'anthropic',
    shell: (command) => ({ call: 'Bash', input: { command, description: 'scripted' } }),

    read(req, body) {
        const blocks = body.messages.flatMap((m) => (Array.isArray(m.content)
            ? m.content.map((block) => ({ ...block, role: m.role }))
            : [{ type: 'text', text: m.content, role: m.role }]));
        return {
            session: req.headers['x-claude-code-session-id'] || '',
            agent: req.headers['x-claude-code-agent-id'] || '',
            tools: (body.tools || []).map((tool) => tool.name),
            system: textOf(body.system),
            texts: blocks.filter((b) => b.type === 'text' && b.role !== 'assistant')
                .map((b) => b.text),
            results: blocks.filter((b) => b.type === 'tool_result').map((b) => textOf(b.content)),
            turn: body.messages.filter((m) => m.role === 'assistant').length,
            aside: !(body.tools || []).length,
            effort: (body.output_config || {}).effort || '',
            whole: !body.stream,
        };
    },

    error: (status) => ({ type: 'error', error: {
        type: { 401: 'authentication_error', 429: 'rate_limit_error', 529: 'overloaded_error' }[status]
            || 'invalid_request_error',
        message: `scripted ${status}` } }),

    content: (blocks) => blocks.map((block) => (block.call
        ? { type: 'tool_use', id: id('toolu'), name: block.call, input: block.input }
        : { type: 'text', text: block.say })),

    events(ask, blocks) {
        const content = this.content(blocks);
        const stop = blocks.some((block) => block.call) ? 'tool_use' : 'end_turn';
        const usage = { input_tokens: ask.tokens || USAGE.in, output_tokens: USAGE.out };
        const out = [{ type: 'message_start', message: {
            id: id('msg'), type: 'message', role: 'assistant', model: ask.model, content: [],
            stop_reason: null, stop_sequence: null, usage } }];
        content.forEach((block, index) => {
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

    whole(ask, blocks) {
        return { id: id('msg'), type: 'message', role: 'assistant', model: ask.model,
                 content: this.content(blocks), stop_sequence: null,
                 stop_reason: blocks.some((block) => block.call) ? 'tool_use' : 'end_turn',
                 usage: { input_tokens: USAGE.in, output_tokens: USAGE.out } };
    },
};

// ---- OpenAI ----

// Items of one answer stand in a row.
function answers(items) {
    const ours = items.map((item) => item.role === 'assistant' || /_call$/.test(item.type || ''));
    return ours.filter((our, index) => our && !ours[index - 1]).length;
}

const threadOf = (req) => req.headers['thread-id'] || req.headers['session-id'] || 'one';

const openai = {
    name: 'openai',
    shell: (command) => ({ call: 'exec_command', input: { cmd: command } }),

    read(req, body) {
        const messages = body.input.filter((item) => /^(agent_)?message$/.test(item.type || 'message'));
        const more = body.input.filter((item) => item.type === 'additional_tools');
        return {
            session: req.headers['session-id'] || req.headers['session_id'] || '',
            agent: req.headers['x-openai-subagent'] ? threadOf(req) : '',
            tools: [...(body.tools || []), ...more.flatMap((item) => item.tools || [])]
                .map((tool) => tool.name || tool.type),
            system: textOf(body.instructions),
            texts: messages.filter((m) => m.role !== 'assistant').map((m) => textOf(m.content)),
            results: body.input.filter((item) => /_output$/.test(item.type || ''))
                .map((item) => textOf(item.output)),
            turn: answers(body.input),
            aside: false,
            effort: (body.reasoning || {}).effort || '',
            whole: body.stream === false,
        };
    },

    error: (status) => ({ error: { type: 'scripted', code: null, message: `scripted ${status}` } }),

    freeform: (block) => ({ type: 'custom_tool_call', id: id('ctc'), call_id: id('call'),
                            ...(block.script ? { name: 'exec', namespace: 'functions' }
                                : { name: 'apply_patch' }),
                            input: block.script || block.patch, status: 'completed' }),

    events(ask, blocks) {
        const items = blocks.map((block) => (block.script || block.patch ? this.freeform(block) : block.call
            ? { type: 'function_call', id: id('fc'), call_id: id('call'), name: block.call,
                ...(block.namespace && { namespace: block.namespace }),
                arguments: JSON.stringify(block.input), status: 'completed' }
            : { type: 'message', id: id('msg'), role: 'assistant', status: 'completed',
                content: [{ type: 'output_text', text: block.say, annotations: [] }] }));
        const response = { id: id('resp'), object: 'response', model: ask.model, output: [] };
        return [
            { type: 'response.created', response: { ...response, status: 'in_progress' } },
            ...items.flatMap((item, index) => [
                { type: 'response.output_item.added', output_index: index, item },
                { type: 'response.output_item.done', output_index: index, item }]),
            { type: 'response.completed', response: { ...response, status: 'completed',
                output: items, usage: { input_tokens: ask.tokens || USAGE.in,
                    output_tokens: USAGE.out, total_tokens: (ask.tokens || USAGE.in) + USAGE.out,
                    input_tokens_details: { cached_tokens: 0 },
                    output_tokens_details: { reasoning_tokens: 0 } } } },
        ];
    },

    whole(ask, blocks) {
        return this.events(ask, blocks).at(-1).response;
    },
};

// Newer models write a script that calls the shell, or applies a patch.
const scripting = {
    ...openai,
    shell: (command) => ({ script: `text(await tools.exec_command({ cmd: ${
        JSON.stringify(command)} }));` }),
    freeform: (block) => openai.freeform(block.script ? block
        : { script: `text(await tools.apply_patch(${JSON.stringify(block.patch)}));` }),
};

// ---- Gemini ----

const gemini = {
    name: 'gemini',
    shell: (command) => ({ call: 'run_shell_command', input: { command, description: 'scripted' } }),

    read(req, body) {
        const parts = body.contents.flatMap((content) => (content.parts || [])
            .map((part) => ({ ...part, role: content.role })));
        return {
            session: '',
            agent: '',
            tools: (body.tools || []).flatMap((tool) => tool.functionDeclarations || [])
                .map((tool) => tool.name),
            system: textOf((body.systemInstruction || {}).parts),
            texts: parts.filter((part) => part.text && part.role !== 'model').map((part) => part.text),
            results: parts.filter((part) => part.functionResponse)
                .map((part) => JSON.stringify(part.functionResponse.response)),
            turn: body.contents.filter((content) => content.role === 'model').length,
            aside: !(body.tools || []).length,
            whole: !req.url.includes('streamGenerateContent'),
        };
    },

    error: (status) => ({ error: { code: status, status: 'SCRIPTED', message: `scripted ${status}` } }),

    whole(ask, blocks) {
        return { responseId: id('gen'), modelVersion: ask.model,
                 candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model',
                     parts: blocks.map((block) => (block.call
                         ? { functionCall: { id: id('call'), name: block.call, args: block.input } }
                         : { text: block.say })) } }],
                 usageMetadata: { promptTokenCount: USAGE.in, candidatesTokenCount: USAGE.out,
                     totalTokenCount: USAGE.in + USAGE.out } };
    },

    events(ask, blocks) {
        return [this.whole(ask, blocks)];
    },
};

// ---- all of them ----

function apiOf(url) {
    if (url.includes('count_tokens') || url.includes(':countTokens')) return null;
    if (url.includes('/v1/messages')) return anthropic;
    if (url.includes('/responses')) return openai;
    return /:(stream)?generateContent/i.test(url) ? gemini : null;
}

function read(req, text) {
    const api = req.method === 'POST' ? apiOf(req.url) : null;
    if (!api) return null;
    const body = JSON.parse(text);
    const model = body.model || (/models\/([^:]+):/.exec(req.url) || [])[1];
    const ask = { api, model, ...api.read(req, body) };
    if (ask.tools.includes('collaboration')) ask.api = scripting;
    return ask;
}

function frame(event) {
    return `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
}

function send(res, ask, blocks) {
    if (ask.whole) {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(ask.api.whole(ask, blocks)));
        return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of ask.api.events(ask, blocks)) res.write(frame(event));
    res.end();
}

// {"status": 529, "headers": {...}}; {"drop": true}: the stream breaks off behind its first event;
// {"hang": true}: no answer ever. Returns the word for it.
function mishap(res, ask, what) {
    if (what.hang) return 'hang';
    if (what.drop) {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(frame(ask.api.events(ask, [{ say: 'never said' }])[0]));
        setTimeout(() => res.destroy(), 50);
        return 'drop';
    }
    res.writeHead(what.status, { 'content-type': 'application/json', ...what.headers });
    res.end(JSON.stringify(ask.api.error(what.status)));
    return `status ${what.status}`;
}

// serve PORT_FILE ANSWER: on loopback; ANSWER(ask, res) is called for each request to a model.
function serve(portFile, answer) {
    const fs = require('fs');
    const server = require('http').createServer((req, res) => {
        const pieces = [];
        req.on('data', (piece) => pieces.push(piece));
        req.on('end', () => {
            const ask = read(req, Buffer.concat(pieces).toString('utf8'));
            if (ask) {
                answer(ask, res);
            } else {
                res.writeHead(req.method === 'HEAD' ? 200 : 404, { 'content-type': 'application/json' });
                res.end('{}');
            }
        });
    });
    server.listen(0, '127.0.0.1', () => {
        fs.writeFileSync(`${portFile}.new`, `${server.address().port}\n`);
        fs.renameSync(`${portFile}.new`, portFile);
    });
}

module.exports = { serve, send, mishap };
