/** A host in folders that are removed afterwards, and two small loops. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Host, type LoopType, openHost } from '../src/host/index.ts'
import { afterStory } from './after.ts'

export const folders: string[] = []
const hosts: Host[] = []

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-host-'))
  folders.push(folder)
  afterStory(cleanUp)
  return folder
}

/** In a folder that the host creates by default. */
export async function newHost(folder = join(newFolder(), 'state')): Promise<Host> {
  const host = await openHost({ folder })
  hosts.push(host)
  afterStory(cleanUp)
  return host
}

/** A process that is about to end may still remove its own files. */
const removal = { recursive: true, force: true, maxRetries: 5 } as const

/** Everything opened so far: folders are removed when no process works in them. */
async function cleanUp(): Promise<void> {
  for (const host of hosts.splice(0)) await host.close()
  for (const folder of folders.splice(0)) rmSync(folder, removal)
}

/** Appends a line to a file in each iteration, and is done when the file has enough lines. */
export const lines: LoopType<number, number, { lines: number }, number> = {
  name: 'lines',
  createContext: (goal) => goal,
  async iterate(_goal, it) {
    return it.step('append', () => {
      const file = join(it.workspace?.path ?? '', 'lines.txt')
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      writeFileSync(file, `${text}line ${it.number}\n`)
      return text.split('\n').length
    })
  },
  extractProgress: (count) => ({ lines: count }),
  until: [{ type: 'custom', name: 'enough lines', met: (progress) => progress.lines >= 4 }],
}

/** One step that ends only when the test says so. */
export const slow: LoopType<null, null, null, null> = {
  name: 'slow',
  createContext: () => null,
  async iterate(_context, it) {
    await it.step('wait', ({ signal }) =>
      new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null))))
    return null
  },
  extractProgress: () => null,
}
