/**
 * Many runs in one daemon: 500 at work at once, whose agents wait, and 1,000 that a crash left for the
 * next one to take up.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadLoop, openHost, previewLoop, trustLoop } from 'loopwright'
import { toLoopType } from '#src/launch/to-loop-type.ts'
import { atMost, median, type Suite } from './report.ts'

const program = fileURLToPath(new URL('../../dist/daemon/loopd.js', import.meta.url))
const startMsMax = 120_000

interface Running {
  readonly pid: number
  readonly readyMs: number
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  stop(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly text: string
}

async function startDaemon(state: string, args: readonly string[]): Promise<Running> {
  const began = performance.now()
  const child = spawn(process.execPath, [program, '--state', state, '--port', '0', ...args], {
    env: { PATH: process.env['PATH'], HOME: state, USER: 'bench' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('loopd listens on')) resolve()
    })
    child.once('close', (code) => reject(new Error(`loopd ended with ${code}`)))
  })
  const file = readFileSync(join(state, 'daemon', 'daemon.json'), 'utf8')
  const { socket } = JSON.parse(file) as { socket: string }
  const token = readFileSync(join(state, 'daemon', 'token'), 'utf8').trim()
  const ask: Running['ask'] = (method, path, body) => askOn(socket, token, method, path, body)
  while ((await ask('GET', '/ready')).status !== 200) await sleep(10)
  return {
    pid: child.pid ?? 0,
    readyMs: performance.now() - began,
    ask,
    stop: () => stopChild(child),
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  await Promise.race([ended, sleep(60_000, undefined, { ref: false })])
  child.kill('SIGKILL')
}

function askOn(
  socketPath: string,
  token: string,
  method: string,
  path: string,
  body: unknown,
): Promise<Answer> {
  const content = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    host: 'localhost',
    authorization: `Bearer ${token}`,
    ...(content === undefined ? {} : { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(content)
  })
}

async function inFolder<T>(work: (base: string) => Promise<T>): Promise<T> {
  const base = mkdtempSync(join(tmpdir(), 'loopwright-bench-'))
  try {
    return await work(base)
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

async function layOut(base: string): Promise<{ state: string; file: string }> {
  const [state, file] = [join(base, 'state'), join(base, 'loop.yaml')]
  mkdirSync(state, { mode: 0o700 })
  writeFileSync(
    file,
    'prompt: Wait.\nagent: { command: [sleep, "3600"] }\nchecks: { yes: "true" }\n',
  )
  await trustLoop(await previewLoop(file, state), state)
  return { state, file }
}

function newWorkspace(base: string, number: number): string {
  const workspace = join(base, 'work', String(number))
  mkdirSync(workspace, { recursive: true })
  return workspace
}

interface Live {
  readonly runs: number
  readonly megabytes: number
  readonly beforeMegabytes: number
  readonly timesMs: readonly number[]
}

export async function measureLive(runs: number, note: (text: string) => void): Promise<Live> {
  return inFolder(async (base) => {
    const { state, file } = await layOut(base)
    const daemon = await startDaemon(state, ['--max-concurrent-runs', String(runs)])
    try {
      const beforeMegabytes = residentMegabytes(daemon.pid)
      const ids: string[] = []
      for (let number = 1; number <= runs; number++) {
        const workspace = newWorkspace(base, number)
        const made = await daemon.ask('POST', '/runs', { file, workspace, attended: true })
        if (made.status !== 201) throw new Error(made.text)
        ids.push((JSON.parse(made.text) as { run: { id: string } }).run.id)
      }
      note(`  ${runs} accepted`)
      await untilAtWork(daemon, runs)
      note('  all at work')
      await sleep(3000)
      const timesMs = await measureAnswers(daemon, ids)
      return { runs, megabytes: residentMegabytes(daemon.pid), beforeMegabytes, timesMs }
    } finally {
      await daemon.stop()
    }
  })
}

async function untilAtWork(daemon: Running, runs: number): Promise<void> {
  const began = Date.now()
  const pathOf = `/runs?status=running&limit=${Math.min(runs, 500)}`
  for (;;) {
    const { text } = await daemon.ask('GET', pathOf)
    const { items } = JSON.parse(text) as { items: readonly unknown[] }
    if (items.length >= Math.min(runs, 500)) return
    if (Date.now() - began > startMsMax + runs * 2000) throw new Error('They do not start.')
    await sleep(500)
  }
}

async function measureAnswers(daemon: Running, ids: readonly string[]): Promise<readonly number[]> {
  const timesMs: number[] = []
  for (let turn = 0; turn < 300; turn++) {
    const id = ids[(turn * 37) % ids.length] ?? ''
    const paths = ['/runs?limit=50', `/runs/${id}`, '/queue', '/daemon', `/runs/${id}/steps`]
    const began = performance.now()
    const { status } = await daemon.ask('GET', paths[turn % paths.length] ?? '/health')
    if (status !== 200) throw new Error(`${paths[turn % paths.length]}: ${status}`)
    timesMs.push(performance.now() - began)
    await sleep(5)
  }
  return timesMs
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** In the queue of a record that nobody works on. */
export async function measureReady(runs: number): Promise<number> {
  return inFolder(async (base) => {
    const { state, file } = await layOut(base)
    const host = await openHost({ folder: state, synchronous: 'NORMAL' })
    const loaded = await loadLoop(file, { folder: state })
    const loop = await toLoopType(loaded)
    for (let number = 1; number <= runs; number++) {
      const workspace = newWorkspace(base, number)
      const row = {
        priority: 0,
        queuedAtMs: number,
        request: { attended: true },
        tries: 0,
        workspace,
      }
      const { input, source } = loaded
      await host.create(loop, { input, source, workspace, queue: { row } })
    }
    await host.close()
    const times: number[] = []
    for (let turn = 0; turn < 3; turn++) {
      const daemon = await startDaemon(state, [])
      times.push(daemon.readyMs)
      await daemon.stop()
    }
    return median(times)
  })
}

const liveWanted = 500
const unfinishedWanted = 1000

export const daemonLive: Suite = {
  area: 'daemon',
  title: '500 runs at work at once, and 1,000 that are taken up again',
  async run({ scale, note }) {
    const live = await measureLive(Math.max(1, Math.round(liveWanted * scale)), note)
    const unfinished = Math.max(1, Math.round(unfinishedWanted * scale))
    const readyMs = await measureReady(unfinished)
    const sorted = live.timesMs.toSorted((a, b) => a - b)
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0
    const grown = live.megabytes - live.beforeMegabytes
    const detail = `${live.runs} runs, ${(grown / live.runs).toFixed(2)} MB each`
    const middle = `median ${median(sorted).toFixed(1)} ms of ${sorted.length}`
    return [
      atMost('daemon.live-memory', live.megabytes, 1024, 'MB', detail),
      atMost('daemon.live-api', p95, 50, 'ms p95', middle),
      atMost('daemon.ready', readyMs, 2000, 'ms', `${unfinished} unfinished runs, median of 3`),
    ]
  },
}
