/**
 * A loop with a witness: it hears when the code of a step begins and when a step's result reaches
 * the loop. It names steps by itself, so that the engine's names are checked as well.
 */

import type { AnyLoopType, Iteration, RunParts } from 'loopwright'
import { hashOf, type Place } from './effects.ts'

export interface Witness {
  /** Waited for before the code begins. `files`: the step's code may look at the workspace. */
  began(place: Place, attempt: number, files: boolean): Promise<void> | void
  resolved(place: Place, hash: string): void
}

export interface Observed {
  readonly loop: AnyLoopType
  readonly parts: RunParts
}

/** Agents, tools, checks and actions are told by name; the steps that asked for them last are theirs. */
type Asked = Map<string, Place>

export function observe(loop: AnyLoopType, parts: RunParts, witness: Witness): Observed {
  const asked: Asked = new Map()
  return {
    loop: {
      ...loop,
      iterate: (context: unknown, it: Iteration) =>
        loop.iterate(context, observeIteration(it, '', asked, witness)),
    },
    parts: observeParts(parts, asked, witness),
  }
}

function observeIteration(it: Iteration, path: string, asked: Asked, witness: Witness): Iteration {
  const occurrences = new Map<string, number>()
  let parallels = 0

  function placeOf(name: string): Place {
    const occurrence = (occurrences.get(name) ?? 0) + 1
    occurrences.set(name, occurrence)
    const place = { iteration: it.number, step: `${path}${name}#${occurrence}` }
    asked.set(name, place)
    return place
  }

  async function told<T>(place: Place, work: Promise<T>): Promise<T> {
    const result = await work
    witness.resolved(place, hashOf(result))
    return result
  }

  return {
    number: it.number,
    signal: it.signal,
    budget: it.budget,
    guidance: () => it.guidance(),
    get workspace() {
      return it.workspace
    },
    step(name, run, options) {
      const place = placeOf(name)
      return told(
        place,
        it.step(
          name,
          async (context) => {
            await witness.began(place, context.attempt, options?.readOnly !== true)
            return run(context)
          },
          options,
        ),
      )
    },
    parallel(branches) {
      const index = parallels++
      const entries = Object.entries(branches).map(([name, work]) => [
        name,
        (branch: Iteration) =>
          work(observeIteration(branch, `${path}${index}.${name}/`, asked, witness)),
      ])
      const observed: typeof branches = Object.fromEntries(entries)
      return it.parallel(observed)
    },
    agent: (role, task, options) => told(placeOf(`agent:${role}`), it.agent(role, task, options)),
    tool: (name, args, options) => told(placeOf(`tool:${name}`), it.tool(name, args, options)),
    async check(names) {
      const places = (names ?? []).map((name) => placeOf(`check:${name}`))
      const results = await it.check(names)
      places.forEach((place, index) => {
        witness.resolved(place, hashOf(results[index]))
      })
      // From here on it is the engine that asks, after the code of the iteration.
      for (const name of names ?? []) asked.delete(`check:${name}`)
      return results
    },
    ask: (name, question) => told(placeOf(`ask:${name}`), it.ask(name, question)),
    act: (action, options) => told(placeOf(`action:${action.kind}`), it.act(action, options)),
    judge: (action, options) => told(placeOf(`gate:${action.kind}`), it.judge(action, options)),
    certify: (names) => it.certify(names),
    sleep: (name, ms) => told(placeOf(`sleep:${name}`), it.sleep(name, ms)),
    command: (name, task, options) =>
      told(placeOf(`command:${name}`), it.command(name, task, options)),
    artifact: (name, content) => told(placeOf(`artifact:${name}`), it.artifact(name, content)),
  }
}

function observeParts(parts: RunParts, asked: Asked, witness: Witness): RunParts {
  const { agents, tools, checks, actions } = parts
  const began = async (name: string, attempt: number, files: boolean): Promise<void> => {
    const place = asked.get(name)
    if (place !== undefined) await witness.began(place, attempt, files)
  }
  return {
    ...parts,
    ...(agents && {
      agents: {
        async work(role, task, context) {
          await began(`agent:${role}`, context.attempt, true)
          return agents.work(role, task, context)
        },
      },
    }),
    ...(tools && {
      tools: {
        ...tools,
        async call(name, args, context) {
          await began(`tool:${name}`, context.attempt, true)
          return tools.call(name, args, context)
        },
      },
    }),
    ...(actions && {
      actions: {
        async perform(action, key, context) {
          await began(`action:${action.kind}`, context.attempt, false)
          return actions.perform(action, key, context)
        },
        find: (action, key, context) => actions.find(action, key, context),
      },
    }),
    ...(checks && {
      checks: Object.fromEntries(
        Object.entries(checks).map(([name, check]) => [
          name,
          async (context: Parameters<typeof check>[0]) => {
            await began(`check:${name}`, context.attempt, true)
            return check(context)
          },
        ]),
      ),
    }),
  }
}
