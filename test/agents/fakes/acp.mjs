// An agent that speaks ACP version 1 on the wire: JSON-RPC, one message per line. No SDK. The first
// argument selects its behavior; the second, if given, is the kind of its tool.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [mode = 'honest', kind = 'edit'] = process.argv.slice(2)
const sessionId = 'session-1'
const asked = new Map()
const chosen = {}
let cwd = ''
let nextId = 100
let isAuthenticated = false
let isCancelled = false

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answer = (id, result) => send({ id, result })
const fail = (id, code, message, data) => send({ id, error: { code, message, data } })
const update = (value) => send({ method: 'session/update', params: { sessionId, update: value } })
const say = (text) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const never = () => new Promise(() => setInterval(() => {}, 1000))

function ask(method, params) {
  const id = nextId++
  send({ id, method, params })
  return new Promise((done) => asked.set(id, done))
}

async function useTool(toolCallId, title, work) {
  const named = kind === 'none' ? {} : { kind }
  update({ sessionUpdate: 'tool_call', toolCallId, title, ...named, status: 'pending' })
  const { result } = await ask('session/request_permission', {
    sessionId,
    toolCall: { toolCallId, title },
    options: [
      { optionId: 'yes-always', name: 'Always', kind: 'allow_always' },
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  })
  chosen[toolCallId] = result?.outcome
  const isAllowed = result?.outcome?.optionId === 'yes'
  if (isAllowed) work()
  const status = isAllowed ? 'completed' : 'failed'
  update({ sessionUpdate: 'tool_call_update', toolCallId, status })
  return isAllowed
}

/** Writes the prompt to a file. */
async function honest(prompt) {
  update({
    sessionUpdate: 'agent_thought_chunk',
    content: { type: 'text', text: 'secret thought' },
  })
  say('I will write ')
  say('the file.')
  update({
    sessionUpdate: 'plan',
    entries: [
      { content: 'look', priority: 'medium', status: 'completed' },
      { content: 'write', priority: 'medium', status: 'in_progress' },
    ],
  })
  update({
    sessionUpdate: 'usage_update',
    used: 10,
    size: 100,
    cost: { amount: 9, currency: 'USD' },
  })
  update({ sessionUpdate: 'something_new', anything: 1 })
  const isDone = await useTool('call-1', 'Write out.txt', () =>
    writeFileSync(join(cwd, 'out.txt'), prompt),
  )
  say(isDone ? 'The file is written.' : 'I was not allowed to.')
  return 'end_turn'
}

const prompts = {
  honest,
  status: async () => {
    say('I cannot.\nSTATUS: blocked')
    return 'end_turn'
  },
  tokens: async () => 'max_tokens',
  turns: async () => 'max_turn_requests',
  refusal: async () => 'refusal',
  'cancels-itself': async () => 'cancelled',
  'no-words': async () => 'end_turn',
  'odd-stop': async () => 'all_good',
  'no-stop': async () => undefined,
  /** Is refused, and then does something that is allowed. */
  'another-way': async () => {
    await useTool('call-1', 'Run tests', () => {})
    update({ sessionUpdate: 'tool_call', toolCallId: 'call-2', title: 'Read', kind: 'read' })
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'call-2', status: 'completed' })
    say('Done in another way.')
    return 'end_turn'
  },
  /** Requests what we do not offer, and reports the answer. */
  'wants-more': async () => {
    const answers = [
      await ask('fs/read_text_file', { sessionId, path: '/etc/passwd' }),
      await ask('terminal/create', { sessionId, command: 'id' }),
      await ask('elicitation/create', { sessionId, message: 'your password?' }),
      await ask('_made/up', {}),
      await ask('session/request_permission', { sessionId, options: 'none' }),
    ]
    say(answers.map(({ error }) => error?.code).join(' '))
    return 'end_turn'
  },
  dies: async () => {
    console.error('the model said something terrible')
    process.exit(3)
  },
  'dies-by-signal': async () => process.kill(process.pid, 'SIGKILL'),
  noise: async (prompt) => {
    for (let line = 0; line < 20; line++) process.stdout.write(`log line ${line}\n`)
    process.stdout.write('{"jsonrpc":"2.0"}\n{"half":\n[]\n\u0000\u0001\n')
    send({ id: 999, result: {} })
    send({ method: 'session/update' })
    send({ method: 'session/update', params: { update: { sessionUpdate: 'tool_call' } } })
    send({ method: 'session/update', params: { update: { sessionUpdate: 'plan', entries: [7] } } })
    return honest(prompt)
  },
  garbage: async () => {
    for (;;) {
      process.stdout.write(`${'garbage '.repeat(10)}\n`.repeat(100))
      await sleep(1)
    }
  },
  'huge-line': async () => {
    const piece = 'x'.repeat(1024 * 1024)
    for (let megabytes = 0; megabytes < 40; megabytes++) {
      if (!process.stdout.write(piece)) await new Promise((r) => process.stdout.once('drain', r))
    }
    return never()
  },
  deep: async (prompt) => {
    process.stdout.write(`{"jsonrpc":"2.0","method":"session/update","params":${'['.repeat(1e6)}\n`)
    process.stdout.write(
      `{"jsonrpc":"2.0","method":"session/update","params":${'['.repeat(1e5)}${']'.repeat(1e5)}}\n`,
    )
    return honest(prompt)
  },
  flood: async () => {
    const content = { type: 'text', text: 'x'.repeat(64 * 1024) }
    const params = { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } }
    const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`
    for (;;) {
      if (!process.stdout.write(line)) await new Promise((r) => process.stdout.once('drain', r))
    }
  },
  'asks-and-never-reads': async () => {
    process.stdin.pause()
    const text = 'x'.repeat(1000)
    for (;;) {
      send({ id: nextId++, method: `_${text}`, params: {} })
      if (process.stdout.writableNeedDrain)
        await new Promise((r) => process.stdout.once('drain', r))
    }
  },
  silent: never,
  'silent-after-words': async () => {
    say('I am on it.')
    return never()
  },
  /** Ignores every request to end, and so does its child. */
  stubborn: async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
    spawn(
      process.execPath,
      ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"],
      {
        detached: true,
        stdio: 'ignore',
      },
    )
    say('I stay.')
    return never()
  },
  /** Stops when asked to, and reports what it was answered in the meantime. */
  polite: async () => {
    say('I work.')
    while (!isCancelled) await sleep(5)
    const { result } = await ask('session/request_permission', {
      sessionId,
      toolCall: { toolCallId: 'late', title: 'Late', kind: 'read' },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    })
    writeFileSync(join(cwd, 'cancelled.txt'), result.outcome.outcome)
    return 'cancelled'
  },
  /** Stops when asked to, and does what the next prompt says. */
  steered: async (prompt) => {
    if (isCancelled) return honest(prompt)
    await useTool('call-0', 'Look around', () => {})
    while (!isCancelled) await sleep(5)
    const { result } = await ask('session/request_permission', {
      sessionId,
      toolCall: { toolCallId: 'late', title: 'Late', kind: 'read' },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    })
    return result.outcome.outcome
  },
  secret: async () => {
    say(`The key is ${process.env.MY_API_KEY}. \u001b[31mred\u001b[0m`)
    return 'end_turn'
  },
  chosen: async () => {
    await useTool('call-1', 'Do it', () => {})
    say(JSON.stringify({ ...chosen, cwd }))
    return 'end_turn'
  },
}

const methods = {
  initialize(id, params) {
    chosen.initialize = params
    if (mode === 'mute') return
    if (mode === 'version-2') return answer(id, { protocolVersion: 2 })
    if (mode === 'odd-handshake') return answer(id, 'hello')
    answer(id, {
      protocolVersion: 1,
      agentCapabilities: {},
      authMethods: [{ id: 'api-key', name: 'Use an API key' }],
    })
  },
  authenticate(id, { methodId }) {
    isAuthenticated = methodId === 'api-key' && mode !== 'never-authenticated'
    if (isAuthenticated) answer(id, {})
    else fail(id, -32000, 'Authentication required')
  },
  'session/new'(id, params) {
    cwd = params.cwd
    chosen.mcpServers = params.mcpServers
    const needsLogin = mode === 'login' || mode === 'never-authenticated'
    if (needsLogin && !isAuthenticated) return fail(id, -32000, 'Authentication required')
    const options = [{ value: 'm1', name: 'M1' }]
    const model = { id: 'the-model', name: 'Model', category: 'model', type: 'select', options }
    answer(id, { sessionId, ...(mode === 'no-models' ? {} : { configOptions: [model] }) })
  },
  'session/set_mode'(id, { modeId }) {
    chosen.mode = modeId
    answer(id, {})
  },
  'session/set_title'(id, { title }) {
    if (mode === 'no-titles') return fail(id, -32601, 'Method not found')
    chosen.title = title
    answer(id, {})
  },
  'session/set_config_option'(id, { configId, value }) {
    chosen.model = `${configId}=${value}`
    answer(id, { configOptions: [] })
  },
  async 'session/prompt'(id, { prompt }) {
    if (mode === 'rate-limited') return fail(id, 429, 'Quota exceeded', { details: 'try later' })
    if (mode === 'failed') return fail(id, -32603, 'Internal error', { details: 'no idea' })
    if (mode === 'login-later') return fail(id, -32000, 'Authentication required')
    if (mode === 'no-answer') return send({ id })
    const stopReason = await (prompts[mode] ?? honest)(prompt[0].text)
    answer(id, { stopReason })
    if (mode === 'twice') {
      answer(id, { stopReason: 'refusal' })
      fail(id, -32603, 'and once more')
    }
  },
  'session/cancel'() {
    isCancelled = true
  },
}

if (mode === 'dies-at-once') {
  console.error('no such option: --acp')
  process.exit(1)
}
if (mode === 'talks-first') process.stdout.write('Welcome to the agent!\n')
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params, ...rest } = JSON.parse(line)
    if (method !== undefined) void methods[method]?.(id, params)
    else asked.get(id)?.(rest)
  })
  // A process that ignores the end of its input has to be killed.
  .on('close', () => (mode === 'stubborn' ? undefined : process.exit(0)))
