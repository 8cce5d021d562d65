/** Everything that one process drives one run of a program with. */

import type {
  ActionLookup,
  Actions,
  AnyLoopType,
  Blobs,
  Check,
  Hook,
  HookPoint,
  Ports,
} from '#src/engine/index.ts'
import type { Json, Receipt, RunId, StepContext } from '#src/loop/index.ts'
import { type Act, digest, mix, type Program, type Work } from './program.ts'
import { programLoop } from './program-loop.ts'
import type { Visit } from './run-program.ts'
import type { RunWatch } from './run-watch.ts'
import { simulatedCertifier } from './simulated-certifier.ts'
import { type SimulatedFiles, workspaceOf } from './simulated-files.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { doWork } from './simulated-work.ts'
import type { SimulatedWorld } from './simulated-world.ts'
import type { VisitWatch } from './visit-watch.ts'

/** One run, as all processes share it. */
export interface SimulatedRun {
  readonly id: RunId
  readonly program: Program
  readonly files: SimulatedFiles | undefined
  readonly watch: RunWatch
  readonly hooks: readonly HookPlan[]
  /** Where it goes on from another run. */
  readonly forkOf?: { readonly run: RunId; readonly iteration: number }
  /** What somebody wrote into its files while it was suspended in good order, and since when. */
  readonly outside: { content?: string; seq: number }
}

/** Somebody who is told about a run. */
export interface HookPlan {
  readonly name: string
  readonly points: readonly HookPoint[]
  readonly blocking: boolean
  readonly ms: number
  /** How often it throws. */
  readonly refuses: number
}

export interface Equipment {
  readonly loop: AnyLoopType
  readonly ports: Ports
}

export function equip(
  world: SimulatedWorld,
  process: SimulatedProcess,
  run: SimulatedRun,
): Equipment {
  const { program, files, watch, id } = run
  let current: Visit | undefined
  const work = (node: Work, step: string, input: number, context: StepContext) =>
    current === undefined
      ? Promise.reject(new Error('work outside of an iteration'))
      : current.work(node, step, input, context)
  const loop = programLoop(program, {
    enter(iteration, context) {
      const seen = watch.enter(process.lane, iteration, context)
      current = visitOf(seen, iteration)
      return current
    },
    violate: watch.violate,
  })

  function visitOf(seen: VisitWatch, iteration: number): Visit {
    return {
      ...seen,
      work: (node, step, input, context) => {
        const execution = seen.started(node, step, context.attempt)
        const mayWrite = (): boolean => process.mayWrite(id)
        const key = `${id}/${iteration}/${step}`
        const place = { world, process, files, key, iteration, mayWrite }
        return doWork(node, input, place, context, execution)
      },
    }
  }

  const access = { moment: process.moment, mayWrite: () => process.mayWrite(id) }
  const ports: Ports = {
    journal: process.journal,
    clock: process.clock,
    blobs: blobsOf(world.blobs, process),
    certifier: simulatedCertifier(world, process, run),
    ...(files === undefined ? {} : { workspace: workspaceOf(files, world.trees, access) }),
    agents: {
      work: async (_role, task, context) => {
        const { node, step, input } = task.settings as unknown as Settings
        return (await work(node, step, input, context)) as never
      },
    },
    tools: {
      call: async (_name, args, context) => {
        const { node, step, input } = args as unknown as Settings
        return (await work(node, step, input, context)) as never
      },
    },
    checks: { lint: checkOf('lint', process, files), unit: checkOf('unit', process, files) },
    gate: {
      judge: async (action) => {
        await world.hop(process.lane)
        const { verdict } = actOf(action.details)
        return verdict === 'allow' ? { type: 'allow' } : { type: verdict, reason: 'the rules' }
      },
    },
    actions: actionsOf(world, process, id),
    hooks: run.hooks.map((plan) => hookOf(plan, world, process)),
  }
  return { loop, ports }
}

function hookOf(plan: HookPlan, world: SimulatedWorld, process: SimulatedProcess): Hook {
  const { name, points, blocking, ms, refuses } = plan
  return {
    name,
    points,
    blocking,
    async run() {
      await process.clock.sleep(ms)
      if (world.random.chance(refuses)) throw new Error('it does not like this')
    },
  }
}

interface Settings {
  readonly node: Work
  readonly step: string
  readonly input: number
}

const actOf = (details: Json | undefined): Act => (details as unknown as { node: Act }).node

function blobsOf(blobs: Blobs, process: SimulatedProcess): Blobs {
  return {
    put: async (content) => {
      await process.moment('put', 'store-failed')
      return blobs.put(content)
    },
    get: async (blob) => {
      await process.moment('get', 'store-failed')
      return blobs.get(blob)
    },
    stream: (blob) => blobs.stream(blob),
  }
}

/** Whether it passes depends on the files alone. */
function checkOf(
  name: string,
  process: SimulatedProcess,
  files: SimulatedFiles | undefined,
): Check {
  return async ({ signal }) => {
    const found = mix(digest(files?.tree()), digest(name)) % 4
    await process.clock.sleep(found * 50, signal)
    if (found === 3) throw new Error('the check is broken')
    return { status: found === 0 ? 'not-met' : 'met', output: `${found}` }
  }
}

function actionsOf(world: SimulatedWorld, process: SimulatedProcess, run: RunId): Actions {
  const receipt = (kind: string): Receipt => ({ status: 'done', summary: `did ${kind}` })
  return {
    async perform(action, key) {
      const { ms, fails, finds, kind } = actOf(action.details)
      await process.clock.sleep(ms / 2)
      if (fails) throw new Error('the world says no')
      await process.acts('before')
      world.done.add(key)
      // Where a key can be looked for, what a process does late that lost the run is recognised by it.
      if (finds === 'nothing' || process.mayWrite(run)) {
        world.performed.set(key, (world.performed.get(key) ?? 0) + 1)
      }
      await process.acts('after')
      await process.clock.sleep(ms / 2)
      return receipt(kind)
    },
    async find(action, key): Promise<ActionLookup> {
      await process.clock.sleep(1)
      const { finds, kind } = actOf(action.details)
      if (finds === 'nothing') return { type: 'unknown' }
      if (!world.done.has(key)) return { type: 'not-done' }
      return { type: 'done', receipt: receipt(kind) }
    },
  }
}
