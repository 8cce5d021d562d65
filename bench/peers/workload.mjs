// The loop every peer runs, and the one way it is measured.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

// Libraries log where they like; stdout belongs to the one JSON line.
console.log = console.info = console.debug = console.error

export const prompt = { role: 'user', content: 'Go on until you are done.' }
export const synchronousNames = ['OFF', 'NORMAL', 'FULL', 'EXTRA']
export const expectEqual = (actual, expected, what) => assert.equal(actual, expected, what)

// A hash stream as text: the same in every run, and nothing a store can compress away.
const modelText = (i) =>
  createHash('shake256', { outputLength: 750 }).update(`model ${i}`).digest('base64')

/** One run's stubs and its clock. Starts with `start`, ends with `stop`, both called once. */
class Loop {
  #calls = 0
  #start
  #lastAt

  constructor(iterations, history, serverPid) {
    this.iterations = iterations
    this.history = history
    this.serverPid = serverPid
    this.lastFifty = Math.min(50, iterations)
  }

  start() {
    // A second start means the engine ran the loop again from the top: not the same work.
    assert.equal(this.#start, undefined, 'the loop was started twice')
    const serverCpu = this.serverPid ? treeCpuMs(this.serverPid) : 0
    this.#start = { serverCpu, wall: performance.now(), cpu: process.cpuUsage() }
  }

  /** The stub model; refuses a history that is not the whole of what went before. */
  async model(i, messages) {
    assert.equal(i, this.#calls++, 'iteration out of order')
    if (this.history) assert.equal(messages.length, 1 + 2 * i, 'history not carried')
    if (i === this.iterations - this.lastFifty) this.#lastAt = performance.now()
    return modelText(i)
  }

  async tool(i) {
    return `ok ${i}`
  }

  stop() {
    const cpu = process.cpuUsage(this.#start.cpu)
    const end = performance.now()
    const n = this.iterations
    assert.equal(this.#calls, n, 'number of model calls')
    const serverCpu = this.serverPid && treeCpuMs(this.serverPid) - this.#start.serverCpu
    this.figures = {
      cpuMsPerIteration: round((cpu.user + cpu.system) / 1000 / n),
      ...(this.serverPid && { serverCpuMsPerIteration: round(serverCpu / n) }),
      wallMsPerIteration: round((end - this.#start.wall) / n),
      lastFiftyMsPerIteration: round((end - this.#lastAt) / this.lastFifty),
      rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
    }
  }
}

/**
 * Runs one peer as its command line asks and prints the figures.
 * `run(loop, { dir, sync, server })` works in an empty `dir`, closes what it opened, and returns
 * the synchronous setting it read back, plus the bytes stored where `dir` does not say it.
 */
export async function runPeer({ name, version, store, historyKept, sync, maxIterations, ...peer }) {
  const { values } = parseArgs({
    options: {
      iterations: { type: 'string', default: '100' },
      history: { type: 'string', default: 'true' },
      sync: { type: 'string', default: sync[0].toLowerCase() },
      dir: { type: 'string' },
    },
  })
  const requested = Number(values.iterations)
  assert.ok(values.dir && readdirSync(values.dir).length === 0, '--dir must be an empty directory')
  assert.ok(Number.isSafeInteger(requested) && requested > 0, '--iterations must be positive')
  assert.ok(['true', 'false'].includes(values.history), '--history is true or false')
  const wanted = values.sync.toUpperCase()
  assert.ok(sync.includes(wanted), `${name} runs with --sync ${sync.join(' or ')} only`)
  const iterations = Math.min(requested, maxIterations ?? requested)
  const history = values.history === 'true'

  const server = await peer.start?.(join(values.dir))
  try {
    let loop
    let result
    // The first, short run only warms the process; it has a database of its own.
    for (const [folder, n] of [
      ['warm-up', Math.min(20, iterations)],
      ['run', iterations],
    ]) {
      const dir = join(values.dir, folder)
      mkdirSync(dir)
      loop = new Loop(n, history, server?.pid)
      result = await peer.run(loop, { dir, sync: wanted, server })
      // After closing, so that a write-ahead log has been folded into its database.
      result = { storageBytes: directoryBytes(dir), ...result }
    }
    expectEqual(result.sync, wanted, 'synchronous setting read back')
    const line = {
      peer: name,
      version: packageVersion(version),
      iterations,
      ...(iterations < requested && { requestedIterations: requested }),
      history,
      historyKept: history ? historyKept : 'none',
      sync: result.sync,
      ...loop.figures,
      storageBytes: result.storageBytes,
      store: typeof store === 'function' ? store(server) : store,
      node: process.versions.node,
    }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  } finally {
    await server?.stop()
  }
}

export function packageVersion(name) {
  const file = new URL(`node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).version
}

export function directoryBytes(dir) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
  return files.reduce((sum, f) => sum + (f.isFile() ? fileBytes(join(f.parentPath, f.name)) : 0), 0)
}

// A server may remove a file between the listing and the look.
const fileBytes = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** CPU of a process and its descendants, with those that have ended (in 10 ms ticks). */
function treeCpuMs(root) {
  const children = new Map()
  const ticks = new Map()
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    let stat
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    } catch {
      continue // ended since the listing
    }
    // The name in brackets may hold blanks, so count fields from its end: state is the first.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const parent = Number(fields[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(pid)])
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number)
    ticks.set(Number(pid), user + system + endedUser + endedSystem)
  }
  const sum = (pid) =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child), ticks.get(pid) ?? 0)
  return sum(root) * 10
}

const round = (x) => Number(x.toFixed(4))
