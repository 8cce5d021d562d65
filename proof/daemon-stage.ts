/** A record with something in it to attack, and the daemon on it. */

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LoopType, openHost, previewLoop, trustLoop } from 'loopwright'
import { type DaemonProcess, type ProcessOptions, startProcess } from './daemon-process.ts'

export interface Stage {
  readonly folder: string
  readonly daemon: DaemonProcess
  /** One that could be resumed, cancelled, and so on. */
  readonly run: string
  /** A loop file that may be run at once. */
  readonly file: string
  /** Changes with whatever changes on record. */
  fingerprint(): Promise<string>
  close(): Promise<void>
}

const script = `name: quick
workspace: work
prompt: Go.
agent: { command: [sh, -c, 'echo yes > done.txt'] }
checks: { done: 'test -f done.txt' }
limits: { iterations: 2 }
certify: { teeth: false }
`

const waiting: LoopType<null, null, null, null> = {
  name: 'waiting',
  createContext: () => null,
  async iterate(_context, it) {
    await it.step('wait', ({ signal }) =>
      new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null))))
    return null
  },
  extractProgress: () => null,
}

export interface StageOptions extends ProcessOptions {
  /** Before it starts; gives what its environment has besides. */
  prepare?(folder: string): NodeJS.ProcessEnv
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  const state = join(folder, 'state')
  const file = join(folder, 'quick.yaml')
  mkdirSync(join(folder, 'work'))
  writeFileSync(file, script)
  const run = await leaveRun(state)
  await trustLoop(await previewLoop(file, state), state)
  const { prepare, env, ...how } = options
  const daemon = await startProcess(state, { ...how, env: { ...env, ...prepare?.(folder) } })
  return {
    folder,
    daemon,
    run,
    file,
    fingerprint: () => fingerprint(join(state, 'journal.db')),
    async close() {
      await daemon.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Suspended, so nobody works on it. */
async function leaveRun(state: string): Promise<string> {
  const host = await openHost({ folder: state })
  try {
    const handle = await host.start(waiting, { input: null, name: 'left-here' })
    handle.shutDown({ now: true })
    await handle.done
    return handle.id
  } finally {
    await host.close()
  }
}

type Database = typeof import('../src/journal/database.ts')

/** Of every row of every table. */
async function fingerprint(path: string): Promise<string> {
  const at = new URL('../../dist/journal/database.js', import.meta.url).href
  const { openDatabase } = (await import(at)) as Database
  const database = openDatabase(path, 'FULL')
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all() as readonly { readonly name: string }[]
    const hash = createHash('sha256')
    for (const { name } of tables) {
      const rows = database.prepare(`SELECT * FROM "${name}"`).all()
      hash.update(`${name} ${JSON.stringify(rows)}\n`)
    }
    return hash.digest('hex')
  } finally {
    database.close()
  }
}
