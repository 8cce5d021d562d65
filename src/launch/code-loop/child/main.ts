/**
 * The program of a loop's process. It gets the modules that were trusted, says what they define, and
 * runs their functions when it is asked to. It ends when our process does.
 */

import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { ScannedModule } from '../../../definition/code-loop/scan-code-loop.ts'
import { defined, type Findings, type Json, LoopError, toJson } from '../../../loop/index.ts'
import { encodeError } from '../carried-error.ts'
import { createPeer } from '../peer.ts'
import type { WentAround } from '../wire.ts'
import type { SentIteration } from './asking.ts'
import { createBorrowed, type SentContext } from './borrowed.ts'
import { type Definition, describeLoop } from './describe.ts'
import { importLoop } from './import-loop.ts'

/** What errors that code throws to itself, by way of the engine, are known by. */
const keptMax = 1000

startWatchdog()
const channel = new Socket({ fd: 3 })
// Whoever waits for us is gone.
channel.on('error', () => {}).on('close', () => process.exit(0))
const kept = new Map<number, unknown>()
let keeps = 0
const peer = createPeer({
  channel,
  turns: true,
  serve,
  hear,
  onAttached: (facts) => borrowed.learn(facts as object),
  onBroken: () => process.exit(1),
  keep,
  find: (number) => kept.get(number),
})
const borrowed = createBorrowed(peer)
let definition: Definition | undefined
/** The last trip; its result stays here. */
let around: Around | undefined

async function serve(name: string, args: Json): Promise<Json | undefined> {
  switch (name) {
    case 'ping':
      return undefined
    case 'load': {
      const { file, modules } = args as unknown as Load
      definition = describeLoop(await importLoop(file, modules), file)
      return toJson(definition.described)
    }
    case 'run': {
      const { code, args: values, context } = args as unknown as Run
      return borrowed.run(code, values, context, definition?.functions ?? none)
    }
    case 'branch': {
      const { code, ...sent } = args as unknown as SentIteration & { readonly code: string }
      return borrowed.branch(code, sent)
    }
    case 'conclude':
      return toJson(conclude(args as unknown as Findings))
    case 'iterate':
      return toJson(await goAround(args as unknown as GoAround))
    default:
      throw new Error(`nothing is known of "${name}"`)
  }
}

interface Load {
  readonly file: string
  readonly modules: readonly ScannedModule[]
}

interface Run {
  readonly code: string
  readonly args: readonly Json[]
  readonly context?: SentContext
}

interface Around {
  readonly loop: NonNullable<Definition['loop']>
  readonly result: unknown
  readonly previous: unknown
}

interface GoAround extends SentIteration {
  readonly input?: Json
  readonly previous?: Json
}

const none: Definition['functions'] = new Map()

function hear(name: string, args: Json): void {
  if (name === 'env') Object.assign(process.env, args)
  if (name === 'abort') borrowed.abort(args as never)
}

async function goAround(sent: GoAround): Promise<WentAround> {
  const loop = definition?.loop
  if (loop === undefined)
    throw new LoopError('bad-request', 'This file has no loop type. Add the key loop.')
  const { input, previous } = sent
  const context = loop.createContext(input, previous)
  const result = await borrowed.iteration(sent, (it) => loop.iterate(context, it))
  around = { loop, result, previous }
  return conclude({ checks: [], refusals: [] })
}

/** What the last trip came to, given what the engine found after it. */
function conclude(findings: Findings): WentAround {
  if (around === undefined)
    throw new LoopError('bad-request', 'No iteration was gone around here. Start one first.')
  const { loop, result, previous } = around
  const made = loop.extractProgress(result, previous, findings)
  const progress = made === undefined ? undefined : toJson(made)
  const met: Record<string, WentAround['met'][string]> = {}
  for (const [code, isMet] of definition?.conditions ?? []) {
    // Asked about what is kept, as it is after a resume. A failure counts when it is looked at.
    try {
      met[code] = isMet(progress, result) === true
    } catch (error) {
      met[code] = { error: encodeError(error) }
    }
  }
  return { ...defined({ progress }), met }
}

function keep(error: unknown): number {
  kept.set(++keeps, error)
  kept.delete(keeps - keptMax)
  return keeps
}

/** It has a thread of its own, so that a loop that spins ends too when our process does. */
function startWatchdog(): void {
  new Worker(new URL('./watchdog.js', import.meta.url)).unref()
}
