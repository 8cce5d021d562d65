/** Random loop types: sequences, parallel branches, steps that fail, wait, ask, act and spend. */

import type { Limits } from '#src/loop/index.ts'
import type { SeededRandom } from '#src/testing/seeded-random.ts'
import { simulatedStartMs } from '#src/testing/simulated-time.ts'
import type { Act, Leaf, Program, ProgramNode, Until } from './program.ts'
import { type Drawing, randomWork } from './random-work.ts'

const depthMax = 3
const namesMax = 30

export function randomProgram(random: SeededRandom, exact: boolean): Program {
  const usesFiles = random.chance(0.8)
  let names = 0
  const drawing: Drawing = {
    random,
    exact,
    usesFiles,
    depth: 0,
    nextName: () => `n${++names}`,
    isLarge: () => names > namesMax,
  }
  const body = sequence(drawing, random.between(1, 4))
  return {
    name: `random-${random.between(0, 1e9)}`,
    body,
    input: randomInput(random),
    progress: random.pick(['changing', 'changing', 'growing', 'captured', 'constant']),
    until: randomUntil(drawing),
    // A large one shows in two iterations what a small one shows in four.
    limits: randomLimits(drawing, names > 12 ? 2 : 4, agentsIn(body)),
    usesFiles,
    exact,
  }
}

/** Rarely too large for a row. */
function randomInput(random: SeededRandom): Program['input'] {
  const start = random.between(0, 1000)
  return random.chance(0.02) ? { start, text: 'y'.repeat(70_000) } : { start }
}

function sequence(drawing: Drawing, length: number): ProgramNode {
  return { type: 'sequence', nodes: Array.from({ length }, () => node(drawing)) }
}

function node(drawing: Drawing): ProgramNode {
  const { random, depth, exact } = drawing
  const inner = { ...drawing, depth: depth + 1 }
  const roll = random.next()
  if (depth < depthMax && !drawing.isLarge() && roll < 0.3 - depth * 0.08) return parallel(inner)
  if (roll < 0.38) return gather(drawing)
  if (roll < 0.5) {
    const catches = random.chance(0.3) ? 'everything' : 'faults'
    return { type: 'guard', node: sequence(drawing, random.between(1, 2)), catches }
  }
  if (roll < 0.56) {
    const by = !exact && random.chance(0.5) ? 'shared' : 'value'
    return { type: 'when', by, even: leaf(drawing), odd: leaf(drawing) }
  }
  return leaf(drawing)
}

function parallel(drawing: Drawing): ProgramNode {
  const { random, exact } = drawing
  const branches = Array.from({ length: random.between(2, 3) }, () => {
    const work = sequence(drawing, random.between(1, 2))
    // Which of several failures comes first is a matter of time.
    return exact ? ({ type: 'guard', node: work, catches: 'faults' } as const) : work
  })
  return { type: 'parallel', branches }
}

function gather(drawing: Drawing): ProgramNode {
  const { random, exact } = drawing
  const nodes = Array.from({ length: random.between(2, 3) }, () => leaf(drawing))
  return { type: 'gather', nodes, wait: !exact && random.chance(0.5) ? 'all' : 'all-settled' }
}

function leaf(drawing: Drawing): Leaf {
  const { random, exact } = drawing
  const roll = random.next()
  if (roll < 0.62) return randomWork(drawing)
  const name = drawing.nextName()
  if (roll < 0.7) return { type: 'sleep', name, ms: random.pick([0, 1, 200, 3000, 30_000]) }
  if (roll < 0.78) {
    const deadlineMs = random.pick([1000, 20_000, 120_000])
    return { type: 'ask', name, options: ['a', 'b', 'c'], deadlineMs }
  }
  if (roll < 0.86) return act(drawing, name)
  if (roll < 0.92) return { type: 'check', name: random.pick(['lint', 'unit']) }
  if (roll < 0.98) {
    return { type: 'artifact', name, chars: random.chance(0.1) ? 70_000 : random.between(0, 200) }
  }
  const kind = random.chance(exact ? 0.2 : 0.4) ? 'bug' : 'fault'
  return { type: 'fail', kind, iteration: random.chance(0.7) ? random.between(1, 3) : undefined }
}

