/**
 * A program that watches which files of a folder are opened, and reads attributes. It is a separate process, so
 * that a crash or hang of the native package does not affect Loopwright. One process serves many watches.
 *
 * It reads one request per line from its input, writes one answer per line, and exits when its input closes.
 * Paths have one byte per character.
 */

import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Inotify, isFolderEvent, isOverflow, loadSystemCalls } from './inotify.ts'
import type { WatcherAnswer, WatcherRequest } from './watcher-protocol.ts'

interface Watch {
  readonly inotify: Inotify
  /** By their id in events. */
  readonly folders: Map<number, { readonly path: string; readonly opened: Set<string> }>
  hasOverflowed: boolean
}

/** The kernel queues 16,384 events by default. */
const drainEveryMs = 2

const watches = new Map<number, Watch>()
const calls = loadSystemCalls()
let timer: NodeJS.Timeout | undefined

const answer = (one: WatcherAnswer): void => void process.stdout.write(`${JSON.stringify(one)}\n`)

async function start(id: number, folder: string, exclude: readonly string[]): Promise<void> {
  const one: Watch = {
    inotify: (await calls).openInotify(),
    folders: new Map(),
    hasOverflowed: false,
  }
  try {
    // List all folders first, so that the listing itself is not observed.
    for (const path of listFolders(folder, new Set(exclude))) {
      const whole = path === '' ? folder : `${folder}/${path}`
      one.folders.set(one.inotify.add(toPath(whole)), { path, opened: new Set() })
    }
  } catch (error) {
    one.inotify.close()
    throw error
  }
  watches.set(id, one)
  timer ??= setInterval(drainAll, drainEveryMs)
  answer({ id, ready: true })
}

function stop(id: number): void {
  const one = watches.get(id)
  if (one === undefined) return answer({ id, failed: 'The folder is not watched.' })
  drain(one)
  one.inotify.close()
  watches.delete(id)
  if (watches.size === 0) {
    clearInterval(timer)
    timer = undefined
  }
  if (one.hasOverflowed) return answer({ id, failed: 'The event queue of the kernel overflowed.' })
  const read = [...one.folders.values()].flatMap(({ path, opened }) =>
    [...opened].map((name) => (path === '' ? name : `${path}/${name}`)),
  )
  answer({ id, read })
}

async function findOpaque(id: number, upper: string): Promise<void> {
  const { isOpaque } = await calls
  const folders = listFolders(upper, new Set())
  answer({
    id,
    opaque: folders.filter((path) => path !== '' && isOpaque(toPath(`${upper}/${path}`))),
  })
}

function drainAll(): void {
  for (const one of watches.values()) drain(one)
}

function drain(one: Watch): void {
  one.inotify.drain((event) => {
    if (isOverflow(event)) one.hasOverflowed = true
    else if (!isFolderEvent(event) && event.name !== '') {
      one.folders.get(event.folder)?.opened.add(event.name)
    }
  })
}

function listFolders(top: string, excluded: ReadonlySet<string>): readonly string[] {
  const found = ['']
  for (const folder of found) {
    const path = toPath(folder === '' ? top : `${top}/${folder}`)
    for (const entry of readdirSync(path, { withFileTypes: true, encoding: 'buffer' })) {
      if (!entry.isDirectory()) continue
      const name = entry.name.toString('latin1')
      const inner = folder === '' ? name : `${folder}/${name}`
      if (!excluded.has(inner)) found.push(inner)
    }
  }
  return found
}

const toPath = (bytes: string): Buffer => Buffer.from(bytes, 'latin1')

async function handle(line: string): Promise<void> {
  const { id, folder, exclude = [], upper } = JSON.parse(line) as WatcherRequest
  try {
    if (upper !== undefined) await findOpaque(id, upper)
    else if (folder === undefined) stop(id)
    else await start(id, folder, exclude)
  } catch (error) {
    answer({ id, failed: error instanceof Error ? error.message : String(error) })
  }
}

calls.catch(() => {})
createInterface({ input: process.stdin })
  .on('line', (line) => void handle(line))
  .on('close', () => process.exit())
