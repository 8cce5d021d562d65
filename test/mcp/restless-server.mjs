/**
 * An MCP server that writes to a file all the time: itself, in a thread, in a child with a separate
 * session, and in a grandchild that has lost its parent. Each adds to a file `<name>.count`, most
 * of them in a tight loop.
 */

import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

const file = fileURLToPath(import.meta.url)
const [role = 'server', name] = process.argv.slice(2)

function writeForEver(to) {
  for (;;) appendFileSync(`${to}.count`, '.')
}
const startChild = (...args) =>
  spawn(process.execPath, [file, ...args], { detached: true, stdio: 'ignore' }).unref()

if (!isMainThread) writeForEver(workerData)
else if (role === 'write') writeForEver(name)
else if (role === 'leave') {
  startChild('write', name)
  process.exit(0)
} else serve()

function serve() {
  new Worker(file, { workerData: 'thread' }).unref()
  startChild('write', 'child')
  startChild('leave', 'orphan')
  setInterval(() => appendFileSync('timer.count', '.'), 1)
  const answer = (id, result) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  const results = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'restless', version: '1' },
    }),
    'tools/list': () => ({
      tools: ['wait', 'hang'].map((tool) => ({ name: tool, inputSchema: { type: 'object' } })),
    }),
  }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    if (method !== 'tools/call') return answer(id, results[method]?.() ?? {})
    if (params.name === 'hang') return
    const { ms = 0, text = 'done' } = params.arguments
    setTimeout(() => answer(id, { content: [{ type: 'text', text }] }), ms)
  })
}
