/**
 * An MCP server that does what no server should. How it misbehaves is its first argument; by default
 * it is well behaved, and its tools misbehave when they are called. Plain Node: it speaks JSON lines.
 */

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [mode = 'fine'] = process.argv.slice(2)
const input = { type: 'object', properties: {} }
const tool = (name, more = {}) => ({
  name,
  description: `does ${name}`,
  inputSchema: input,
  ...more,
})
const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })
/** What protocol 2026-07-28 requires in a result. */
const complete =
  mode === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}
const hang = () => undefined

/** Pages of the list, by cursor. */
const lists = {
  fine: () => ({ tools: Object.keys(calls).map((name) => tool(name, schemas[name])) }),
  'list-hang': hang,
  'list-endless': (cursor) => ({
    tools: [tool(`t${cursor ?? 0}`)],
    nextCursor: `${+(cursor ?? 0) + 1}`,
  }),
  'list-again': () => ({ tools: [tool('same')], nextCursor: 'again' }),
  'list-many': () => ({ tools: Array.from({ length: 2000 }, (_, n) => tool(`t${n}`)) }),
  'list-no-array': () => ({ tools: 'many' }),
  'list-odd': () => ({
    tools: [
      tool('good'),
      tool('good', { description: 'the second of the name' }),
      tool('with space'),
      tool('with.space'),
      tool('ünïcødé/../x'),
      tool('l'.repeat(150)),
      tool('n'.repeat(5000)),
      tool(''),
      tool('no-schema', { inputSchema: undefined }),
      tool('list-schema', { inputSchema: [] }),
      tool('text-schema', { inputSchema: { type: 'string' } }),
      tool('huge-schema', {
        inputSchema: {
          ...input,
          x: 'x'
            .repeat(3000)
            .split('')
            .map(() => 'y'.repeat(100)),
        },
      }),
      tool('huge-description', { description: 'word '.repeat(1_000_000) }),
      tool('hidden', { description: 'a\u001b[31mb\u202ec\u200bd\u{e0041}e' }),
      tool('bad-description', { description: 7 }),
      { ...tool('bad-annotations'), annotations: { readOnlyHint: 'yes' } },
      'no tool',
      null,
    ],
  }),
}

const schemas = {
  'lies-about-output': { outputSchema: output },
  'no-structured': { outputSchema: output },
  'slow-pattern': { outputSchema: { type: 'object', properties: { a: { pattern: '^(a+)+$' } } } },
}

/** Called with the id and the arguments. The return value is the result. */
const calls = {
  echo: (_, args) => text(JSON.stringify(args)),
  hang,
  die: () => process.exit(3),
  'die-loudly': () => {
    process.stderr.write('the disk is \u001b[31mfull\n')
    process.exit(1)
  },
  'lies-about-output': () => ({ ...text('x'), structuredContent: { n: 'no number' } }),
  'no-structured': () => text('only text'),
  'slow-pattern': () => ({ ...text('x'), structuredContent: { a: `${'a'.repeat(40)}!` } }),
  'no-result': () => ({ foo: 1 }),
  'bad-content': () => ({ content: 'text' }),
  'result-is-text': (id) => void send({ id, result: 'text' }),
  'no-answer-in-answer': (id) => void send({ id }),
  'error-without-code': (id) => void send({ id, error: 'broken' }),
  'error-by-protocol': (id) => void send({ id, error: { code: -32603, message: 'broken inside' } }),
  'wrong-id': () => void send({ id: 987_654, result: text('for nobody') }),
  twice: (id) => {
    send({ id, result: text('first') })
    send({ id, result: text('second') })
  },
  garbage: () => {
    process.stdout.write('starting up...\n{"half":\n[1,2]\nnull\n\u0000\u0001\n')
    return text('after garbage')
  },
  'garbage-for-ever': () => void setInterval(() => process.stdout.write('noise\n'.repeat(100)), 1),
  'long-line': () => void process.stdout.write('x'.repeat(30 * 1024 * 1024)),
  flood: () => {
    const params = { level: 'info', data: 'y'.repeat(60_000) }
    const more = () => {
      while (
        process.stdout.write(
          `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })}\n`,
        )
      );
      process.stdout.once('drain', more)
    }
    more()
  },
  deep: (id) => {
    const nested = '['.repeat(5000) + ']'.repeat(5000)
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":${nested}}}\n`)
  },
  pings: (id) => {
    for (let n = 0; n < 1000; n++) send({ id: `ping${n}`, method: 'ping' })
    send({ id, result: text('pinged') })
  },
  environment: () => text(JSON.stringify(process.env)),
  /** A child in a separate group that ignores the end of its parent. */
  child: () => {
    const code = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
    const child = spawn(process.execPath, ['-e', code], { detached: true, stdio: 'ignore' })
    return text(`${child.pid}`)
  },
  /** A child in the server's own group. */
  'near-child': () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      stdio: 'ignore',
    })
    return text(`${child.pid}`)
  },
  pid: () => text(`${process.pid}`),
  failed: () => ({ ...text('no such thing'), isError: true }),
  'cancelled-ids': () => text(JSON.stringify(cancelled)),
}
const cancelled = []

const methods = {
  'server/discover': ({ id }) => {
    if (mode !== 'modern') return send({ id, error: { code: -32601, message: 'Method not found' } })
    const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    send({ id, result: { ...result, resultType: 'complete', ttlMs: 0, cacheScope: 'private' } })
  },
  initialize: ({ id, params }) => {
    if (mode === 'modern') return send({ id, error: { code: -32601, message: 'Method not found' } })
    if (mode === 'initialize-hang') return
    if (mode === 'initialize-die') {
      process.stderr.write('TOKEN is missing: set it\n')
      process.exit(2)
    }
    const capabilities = mode === 'no-tools' ? {} : { tools: {} }
    const protocolVersion = mode === 'bad-version' ? '1999-01-01' : params.protocolVersion
    send({
      id,
      result: { protocolVersion, capabilities, serverInfo: { name: 'bad', version: '1' } },
    })
  },
  'tools/list': ({ id, params }) => {
    if (mode === 'list-die') process.exit(4)
    const result = (lists[mode] ?? lists.fine)(params?.cursor)
    if (result !== undefined) send({ id, result: { ...result, ...complete } })
  },
  'tools/call': ({ id, params }) => {
    const result = calls[params.name](id, params.arguments)
    if (result !== undefined) send({ id, result: { ...result, ...complete } })
  },
  'notifications/cancelled': ({ params }) => cancelled.push(params.requestId),
}

if (mode === 'not-mcp') process.stdout.write('Welcome! Type "help" for help.\n')
if (mode === 'stubborn') {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
}
if (mode !== 'not-mcp' && mode !== 'deaf') {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line)
    methods[message.method]?.(message)
  })
} else {
  setInterval(() => {}, 1000)
}
