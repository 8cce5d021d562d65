// Shared by the tests of the sandbox. They use the real bubblewrap, as an ordinary user and, if the tests run
// as root, as root too.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { Command, CommandResult } from '../../src/engine/index.ts'
import type {
  ObservationReport,
  SandboxOptions,
  SandboxReport,
  SandboxSpec,
} from '../../src/sandbox/index.ts'
import { afterFile } from '../after.ts'

const runFile = promisify(execFile)

type StdioOption = 'ignore' | 'pipe' | 'inherit' | number

const built = resolve(import.meta.dirname, '../../dist')
const ordinaryUid = 12345

export type Identity = 'root' | 'user'
const isRoot = process.getuid?.() === 0
/** Only the current user, unless the tests run as root. */
export const identities: readonly Identity[] = isRoot ? ['root', 'user'] : ['user']

export const never: AbortSignal = new AbortController().signal

/** A folder that belongs to the user, inside one that every user may enter. */
export async function newFolder(identity: Identity = isRoot ? 'root' : 'user'): Promise<string> {
  const outer = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-sandbox-')))
  onTestFinished(() => remove(outer))
  await chmod(outer, 0o755)
  const folder = join(outer, 'own')
  await mkdir(folder)
  if (isRoot && identity === 'user') await chown(folder, ordinaryUid, ordinaryUid)
  return folder
}

/** Node cannot remove folders that are too deep for a path, or unreadable. */
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
  readonly place?: SandboxSpec
  readonly commands?: readonly Command[]
  /** Run all commands concurrently. */
  readonly together?: boolean
  /** A folder whose reads are observed. */
  readonly watch?: string
  /** A folder in which to detect what can be observed. */
  readonly observes?: string
}

export interface JobResult {
  readonly report: SandboxReport
  readonly results: readonly CommandResult[]
  /** Absent: reads were not observed. */
  readonly read?: readonly string[]
  readonly observes?: ObservationReport
  /** Of the process that ran the job. */
  readonly pid: number
}

export interface DriverOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Additional descriptors that the process inherits. */
  readonly descriptors?: Readonly<Record<number, number>>
}

/** Starts a process that runs the job as the given user. */
export async function startDriver(
  identity: Identity,
  job: Job,
  options: DriverOptions = {},
): Promise<ChildProcess> {
  const { env = {}, descriptors = {} } = options
  const last = Math.max(2, ...Object.keys(descriptors).map(Number))
  const stdio = Array.from({ length: last + 1 }, (_, index) =>
    index === 0 ? 'ignore' : index < 3 ? 'pipe' : (descriptors[index] ?? 'ignore'),
  )
  const child = await spawnDriver(identity, [JSON.stringify(job)], { env, stdio })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function spawnDriver(
  identity: Identity,
  more: readonly string[],
  { env, stdio }: { readonly env: NodeJS.ProcessEnv; readonly stdio: readonly StdioOption[] },
): Promise<ChildProcess> {
  const dist = await copyDist()
  const node = [process.execPath, join(dist, 'drive.mjs'), dist, ...more]
  const asUser = ['setpriv', `--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, '--clear-groups']
  const [program = '', ...args] = isRoot && identity === 'user' ? [...asUser, ...node] : node
  return spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', TMPDIR: tmpdir(), ...env },
    stdio: [...stdio],
  })
}

/** Runs the job in an existing process, unless the process matters. */
export async function drive(
  identity: Identity,
  job: Job,
  options: DriverOptions = {},
): Promise<JobResult> {
  const isPlain = job.options === undefined && job.observes === undefined
  if (isPlain && job.commands !== undefined && Object.keys(options).length === 0) {
    return driveWarm(identity, job)
  }
  return driveApart(identity, job, options)
}

/** Runs the job in a separate process. */
async function driveApart(
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
  if (stdout === '') throw new Error(`The job failed: ${stderr}`)
  return { ...(JSON.parse(stdout) as JobResult), pid: child.pid ?? 0 }
}

interface WarmDriver {
  readonly child: ChildProcess
  readonly answers: AsyncIterator<string>
  /** When the jobs so far have ended. */
  last: Promise<unknown>
}

const drivers = new Map<Identity, Promise<WarmDriver>>()

async function driveWarm(identity: Identity, job: Job): Promise<JobResult> {
  const started = drivers.get(identity) ?? startWarm(identity)
  drivers.set(identity, started)
  const driver = await started
  const answer = driver.last.then(async () => {
    driver.child.stdin?.write(`${JSON.stringify(job)}\n`)
    return driver.answers.next()
  })
  driver.last = answer
  const { done = false, value } = await answer
  const result = done ? { error: 'the driver has ended' } : (JSON.parse(value) as object)
  if ('error' in result) throw new Error(`The job failed: ${String(result.error)}`)
  return { ...(result as JobResult), pid: driver.child.pid ?? 0 }
}

async function startWarm(identity: Identity): Promise<WarmDriver> {
  const child = await spawnDriver(identity, [], { env: {}, stdio: ['pipe', 'pipe', 'inherit'] })
  afterFile(() => {
    drivers.delete(identity)
    child.kill('SIGKILL')
  })
  if (child.stdout === null) throw new Error('The driver has no output.')
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, answers, last: Promise.resolve() }
}

let copy: Promise<string> | undefined

/** Copies the built code, because another user may not be able to read the checkout. */
function copyDist(): Promise<string> {
  copy ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loopwright-dist-'))
    afterFile(async () => {
      copy = undefined
      await rm(folder, { recursive: true, force: true })
    })
    const modules = join(folder, 'node_modules')
    await mkdir(modules)
    const parts = ['loop', 'system', 'engine', 'sandbox'].map((part) => join(built, part))
    const names = ['ffi-rs', '@yuuang', 'zod'].map((name) => join(built, '../node_modules', name))
    // The program takes a tenth of the time that Node takes.
    await runFile('cp', ['-R', '--preserve=mode', ...names, modules])
    const driver = join(import.meta.dirname, 'drive.mjs')
    await runFile('cp', ['-R', '--preserve=mode', ...parts, driver, folder])
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await chmod(folder, 0o755)
    return folder
  })()
  return copy
}

/** To be put in the environment of a command, which all its processes inherit. */
export const newTag = (): string => `tag-${randomUUID()}`

/** The living processes with the tag in their environment. */
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

/** The remaining control groups that a process created. */
export function listGroups(pid: number): readonly string[] {
  const roots = read('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '')
  return roots
    .flatMap(listFolders)
    .filter((path) => new RegExp(`loopwright\\.\\d+\\.${pid}\\.[^/]*$`).test(path))
}

/** Folders of other processes may disappear meanwhile. */
function listFolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .flatMap((path) => [path, ...listFolders(path)])
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

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10)
}

export const readLines = async (file: string): Promise<readonly string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
