/**
 * Loaded into a daemon before its own code: every call by which it changes the world becomes a place at
 * which it can be killed. The product has no part in it.
 *
 *   LOOPWRIGHT_PROOF='{ "kill": { "site": "sql.commit", "phase": "after", "occurrence": 3 } }'
 */

import childProcess from 'node:child_process'
import fs from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'

interface Job {
  readonly kill?: {
    readonly site: string
    readonly phase: 'before' | 'after'
    readonly occurrence: number
  }
  /** Fills the disk that this file is on, when that place is reached so often. */
  readonly fill?: { readonly site: string; readonly occurrence: number; readonly file: string }
  /** How often each place was reached is written there when the process is told SIGUSR2. */
  readonly counts?: string
}

const job = JSON.parse(process.env['LOOPWRIGHT_PROOF'] ?? '{}') as Job
delete process.env['LOOPWRIGHT_PROOF']
const counts = new Map<string, number>()
const writeFileSync = fs.writeFileSync.bind(fs)

function reach(site: string, phase: 'before' | 'after', occurrence: number): void {
  const { kill } = job
  if (kill?.site !== site || kill.phase !== phase || kill.occurrence !== occurrence) return
  process.kill(process.pid, 'SIGKILL')
  // The signal comes at once; nothing may happen until then.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
}

const [openSync, writeSync, closeSync] = [fs.openSync, fs.writeSync, fs.closeSync]

/** To the last byte. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 4)) {
    try {
      for (;;) writeSync(descriptor, Buffer.alloc(size))
    } catch {
      // A smaller piece may still fit.
    }
  }
  closeSync(descriptor)
}

function begin(site: string): number {
  const occurrence = (counts.get(site) ?? 0) + 1
  counts.set(site, occurrence)
  if (job.fill?.site === site && job.fill.occurrence === occurrence) fill(job.fill.file)
  reach(site, 'before', occurrence)
  return occurrence
}

/** A method in whose place one is put that tells of each call. */
function watch(
  target: object,
  name: string,
  siteOf: (self: unknown, args: readonly unknown[]) => string | undefined,
): void {
  const real: unknown = Reflect.get(target, name)
  if (typeof real !== 'function') return
  function watched(this: unknown, ...args: unknown[]): unknown {
    const site = siteOf(this, args)
    const call = (): unknown => Reflect.apply(real as () => unknown, this, args)
    if (site === undefined) return call()
    const occurrence = begin(site)
    const result = call()
    if (!(result instanceof Promise)) {
      reach(site, 'after', occurrence)
      return result
    }
    return result.then((value: unknown) => {
      reach(site, 'after', occurrence)
      return value
    })
  }
  Reflect.set(target, name, Object.assign(watched, real))
}

const onFiles = 'appendFile copyFile link mkdir rename rm rmdir symlink truncate unlink writeFile'
for (const name of onFiles.split(' ')) {
  watch(fs.promises, name, () => `file.${name}`)
  watch(fs, `${name}Sync`, () => `file.${name}`)
}
watch(fs, 'writeSync', () => 'file.write')
watch(fs, 'fsyncSync', () => 'file.sync')

const handle = await fs.promises.open(process.execPath)
const handles: object = Object.getPrototypeOf(handle)
await handle.close()
for (const name of ['write', 'writeFile', 'sync', 'datasync']) {
  watch(handles, name, () => `file.${name}`)
}

/** Git by what it is told to do. */
function programOf(args: readonly unknown[]): string {
  const { file = '', args: argv = [] } = (args[0] ?? {}) as { file?: string; args?: string[] }
  const program = basename(file)
  if (program !== 'git') return `spawn.${program}`
  const isOption = (before: string | undefined): boolean => before === '-C' || before === '-c'
  const words = argv.slice(1)
  const verb = words.find((word, at) => /^[a-z]/.test(word) && !isOption(words[at - 1]))
  return `spawn.git-${verb ?? ''}`
}
watch(childProcess.ChildProcess.prototype, 'spawn', (_self, args) => programOf(args))
syncBuiltinESMExports()

const changing = /^\s*(begin|commit|insert|update|delete|create|alter|savepoint|release)\b/i

/** `INSERT INTO events …` is `insert-events`. */
function statementSite(sql: string): string | undefined {
  if (!changing.test(sql)) return undefined
  const [verb = '', object = ''] = sql
    .trim()
    .toLowerCase()
    .replaceAll(/ (or|replace|ignore|into|from|table|immediate|unit|if|not|exists)\b/g, ' ')
    .split(/[\s(;]+/)
  const isNamed = ['insert', 'update', 'delete', 'create'].includes(verb)
  return `sql.${isNamed ? `${verb}-${object}` : verb}`
}

interface Statement {
  run(...values: unknown[]): unknown
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown
}

interface Store {
  exec(sql: string): void
  prepare(sql: string): Statement
}

/** In the place of the driver that the product will load. */
function watchStore(name: string): void {
  const load = createRequire(import.meta.url)
  const path = load.resolve(name)
  const driver = load(name) as { readonly DatabaseSync: new (path: string) => Store }
  class WatchedStore extends driver.DatabaseSync {
    override exec(sql: string): void {
      told(sql, () => super.exec(sql))
    }
    override prepare(sql: string): Statement {
      const real = super.prepare(sql)
      if (statementSite(sql) === undefined) return real
      return {
        run: (...values) => told(sql, () => real.run(...values)),
        get: (...values) => told(sql, () => real.get(...values)),
        all: (...values) => told(sql, () => real.all(...values)),
      }
    }
  }
  const cached = load.cache[path]
  if (cached === undefined) throw new Error('The driver cannot be watched.')
  cached.exports = { ...driver, DatabaseSync: WatchedStore }
}

function told<T>(sql: string, call: () => T): T {
  const site = statementSite(sql)
  if (site === undefined) return call()
  const occurrence = begin(site)
  const result = call()
  reach(site, 'after', occurrence)
  return result
}

watchStore('@photostructure/sqlite')

process.on('SIGUSR2', () => {
  if (job.counts !== undefined) writeFileSync(job.counts, JSON.stringify([...counts]))
})