function act(drawing: Drawing, kind: string): Act {
  const { random, exact } = drawing
  return {
    type: 'act',
    kind,
    verdict: random.pick(exact ? ['allow', 'allow', 'deny'] : ['allow', 'allow', 'deny', 'ask']),
    finds: exact || random.chance(0.5) ? 'truth' : 'nothing',
    ms: random.between(0, 2000),
    fails: random.chance(0.1),
  }
}

function randomUntil(drawing: Drawing): readonly Until[] {
  const { random, exact } = drawing
  const one = (): Until => {
    const roll = random.next()
    if (roll < 0.4) return { type: 'divisible', by: random.between(2, 4) }
    if (roll < 0.55) return { type: 'max-iterations', iterations: random.between(1, 4) }
    if (roll < 0.7) return { type: 'no-progress', iterations: random.between(1, 3) }
    if (roll < 0.8) return { type: 'same-error', times: random.between(1, 2) }
    if (roll < 0.9 || exact) return { type: 'checks-pass' }
    if (roll < 0.95)
      return { type: 'deadline', atMs: simulatedStartMs + random.between(0, 300_000) }
    return { type: 'budget', tokens: random.between(0, 3000), timeMs: random.between(1, 300_000) }
  }
  return Array.from({ length: random.between(0, 2) }, () =>
    random.chance(0.15) ? { type: random.pick(['any', 'all']), of: [one(), one()] } : one(),
  )
}

/** The roles of the agents that a program may call. */
function agentsIn(part: ProgramNode): readonly string[] {
  switch (part.type) {
    case 'sequence':
    case 'gather':
      return part.nodes.flatMap(agentsIn)
    case 'parallel':
      return part.branches.flatMap(agentsIn)
    case 'guard':
      return agentsIn(part.node)
    case 'when':
      return [part.even, part.odd].flatMap(agentsIn)
    case 'work':
      return part.via === 'agent' ? [part.name] : []
    default:
      return []
  }
}

/** Small enough that every run ends soon; in exact programs only what crashes cannot change. */
function randomLimits(
  drawing: Drawing,
  iterationsMax: number,
  agents: readonly string[],
): Partial<Limits> {
  const { random, exact } = drawing
  const base = { iterations: random.between(1, iterationsMax), sameErrors: random.between(1, 3) }
  if (exact) return { ...base, tokens: 1e9, costMicros: 1e9 }
  return {
    ...base,
    ...(random.chance(0.5) ? { tokens: random.between(0, 3000) } : {}),
    ...(random.chance(0.3) ? { costMicros: random.between(0, 6000) } : {}),
    ...(random.chance(0.3) ? { timeMs: random.between(1, 120_000) } : {}),
    ...(random.chance(0.2) ? { deadlineAtMs: simulatedStartMs + random.between(1, 400_000) } : {}),
    ...(random.chance(0.2) ? { iteration: randomIterationLimits(random) } : {}),
    ...(agents.length > 0 && random.chance(0.5)
      ? { agents: { [random.pick(agents)]: randomAgentLimits(random) } }
      : {}),
  }
}

const randomIterationLimits = (random: SeededRandom): NonNullable<Limits['iteration']> => ({
  ...(random.chance(0.5) ? { tokens: random.between(0, 1500) } : {}),
  ...(random.chance(0.3) ? { costMicros: random.between(0, 3000) } : {}),
  ...(random.chance(0.5) ? { timeMs: random.between(1, 60_000) } : {}),
})

const randomAgentLimits = (random: SeededRandom): NonNullable<Limits['agents']>[string] => ({
  ...(random.chance(0.5) ? { calls: random.pick([1, 1, 2, 3]) } : {}),
  ...(random.chance(0.5) ? { tokens: random.between(0, 800) } : {}),
  ...(random.chance(0.3) ? { costMicros: random.between(0, 1500) } : {}),
})
