/** The files of a workspace as a crash at some place of the record would leave them. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent, RunState } from 'loopwright'
import type { Workspace } from '#src/engine/index.ts'
import type { Entry } from './recording.ts'
import { writeAll } from './victim-world.ts'

export async function leaveAsACrashWould(
  workspace: Workspace,
  entries: readonly Entry[],
  first: Readonly<Record<string, string>>,
): Promise<void> {
  const { path } = workspace
  const tree = stateAfter(entries)?.tree
  if (tree === undefined) {
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path)
    writeAll(path, first)
  } else await workspace.restore(tree)
  if (isChangingFiles(eventsOf(entries))) leaveHalfDone(path)
}

export const eventsOf = (entries: readonly Entry[]): readonly RunEvent[] =>
  entries.flatMap((entry) => {
    if (entry.type === 'created') return [entry.run.event]
    return entry.type === 'unit' ? entry.unit.events : []
  })

export function stateAfter(entries: readonly Entry[]): RunState | undefined {
  const unit = entries.findLast((entry) => entry.type === 'unit')
  return unit?.unit.state
}

/** A step that may change files has begun and left nothing yet. */
function isChangingFiles(events: readonly RunEvent[]): boolean {
  const open = new Set<string>()
  for (const event of events) {
    if (event.type === 'step-started' && event.tree !== undefined) open.add(event.step)
    if (event.type === 'step-finished' || event.type === 'step-failed') open.delete(event.step)
    if (event.type === 'step-interrupted') open.delete(event.step)
  }
  return open.size > 0
}

/** A new file, and one of which only the first half was written. */
function leaveHalfDone(path: string): void {
  writeFileSync(join(path, 'junk.tmp'), 'left by an unfinished step\n')
  const entries = readdirSync(path, { withFileTypes: true })
  const victim = entries.find((entry) => entry.isFile() && entry.name !== 'junk.tmp')
  if (victim === undefined) return
  const file = join(path, victim.name)
  const content = readFileSync(file)
  writeFileSync(file, content.subarray(0, content.length / 2))
}
