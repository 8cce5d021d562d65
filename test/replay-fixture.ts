/** A loop from a function, and a replay held against its record. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  describeDifference,
  type Host,
  type Iteration,
  type LoopType,
  type ReplayResult,
  type RunParts,
} from '../src/host/index.ts'

export type Work = LoopType<unknown, unknown, unknown, unknown>

export const loopOf = (iterate: (it: Iteration) => Promise<unknown>): Work => ({
  name: 'work',
  createContext: () => null,
  iterate: (_context, it) => iterate(it),
  extractProgress: (result) => result ?? null,
})

export const append = (it: Iteration, line: string): Promise<unknown> =>
  it.step(`append ${it.number}`, () => {
    const file = join(it.workspace?.path ?? '', 'log.txt')
    writeFileSync(file, `${existsSync(file) ? readFileSync(file, 'utf8') : ''}${line}\n`)
  })

export interface Replayed extends ReplayResult {
  readonly run: string
  readonly workspace: string | undefined
}

export async function replay(
  host: Host,
  run: string,
  loop: Work,
  parts: RunParts = {},
): Promise<Replayed> {
  const again = await host.replay(run)
  const handle = await again.start(loop, parts)
  await handle.done
  const result = await again.result(handle.id)
  return { ...result, run: handle.id, workspace: again.workspace }
}

export const words = ({ difference }: ReplayResult): string =>
  difference === undefined ? 'same' : describeDifference(difference)
