/** What goes wrong, and what people want, at moments that the seed chose beforehand. */

import type { Decision, Limits } from '#src/loop/index.ts'
import type { SeededRandom } from '#src/testing/seeded-random.ts'
import { simulatedStartMs } from '#src/testing/simulated-time.ts'
import type { Cluster } from './simulated-cluster.ts'
import type { SimulatedPerson } from './simulated-person.ts'
import type { SimulatedRun } from './simulated-ports.ts'
import type { Mishap } from './simulated-process.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export interface Disturbances {
  /** Called before each task. True when something happened. */
  tick(): boolean
}

export interface Scene {
  readonly world: SimulatedWorld
  readonly cluster: Cluster
  readonly person: SimulatedPerson
  readonly runs: readonly SimulatedRun[]
  readonly count: (what: string) => void
  /** Another process tries to drive the same run. */
  readonly rival: (run: SimulatedRun) => void
}

type Kind = (scene: Scene, random: SeededRandom) => void

interface Planned {
  readonly afterTasks: number
  readonly act: Kind
}

const crash: Kind = ({ cluster, count }, random) => {
  count('crash')
  cluster.current().process.crash(random.chance(0.6))
}

const callsMax: Readonly<Record<Mishap['at'], number>> = { statement: 25, port: 4, action: 0 }

/** Ends the process, or fails a call, at one of the next statements or calls. */
const mishap =
  (at: Mishap['at'], what: Mishap['what']): Kind =>
  ({ cluster, count }, random) => {
    count(`${what} at ${at === 'action' ? 'an' : 'a'} ${at}`)
    cluster.current().process.mishaps.push({
      at,
      what,
      after: random.between(0, callsMax[at]),
      when: random.chance(0.5) ? 'before' : 'after',
      noticed: random.chance(0.6),
    })
  }

const shutDown: Kind = ({ cluster, count }) => {
  count('shutdown')
  cluster.shutDown()
}

const freeze: Kind = ({ cluster, world, count }, random) => {
  count('freeze')
  cluster.freeze()
  // Somebody else's lane: the frozen one cannot wake itself.
  const ms = random.pick([100, 3000, 14_000, 16_000, 40_000])
  world.time.post({ name: 'alarm', state: 'running' }, ms, () => cluster.thaw())
}

const rival: Kind = ({ rival: compete, runs, count }, random) => {
  count('rival')
  compete(random.pick(runs))
}

const decision =
  (make: (random: SeededRandom) => Decision): Kind =>
  ({ person, runs }, random) => {
    void person.decide(random.pick(runs), make(random))
  }

const hinder: Kind = ({ person, count }) => {
  count('hindered person')
  person.hinder()
}

const pause = decision(() => ({ type: 'pause' }))
const resume = decision(() => ({ type: 'resume' }))
const stop = decision(() => ({ type: 'stop', reason: 'enough' }))
const cancel = decision(() => ({ type: 'cancel', reason: 'wrong' }))
const changeLimits = decision((random) => ({ type: 'change-limits', limits: newLimits(random) }))

function newLimits(random: SeededRandom): Partial<Limits> {
  return {
    ...(random.chance(0.5) ? { tokens: random.between(0, 4000) } : {}),
    ...(random.chance(0.3) ? { iterations: random.between(1, 5) } : {}),
    ...(random.chance(0.3) ? { timeMs: random.between(1, 300_000) } : {}),
    ...(random.chance(0.2) ? { deadlineAtMs: simulatedStartMs + random.between(1, 600_000) } : {}),
  }
}

/** Nothing of this may change what an exact program comes to. */
const harmless: readonly Kind[] = [
  crash,
  crash,
  crash,
  mishap('statement', 'crash'),
  mishap('statement', 'crash'),
  mishap('statement', 'crash'),
  mishap('statement', 'error'),
  mishap('port', 'error'),
  mishap('port', 'crash'),
  mishap('action', 'crash'),
  shutDown,
  rival,
  pause,
  resume,
]

const all: readonly Kind[] = [
  ...harmless,
  freeze,
  freeze,
  freeze,
  stop,
  cancel,
  changeLimits,
  pause,
  hinder,
]

export function planDisturbances(random: SeededRandom, exact: boolean, scene: Scene): Disturbances {
  const kinds = exact ? harmless : all
  const many = random.pick([0, 1, 2, 3, 3, 4, 5, 8, 12])
  const gapMax = random.pick([10, 40, 150])
  const chance = random.split()
  let at = 0
  const plan: Planned[] = Array.from({ length: many }, () => {
    at += random.between(1, gapMax)
    return { afterTasks: at, act: random.pick(kinds) }
  })
  return {
    tick() {
      let happened = false
      while (plan[0] !== undefined && plan[0].afterTasks <= scene.world.time.tasks) {
        plan.shift()?.act(scene, chance)
        happened = true
      }
      return happened
    },
  }
}
