/** A run that escalates: its files and its tests are in memory, and each iteration does what a plan says. */

import type { Check, Escalation } from '../../src/engine/index.ts'
import { defaultThresholds, type Fault, FaultError, type TreeId } from '../../src/loop/index.ts'
import {
  createWorld,
  loopOf,
  type MemoryWorkspace,
  memoryWorkspace,
  type World,
  type WorldOptions,
} from './fixture.ts'

export const always: Escalation = {
  thresholds: defaultThresholds,
  when: 'triggered',
  deadlineMs: 60_000,
}

/** What one iteration does. */
export interface Turn {
  /** Files that it writes. */
  readonly files?: Readonly<Record<string, string>>
  /** How many tests then pass and fail. Default: as before. */
  readonly tests?: readonly [passed: number, failed: number]
  readonly fault?: Fault
}

export interface Scene {
  readonly world: World
  readonly loop: ReturnType<typeof createLoop>
  readonly workspace: MemoryWorkspace
}

/** `turns`: by iteration, the last one repeated. Its tests decide when it is complete. */
export function createScene(
  turns: readonly Turn[],
  { escalation = always, ...parts }: WorldOptions = {},
): Scene {
  const workspace = withChanges(memoryWorkspace({ 'a.ts': 'base' }))
  let tests: readonly [number, number] = [0, 3]
  const check: Check = Object.assign(
    async () => {
      const [passed, failed] = tests
      const status = failed === 0 ? ('met' as const) : ('not-met' as const)
      return { status, output: `${failed} failed`, counts: { passed, failed, skipped: 0 } }
    },
    { fingerprint: 'tests' },
  )
  const play = (iteration: number): void => {
    const turn = turns[Math.min(iteration, turns.length) - 1] ?? {}
    for (const [path, text] of Object.entries(turn.files ?? {})) workspace.files.set(path, text)
    tests = turn.tests ?? tests
    if (turn.fault !== undefined) throw new FaultError(turn.fault)
  }
  const world = createWorld({
    workspace,
    checks: { test: check },
    escalation,
    ...parts,
  })
  return { world, workspace, loop: createLoop(play) }
}

export const createLoop = (
  play: (iteration: number) => void,
  until: Parameters<typeof loopOf<string>>[1] = {},
) =>
  loopOf<string>(
    async (_previous, it) => {
      const told = (await it.guidance()).map(({ text }) => text).join()
      await it.step('work', () => play(it.number), { retry: { attempts: 1 } })
      return `${it.number} ${told}`
    },
    { until: [{ type: 'checks-pass' }], ...until },
  )

/** A workspace that knows what differs between two trees. */
export function withChanges(workspace: MemoryWorkspace): MemoryWorkspace {
  const read = (tree: TreeId): ReadonlyMap<string, string> => new Map(workspace.trees.get(tree))
  return {
    ...workspace,
    async changes(before, after) {
      const [one, other] = [read(before), read(after)]
      const paths = new Set([...one.keys(), ...other.keys()])
      return [...paths].filter((path) => one.get(path) !== other.get(path))
    },
  }
}
