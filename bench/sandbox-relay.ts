/**
 * What the relay costs: a server on a Unix socket, reached from inside a sandbox through the loopback,
 * beside the socket itself reached from a bare process. The same client in both, in turns: the first byte
 * of an answer on a new connection, as agents ask, and a long stream.
 */

import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { openSandbox } from 'loopwright'
import { atLeast, atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const asksEach = 200
const rounds = 5
const streamBytes = 200 * 1024 ** 2
const port = 8080

/** Asks so many times for one byte, then once for all; prints what it took in milliseconds. */
const client = `
  const net = require('net'), [where, asks] = process.argv.slice(1)
  const target = where.startsWith('/') ? { path: where } : { port: Number(where), host: '127.0.0.1' }
  const ask = (what) => new Promise((resolve, reject) => {
    const began = performance.now()
    let first = 0
    const socket = net.connect(target, () => socket.write(what)).on('error', reject)
    socket.on('data', () => { first ||= performance.now() - began })
    socket.on('close', () => resolve({ first, all: performance.now() - began }))
  })
  const main = async () => {
    for (let i = 0; i < 20; i++) await ask('1')
    const first = []
    for (let i = 0; i < Number(asks); i++) first.push((await ask('1')).first)
    console.log(JSON.stringify({ first, streamMs: (await ask('*')).all }))
  }
  main()`

interface Took {
  readonly first: readonly number[]
  readonly streamMs: number
}

export const sandboxRelay: Suite = {
  area: 'sandbox',
  title: 'a server reached through the relay beside its socket',
  async run({ scale }) {
    const sandbox = await openSandbox({ requireTier: 'strong' })
    const asks = Math.max(20, Math.round(asksEach * scale))
    const inside: Took[] = []
    const bare: Took[] = []
    await withFolder(async (workspace) => {
      const socket = join(workspace, 'server.sock')
      const server = await listen(socket)
      const commands = sandbox.commands({ workspace, gateway: { socket, port } })
      const never = new AbortController().signal
      const runInside = async (): Promise<string> => {
        const args = ['-e', client, `${port}`, `${asks}`]
        return (await commands.run({ program: 'node', args }, never)).stdout
      }
      try {
        for (let round = 0; round < rounds; round++) {
          bare.push(read(await runBare(['-e', client, socket, `${asks}`])))
          inside.push(read(await runInside()))
        }
      } finally {
        server.close()
      }
    })
    const firstOf = (all: readonly Took[]): number => median(all.flatMap(({ first }) => first))
    const rateOf = (all: readonly Took[]): number =>
      streamBytes / 1e6 / (median(all.map(({ streamMs }) => streamMs)) / 1000)
    const beside = (a: number, b: number, unit: string): string =>
      `${a.toPrecision(3)} ${unit} beside ${b.toPrecision(3)} ${unit}`
    const added = firstOf(inside) - firstOf(bare)
    const firsts = beside(firstOf(inside), firstOf(bare), 'ms')
    const rates = beside(rateOf(inside), rateOf(bare), 'MB/s')
    return [
      atMost('sandbox.relay-first-byte', added, 2, 'ms', firsts),
      atLeast('sandbox.relay-stream', rateOf(inside), 100, 'MB/s', rates),
    ]
  },
}

/** One byte for a digit, the stream for anything else. */
function listen(path: string): Promise<Server> {
  const chunk = Buffer.alloc(1024 ** 2, 'x')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (asked) => {
      if (asked.toString() === '1') return void socket.end('1')
      let left = streamBytes / chunk.length
      const more = (): void => {
        while (left-- > 0) if (!socket.write(chunk)) return void socket.once('drain', more)
        socket.end()
      }
      more()
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}

function runBare(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let stdout = ''
    child.stdout.on('data', (text: Buffer) => {
      stdout += text.toString()
    })
    child.once('error', reject)
    child.once('close', () => resolve(stdout))
  })
}

const read = (text: string): Took => JSON.parse(text) as Took
