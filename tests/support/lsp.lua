-- SPDX-License-Identifier: Apache-2.0
--
-- lsp.lua - a person at work in Neovim, with `hone lsp`: sees a finding at its line, types above
-- it, makes the edit that a tool suggests, takes it back, and waives the finding. Neovim's own client
-- speaks; the file TMPDIR/nvim.said has a line for each check. tests/e2e/lsp.sh starts it in a
-- repository in whose main.c gcc has found one thing, in line 4.

local out = io.open(os.getenv('TMPDIR') .. '/nvim.said', 'w')
local WARN, HINT = vim.diagnostic.severity.WARN, vim.diagnostic.severity.HINT
local chosen, titles -- what the person takes of the menu, and what was in it

local function check(name, good, more)
    out:write((good and 'ok ' or 'not ok ') .. 'Neovim: ' .. name)
    out:write(good and '\n' or (': ' .. vim.inspect(more):gsub('%s+', ' ') .. '\n'))
    out:flush()
end

local function shown()
    return vim.diagnostic.get(0)
end

local function is_one(lnum, severity)
    local one = shown()[1]
    return #shown() == 1 and one.lnum == lnum and one.severity == severity
end

local function wait(true_at_last, ...)
    local args = { ... }
    return vim.wait(20000, function() return true_at_last(unpack(args)) end, 50)
end

vim.ui.select = function(items, options, take)
    titles = {}
    for i, item in ipairs(items) do
        titles[i] = options.format_item and options.format_item(item) or tostring(item)
    end
    for i, title in ipairs(titles) do
        if title:find(chosen, 1, true) then return take(items[i], i) end
    end
    take(nil, nil)
end

local function act(title)
    chosen = title
    vim.api.nvim_win_set_cursor(0, { shown()[1].lnum + 1, 6 })
    vim.lsp.buf.code_action()
end

local function is_in_line(number, text)
    local line = vim.api.nvim_buf_get_lines(0, number, number + 1, false)[1]
    return line and line:find(text, 1, true)
end

local function story()
    vim.cmd('edit main.c')
    local id = vim.lsp.start_client({
        name = 'hone', cmd = { os.getenv('HONE'), 'lsp' }, root_dir = vim.fn.getcwd(),
    })
    vim.lsp.buf_attach_client(0, id)
    if not wait(is_one, 3, WARN) then return check('a finding appears', false, shown()) end
    check('a finding appears', true)
    check('it is of hone', shown()[1].source == 'hone' and shown()[1].col == 12, shown())
    vim.api.nvim_buf_set_lines(0, 0, 0, false, { '/* é */', '' })
    check('it moves with the text', wait(is_one, 5, WARN), shown())
    act('hone: ')
    check('a code action makes the edit', wait(is_in_line, 5, '%ld'), titles)
    check('what was edited is a hint', wait(is_one, 5, HINT), shown())
    vim.cmd('silent undo')
    check('an undo brings it back', wait(is_one, 3, WARN), shown())
    act('false positive')
    check('waived, it goes', wait(function() return #shown() == 0 end), { shown(), titles })
    local client = vim.lsp.get_client_by_id(id)
    vim.lsp.stop_client(id)
    check('the server ends', wait(client.is_stopped))
end

local good, problem = pcall(story)
if not good then check('the story', false, problem) end
out:close()
vim.cmd('0cquit!')
