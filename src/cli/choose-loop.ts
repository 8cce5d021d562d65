/** Chooses the loop file: the named one, the only one, or the one the user picks. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { CancelledError } from './ask.ts'
import { visible } from './display/render.ts'
import type { Terminal } from './terminal.ts'

const listedMax = 20

export async function chooseLoop(
  terminal: Pick<Terminal, 'asks'>,
  named: string | undefined,
  pick: boolean,
  folder = '.',
  specs: readonly string[] = [],
): Promise<string> {
  if (named !== undefined) {
    if (pick)
      throw new LoopError('bad-request', `--pick and the file ${named} conflict; use one of them.`)
    return byName(folder, named)
  }
  const loops = loopFiles(join(folder, 'loops'))
  const [only] = loops
  if (!pick && only !== undefined && loops.length === 1) return only
  const all = [...loops, ...loopFiles(folder), ...specs]
  const listed = all.slice(0, listedMax)
  if (all.length === 0) {
    const message =
      'There is no loop file in loops/ or in this folder. Write one: loopctl init. Or name a loop file or a spec: loopctl run <file>'
    throw new LoopError('bad-request', message)
  }
  if (pick && terminal.asks) return askFor(all)
  const advice = pick ? '--pick needs a terminal. Name one' : 'Name a loop file, or pass --pick'
  throw new LoopError(
    'bad-request',
    `${advice}: loopctl run <file>. There are: ${listed.join(', ')}.`,
  )
}

/** `init two` writes loops/two.yaml, and `run two` finds it. */
export function byName(folder: string, named: string): string {
  if (/[/.]/.test(named) || existsSync(join(folder, named))) return named
  const found = ['yaml', 'yml'].map((end) => join(folder, 'loops', `${named}.${end}`))
  return found.find((file) => existsSync(file)) ?? named
}

/** By file name only; the content is checked when a file is read. */
export function loopFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() && /^(?!loopwright\.|\.).+\.(?:ya?ml|loop\.m?ts)$/.test(entry.name),
      )
      .map(({ name }) => join(folder, name))
      .toSorted()
  } catch {
    return []
  }
}

async function askFor(files: readonly string[]): Promise<string> {
  const { isCancel, select } = await import('@clack/prompts')
  const picked = await select({
    message: 'Which loop or spec?',
    options: files.map((file) => ({ value: file, label: visible(file) })),
  })
  if (isCancel(picked)) throw new CancelledError()
  return picked
}
