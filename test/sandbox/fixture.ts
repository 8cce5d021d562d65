// What the stories about the sandbox share. They use real bubblewrap, as root (where the tests are) and
// as an ordinary user.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Command, CommandResult } from '../../src/engine/index.ts'
import type {
  ObservationReport,
  SandboxOptions,
  SandboxPlace,
  SandboxReport,
} from '../../src/sandbox/index.ts'
import { afterFile } from '../after.ts'

const built = resolve(import.meta.dirname, '../../dist')
const ordinaryUid = 12345

export type Identity = 'root' | 'user'
const isRoot = process.getuid?.() === 0
/** Without root, only ourselves. */
export const identities: readonly Identity[] = isRoot ? ['root', 'user'] : ['user']

export const never: AbortSignal = new AbortController().signal

/** A folder that everybody may enter, with one inside that belongs to the user. */
export async function newFolder(identity: Identity = isRoot ? 'root' : 'user'): Promise<string> {
  const outer = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-sandbox-')))
  onTestFinished(() => remove(outer))
  await chmod(outer, 0o755)
  const folder = join(outer, 'own')
  await mkdir(folder)
  if (isRoot && identity === 'user') await chown(folder, ordinaryUid, ordinaryUid)
  return folder
}

/** Node does not remove what is deeper than a path can say, nor what was made unreadable. */
async function remove(folder: string): Promise<void> {
  for (const [program, ...args] of [
    ['chmod', '-R', 'u+rwX', folder],
    ['rm', '-rf', folder],
  ] as const) {
    await new Promise((done) => spawn(program, args, { stdio: 'ignore' }).once('close', done))
  }
}

export interface Job {
  readonly options?: SandboxOptions
  readonly place?: SandboxPlace
  readonly commands?: readonly Command[]
  /** All at once, and not one after the other. */
  readonly together?: boolean
  /** A folder of which it is observed what they read. */
  readonly watch?: string
  /** A folder in which it is tried what can be observed. */
  readonly observes?: string
}

export interface JobResult {
  readonly report: SandboxReport
  readonly results: readonly CommandResult[]
  /** Absent: it was not observed, or could not be. */
  readonly read?: readonly string[]
  readonly observes?: ObservationReport
  /** Of the process that did it. */
  readonly pid: number
}

export interface DriverOptions {
  readonly env?: Readonly<Record<string, string>>
  /** More files that the process inherits. */
  readonly descriptors?: Readonly<Record<number, number>>
}

/** A process that does the job, as somebody. */
export async function startDriver(
  identity: Identity,
  job: Job,
  options: DriverOptions = {},
): Promise<ChildProcess> {
  const dist = await copied()
  const node = [process.execPath, join(dist, 'drive.mjs'), dist, JSON.stringify(job)]
  const asUser = ['setpriv', `--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, '--clear-groups']
  const [program = '', ...args] = isRoot && identity === 'user' ? [...asUser, ...node] : node
  const { descriptors = {} } = options
  const last = Math.max(2, ...Object.keys(descriptors).map(Number))
  const stdio = Array.from({ length: last + 1 }, (_, index) =>
    index === 0 ? 'ignore' : index < 3 ? 'pipe' : (descriptors[index] ?? 'ignore'),
  )
  const child = spawn(program, args, {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      TMPDIR: tmpdir(),
      ...options.env,
    },
    stdio: [...stdio],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

export async function drive(
  identity: Identity,
  job: Job,
  options: DriverOptions = {},
): Promise<JobResult> {
  const child = await startDriver(identity, job, options)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  await new Promise((done) => child.once('close', done))
  if (stdout === '') throw new Error(`The job was not done: ${stderr}`)
  return { ...(JSON.parse(stdout) as JobResult), pid: child.pid ?? 0 }
}

let copy: Promise<string> | undefined

/** The checkout may be where another user cannot read. */
function copied(): Promise<string> {
  copy ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loopwright-dist-'))
    afterFile(async () => {
      copy = undefined
      await rm(folder, { recursive: true, force: true })
    })
    for (const part of ['loop', 'system', 'engine', 'sandbox']) {
      await cp(join(built, part), join(folder, part), { recursive: true })
    }
    for (const name of ['ffi-rs', '@yuuang', 'zod']) {
      const inner = join('node_modules', name)
      await cp(join(built, '..', inner), join(folder, inner), { recursive: true })
    }
    await cp(join(import.meta.dirname, 'drive.mjs'), join(folder, 'drive.mjs'))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await chmod(folder, 0o755)
    return folder
  })()
  return copy
}

/** Something in the environment of all that a command starts. */
export const newTag = (): string => `tag-${randomUUID()}`

/** Living processes that carry the tag. */
export function taggedProcesses(tag: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).includes(tag) && !isZombie(pid))
    .map(Number)
}

const isZombie = (pid: string): boolean => {
  const stat = read(`/proc/${pid}/stat`)
  return /^[ZX]?$/.test(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '')
}

/** Control groups that a process made and that are still there. */
export function groupsOf(pid: number): readonly string[] {
  const roots = read('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '')
  return roots
    .flatMap(foldersBelow)
    .filter((path) => new RegExp(`loopwright\\.\\d+\\.${pid}\\.[^/]*$`).test(path))
}

/** Those of others come and go meanwhile. */
function foldersBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .flatMap((path) => [path, ...foldersBelow(path)])
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(10)
}

export const linesOf = async (file: string): Promise<readonly string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
