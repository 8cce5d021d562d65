/**
 * Commands in a sandbox, run by a process of its own: as root (control groups) and as an ordinary user
 * (limits on each process), where the proof itself may choose. What they leave alive is counted.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Identity = 'root' | 'user'

const ordinaryUid = 12345
const isRoot = process.getuid?.() === 0
export const identities: readonly Identity[] = isRoot ? ['root', 'user'] : ['user']

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface JobCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly timeoutMs?: number
}

export interface JobReport {
  readonly report: {
    readonly tier: string
    readonly limits: string
    readonly durationMs: number
    readonly probes: readonly { readonly expect: string; readonly found: string }[]
  }
  readonly results: readonly {
    readonly ended: string
    readonly exitCode?: number
    readonly stdout: string
    readonly outputBytes: number
    readonly durationMs: number
    readonly exceeded?: string
  }[]
}

export interface Job {
  readonly identity: Identity
  readonly workspace: string
  readonly tag: string
  readonly child: ChildProcess
  readonly done: Promise<JobReport>
}

export interface JobPlace {
  /** Copies of what another user could not read here. */
  readonly program: string
  newWorkspace(identity: Identity): string
  start(identity: Identity, limits: object, commands: readonly JobCommand[]): Job
  remove(): void
}

export function makeJobPlace(): JobPlace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-proof-sandbox-')))
  chmodSync(folder, 0o755)
  for (const part of ['loop', 'engine', 'sandbox']) {
    cpSync(join(root, 'dist', part), join(folder, 'dist', part), { recursive: true })
  }
  writeFileSync(join(folder, 'dist', 'package.json'), '{"type":"module"}')
  const program = join(folder, 'dist', 'drive.mjs')
  cpSync(join(root, 'test', 'sandbox', 'drive.mjs'), program)
  const newWorkspace = (identity: Identity): string => {
    const workspace = join(folder, randomUUID())
    mkdirSync(workspace)
    if (isRoot && identity === 'user') chownSync(workspace, ordinaryUid, ordinaryUid)
    return workspace
  }
  return {
    program,
    newWorkspace,
    start(identity, limits, commands) {
      const workspace = newWorkspace(identity)
      const tag = `tag-${randomUUID()}`
      const job = { place: { workspace, limits, env: { TAG: tag } }, commands }
      const child = spawnAs(identity, [program, join(folder, 'dist'), JSON.stringify(job)])
      return { identity, workspace, tag, child, done: reportOf(child) }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function spawnAs(identity: Identity, args: readonly string[]): ChildProcess {
  const node = [process.execPath, ...args]
  const asUser = ['setpriv', `--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, '--clear-groups']
  const [program = '', ...rest] = isRoot && identity === 'user' ? [...asUser, ...node] : node
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', TMPDIR: tmpdir() }
  return spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

function reportOf(child: ChildProcess): Promise<JobReport> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const done = new Promise<JobReport>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      if (stdout === '') reject(new Error(`The job was not done: ${stderr.slice(-500)}`))
      else resolve(JSON.parse(stdout) as JobReport)
    })
  })
  // Whoever kills it does not wait for its report.
  done.catch(() => undefined)
  return done
}

/** Living processes that a command with this tag has started. */
export function taggedProcesses(tag: string): readonly string[] {
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/environ`).includes(tag) && !isDead(pid),
  )
}

const isDead = (pid: string): boolean => {
  const stat = read(`/proc/${pid}/stat`)
  return /^[ZX]?$/.test(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '')
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
