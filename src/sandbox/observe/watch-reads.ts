/**
 * Which files below a folder are opened, by any process and through any mount: observed from outside with
 * inotify, so nothing inside a sandbox can prevent or see it.
 *
 * 1. Only folders that are there at the start are watched. A file that was created later is not reported.
 * 2. All or nothing: where something may have been missed, the answer is undefined and not a shorter list.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { WatcherAnswer, WatcherRequest } from './watcher-protocol.ts'

export interface ReadWatch {
  /** Files that were opened, from the top of the folder, sorted. Undefined: they could not be observed. */
  stop(): Promise<readonly string[] | undefined>
  /** Why they cannot be observed. */
  readonly problem?: string
}

export interface WatchReadsOptions {
  /** Folders that are not watched, from the top. */
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
  if (process.platform !== 'linux') return unavailable('Reads can be observed on Linux only.')
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
        .then((last) => ('read' in last ? last.read.map(toShown).toSorted() : undefined))
      return stopped
    },
  }
}

/**
 * Folders of an upper layer that were removed and created again: they hide all that the lower layer has there.
 * From the top, one byte in each character. Undefined: unknown.
 */
export async function findOpaque(upper: string): Promise<readonly string[] | undefined> {
  if (process.platform !== 'linux') return undefined
  current ??= startWatcher()
  const answer = await current.ask({ id: ++lastId, upper: toBytes(upper) })
  return 'opaque' in answer ? answer.opaque : undefined
}

const unavailable = (problem: string): ReadWatch => ({ stop: async () => undefined, problem })

const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** As trees are listed: bytes that are not UTF-8 as `\xff`. */
function toShown(bytes: string): string {
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
    hold(child, waiting.size > 0)
  }
  const end = (): void => {
    if (current === watcher) current = undefined
    for (const id of waiting.keys()) settle({ id, failed: ended })
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
        const isGone = child.exitCode !== null || child.signalCode !== null
        if (isGone || child.pid === undefined) return resolve({ id, failed: ended })
        // A watcher that does not answer is not used again.
        const timer = setTimeout(() => child.kill('SIGKILL'), answerMs)
        waiting.set(id, (answer) => {
          clearTimeout(timer)
          resolve(answer)
        })
        hold(child, true)
        child.stdin.write(`${JSON.stringify(request)}\n`)
      }),
  }
  return watcher
}

const ended = 'The process that watches reads ended.'

/** While it only waits for the next watch, it does not keep this process from ending. */
function hold(child: Child, isNeeded: boolean): void {
  for (const one of [child, child.stdin, child.stdout]) {
    const held = one as { ref?(): void; unref?(): void }
    if (isNeeded) held.ref?.()
    else held.unref?.()
  }
}

/** Always the built one. Running from the sources, as tests do, it is in `dist/`: build first. */
function programFile(own: string = import.meta.url): string {
  const built = own.endsWith('.ts') ? own.replace(/\/src\/(?!.*\/src\/)/, '/dist/') : own
  return fileURLToPath(new URL('./read-watcher.js', built))
}
