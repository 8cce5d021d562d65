/**
 * Observes which files below a folder are opened, by any process and through any mount. inotify works from
 * outside the sandbox, so processes inside can neither prevent nor see it.
 *
 * 1. Only folders that exist at the start are watched. A file that is created later is not reported.
 * 2. All or nothing: if an event may have been missed, the result is undefined and not a shorter list.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { WatcherAnswer, WatcherRequest } from './watcher-protocol.ts'

export interface ReadWatch {
  /** The opened files, relative to the folder, sorted. Undefined if they could not be observed. */
  stop(): Promise<readonly string[] | undefined>
  /** Why reads cannot be observed. */
  readonly problem?: string
}

export interface WatchReadsOptions {
  /** Folders that are not watched, relative to the folder. */
  readonly exclude?: readonly string[]
}

type Child = ChildProcessByStdio<Writable, Readable, null>

interface Watcher {
  ask(request: WatcherRequest): Promise<WatcherAnswer>
}

const answerMs = 30_000

let current: Watcher | undefined
let lastId = 0

export async function watchReads(
  folder: string,
  { exclude = [] }: WatchReadsOptions = {},
): Promise<ReadWatch> {
  if (process.platform !== 'linux') return unavailable('Observing reads needs Linux.')
  const id = ++lastId
  current ??= startWatcher()
  const watcher = current
  const request = { id, folder: toBytes(folder), exclude: exclude.map(toBytes) }
  const answer = await watcher.ask(request)
  if ('failed' in answer) return unavailable(answer.failed)
  let stopped: Promise<readonly string[] | undefined> | undefined
  return {
    stop() {
      stopped ??= watcher
        .ask({ id })
        .then((last) => ('read' in last ? last.read.map(toDisplayPath).toSorted() : undefined))
      return stopped
    },
  }
}

/**
 * Finds the folders of an upper layer that were deleted and created again, which hide the lower layer.
 * Relative to `upper`, one byte per character. Undefined: unknown.
 */
export async function findOpaqueFolders(upper: string): Promise<readonly string[] | undefined> {
  if (process.platform !== 'linux') return undefined
  current ??= startWatcher()
  const answer = await current.ask({ id: ++lastId, upper: toBytes(upper) })
  return 'opaque' in answer ? answer.opaque : undefined
}

const unavailable = (problem: string): ReadWatch => ({ stop: async () => undefined, problem })

const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Like tree listings: bytes that are not UTF-8 are written as `\xff`. */
function toDisplayPath(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1')
  const text = buffer.toString('utf8')
  if (Buffer.from(text, 'utf8').equals(buffer)) return text
  return bytes.replaceAll(
    /[^ -~]/g,
    (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

function startWatcher(): Watcher {
  const waiting = new Map<number, (answer: WatcherAnswer) => void>()
  const child: Child = spawn(process.execPath, [programFile()], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const settle = (answer: WatcherAnswer): void => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
    setReferenced(child, waiting.size > 0)
  }
  const end = (): void => {
    if (current === watcher) current = undefined
    for (const id of waiting.keys()) settle({ id, failed: watcherEnded })
  }
  child.on('error', end).on('exit', end)
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) =>
    settle(JSON.parse(line) as WatcherAnswer),
  )
  const watcher: Watcher = {
    ask: (request) =>
      new Promise((resolve) => {
        const { id } = request
        const hasExited = child.exitCode !== null || child.signalCode !== null
        if (hasExited || child.pid === undefined) return resolve({ id, failed: watcherEnded })
        // A watcher that does not answer is not used again.
        const timer = setTimeout(() => child.kill('SIGKILL'), answerMs)
        waiting.set(id, (answer) => {
          clearTimeout(timer)
          resolve(answer)
        })
        setReferenced(child, true)
        child.stdin.write(`${JSON.stringify(request)}\n`)
      }),
  }
  return watcher
}

const watcherEnded = 'The process that watches reads ended.'

/** An idle watcher does not keep this process from exiting. */
function setReferenced(child: Child, isNeeded: boolean): void {
  for (const one of [child, child.stdin, child.stdout]) {
    const handle = one as { ref?(): void; unref?(): void }
    if (isNeeded) handle.ref?.()
    else handle.unref?.()
  }
}

/** Always the built file, even when running from sources as tests do: build first. */
function programFile(own: string = import.meta.url): string {
  const built = own.endsWith('.ts') ? own.replace(/\/src\/(?!.*\/src\/)/, '/dist/') : own
  return fileURLToPath(new URL('./read-watcher.js', built))
}
