// SPDX-License-Identifier: Apache-2.0
//
// lsp.js MODULES HONE ROOT RECORD - a session as VS Code has it with `hone lsp`, by VS Code's own
// packages: the capabilities are those that vscode-languageclient computes, the connection is that
// of vscode-languageserver-protocol. ROOT has a run that found "a defect is left" in notes.txt:2 and,
// grave, "it leaks" in main.c:3. What this client sends goes to RECORD, a line each, with words in
// the place of what differs from run to run: tests/e2e/lsp.sh plays it again without npm.

'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const Module = require('module');
const path = require('path');

const [modules, hone, root, record] = process.argv.slice(2);
const from = Module.createRequire(path.join(modules, 'package.json'));
const sent = [];
let failed = 0;

function check(name, good, more) {
    console.log(`${good ? 'ok' : 'not ok'} VS Code: ${name}${good ? '' : ': ' + JSON.stringify(more)}`);
    if (!good) failed = 1;
}

// An editor's API of which nothing is used: every member is there, can be called and extended.
function nothing(name) {
    const base = function () {};
    const proxy = new Proxy(base, {
        get(target, key) {
            if (key === 'prototype') return target.prototype;
            if (key === Symbol.toPrimitive) return () => name;
            if (key === 'then') return undefined;
            if (key === 'version') return '1.95.0';
            if (!(key in target)) target[key] = nothing(`${name}.${String(key)}`);
            return target[key];
        },
        apply: () => nothing(`${name}()`),
        construct: (target, args, made) =>
            made === proxy ? nothing(`new ${name}`) : Reflect.construct(target, args, made),
    });
    return proxy;
}

function capabilities() {
    const load = Module._load;
    Module._load = function (request, ...rest) {
        return request === 'vscode' ? nothing('vscode') : load.call(this, request, ...rest);
    };
    const { LanguageClient } = from('vscode-languageclient/node');
    const client = new LanguageClient('hone', 'hone', { command: hone, args: ['lsp'] },
        { documentSelector: [{ scheme: 'file' }] });
    return client.computeClientCapabilities();
}

function connect() {
    const lsp = from('vscode-languageserver-protocol/node');
    const server = spawn(hone, ['lsp', '--stdio'], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
    const writer = new lsp.StreamMessageWriter(server.stdin);
    const write = writer.write.bind(writer);
    writer.write = (message) => {
        sent.push(message);
        return write(message);
    };
    const connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), writer);
    return { connection, server };
}

// What was published last, by address; and a wait for something to be so.
const published = new Map();
async function until(name, holds) {
    for (let i = 0; i < 400 && !holds(); i++) await new Promise((go) => setTimeout(go, 50));
    check(name, holds(), [...published]);
}
const shown = (uri) => published.get(uri) ?? [];

async function session() {
    const uri = `file://${root}`, notes = `${uri}/notes.txt`, main = `${uri}/main.c`;
    const { connection, server } = connect();
    const ended = new Promise((go) => server.on('exit', (code) => go(code)));
    let asked = 0;

    connection.onNotification('textDocument/publishDiagnostics', (params) =>
        published.set(params.uri, params.diagnostics));
    connection.onRequest('window/showMessageRequest', (params) => {
        asked++;
        return params.actions[0];
    });
    connection.onRequest('window/workDoneProgress/create', () => null);
    connection.listen();

    const answer = await connection.sendRequest('initialize', {
        processId: process.pid, clientInfo: { name: 'Visual Studio Code', version: '1.95.0' },
        locale: 'en', rootPath: root, rootUri: uri, capabilities: capabilities(), trace: 'off',
        workspaceFolders: [{ uri, name: 'work' }],
    });
    check('initialize', answer.capabilities.positionEncoding === 'utf-16', answer);
    check('it is told, and need not ask', !answer.capabilities.diagnosticProvider, answer);
    await connection.sendNotification('initialized', {});
    await until('findings of files that are not open', () =>
        shown(notes).length === 1 && shown(main).length === 1);
    check('a warning and an error', shown(notes)[0].severity === 2 && shown(main)[0].severity === 1,
        [...published]);

    const text = fs.readFileSync(path.join(root, 'notes.txt'), 'utf8');
    await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri: notes, languageId: 'plaintext', version: 1, text },
    });
    await connection.sendNotification('textDocument/didChange', {
        textDocument: { uri: notes, version: 2 },
        contentChanges: [{
            range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
            rangeLength: 0, text: 'a \u{1f600} face\n',
        }],
    });
    await until('a finding moves down', () => shown(notes)[0]?.range.start.line === 2);
    await connection.sendNotification('textDocument/didChange', {
        textDocument: { uri: notes, version: 3 },
        contentChanges: [{
            range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
            rangeLength: 10, text: '',
        }],
    });
    await until('and up again', () => shown(notes)[0]?.range.start.line === 1);

    for (const [at, reason] of [[notes, 'false positive'], [main, 'accepted']]) {
        const diagnostic = shown(at)[0];
        const actions = await connection.sendRequest('textDocument/codeAction', {
            textDocument: { uri: at }, range: diagnostic.range,
            context: { diagnostics: [diagnostic], triggerKind: 1 },
        });
        const action = actions.find((one) => one.title.endsWith(reason));
        check(`it can be waived: ${reason}`, action && action.diagnostics.length === 1, actions);
        await connection.sendRequest('workspace/executeCommand', {
            command: action.command.command, arguments: action.command.arguments,
        });
        await until(`waived, it goes: ${reason}`, () => shown(at).length === 0);
    }
    check('only the grave one was asked about', asked === 1, asked);
    await connection.sendNotification('textDocument/didClose', { textDocument: { uri: notes } });
    await connection.sendRequest('shutdown');
    await connection.sendNotification('exit');
    check('the server ends with 0', (await ended) === 0, await ended);
    connection.dispose();
}

session().catch((problem) => check('the session', false, String(problem.stack))).then(() => {
    const run = /"run":"([^"]*)"/.exec(JSON.stringify(sent))?.[1] ?? 'none';
    const lines = sent.map((message) => JSON.stringify(message)
        .replaceAll(root, '@ROOT@').replaceAll(run, '@RUN@')
        .replace(/"processId":\d+/, '"processId":null'));
    fs.writeFileSync(record, lines.join('\n') + '\n');
    process.exit(failed);
});
