/** One run from its creation to its end, by whoever keeps it going: processes come and go. */

import { createRun, forkRun, type Ports } from '#src/engine/index.ts'
import { isLoopError } from '#src/loop/index.ts'
import { changeFiles, pickCheckpoint, removeFiles } from './meddle.ts'
import type { AttemptEnd, Cluster } from './simulated-cluster.ts'
import type { SimulatedPerson } from './simulated-person.ts'
import { equip, type SimulatedRun } from './simulated-ports.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export interface StoryOptions {
  readonly world: SimulatedWorld
  readonly cluster: Cluster
  readonly person: SimulatedPerson
  readonly violate: (reason: string) => void
  readonly sleep: (ms: number) => Promise<void>
  readonly sabotage: (ports: Ports) => Ports
}

const attemptsMax = 300

export async function tellStory(run: SimulatedRun, options: StoryOptions): Promise<void> {
  for (let attempts = 0; attempts < attemptsMax; ) {
    const end = await nextAttempt(run, options)
    if (end.type === 'ended') return
    // While somebody else drives it there is nothing to do.
    const isBusy = end.type === 'rejected' && isLoopError(end.error, 'run-busy')
    if (!isBusy) attempts++
    await between(run, end, options)
  }
  options.violate(`E9: it did not end in ${attemptsMax} attempts`)
}

/** E10. What was acknowledged is there; what was not is there completely, or not at all. */
export async function createStory(run: SimulatedRun, options: StoryOptions): Promise<void> {
  const { cluster, world, violate } = options
  const { id, program, files } = run
  while (true) {
    const { process } = cluster.current()
    const { loop, ports: honest } = equip(world, process, run)
    const ports = options.sabotage(honest)
    const workspace = files === undefined ? {} : { workspace: files.path }
    const named = { id, name: id, ...workspace }
    const { input, limits } = program
    const { forkOf } = run
    const created =
      forkOf === undefined
        ? createRun(loop, ports, { ...named, input, limits })
        : forkRun(loop, ports, { ...named, from: forkOf.run, iteration: forkOf.iteration })
    const work = created.then(
      () => 'created',
      (error: unknown) => error,
    )
    const end = await Promise.race([work, process.gone])
    const row = world.database.prepare('SELECT id FROM runs WHERE id = ?').get(id)
    run.watch.sync()
    const [first] = run.watch.log.events
    if ((row === undefined) !== (first === undefined)) violate('E10: there is half a run')
    if (end === 'created' && row === undefined) violate('E10: an acknowledged run is not there')
    if (row !== undefined) return
    if (end !== 'crashed' && end !== 'frozen' && !isLoopError(end, 'store-failed')) {
      violate(`it was not created: ${String(end)}`)
      return
    }
  }
}

async function nextAttempt(run: SimulatedRun, options: StoryOptions): Promise<AttemptEnd> {
  const { cluster, world } = options
  const { random } = world
  if (random.chance(0.05)) await cluster.settle(run)
  return cluster.attempt(cluster.current(), run, random.chance(0.03))
}

async function between(run: SimulatedRun, end: AttemptEnd, options: StoryOptions): Promise<void> {
  const { world, person, sleep } = options
  const { random } = world
  run.watch.sync()
  if (end.type === 'rejected') await sleep(random.between(500, 8000))
  if (!run.program.exact && random.chance(0.05)) {
    await options.cluster.rewind(run, pickCheckpoint(run, random))
  }
  if (end.type !== 'suspended') return
  if (!run.program.exact && random.chance(0.3)) changeFiles(run, random)
  if (random.chance(0.05)) removeFiles(run)
  if (random.chance(0.5)) await sleep(random.between(0, 3000))
  if (run.watch.log.state.pauseRequested && random.chance(0.8)) {
    await person.decide(run, { type: 'resume' })
  }
}
