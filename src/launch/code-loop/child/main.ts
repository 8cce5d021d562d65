/**
 * The program of a loop's process. It loads the trusted modules, describes what they define, and runs their
 * functions on request. It ends when the parent process does.
 */

import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { ScannedModule } from '../../../definition/code-loop/scan-code-loop.ts'
import { defined, type Findings, type Json, LoopError, toJson } from '../../../loop/index.ts'
import { encodeError } from '../error-codec.ts'
import { createPeer } from '../peer.ts'
import type { IterationSummary } from '../wire.ts'
import { type Definition, describeLoop } from './describe-loop.ts'
import { importLoop } from './import-loop.ts'
import type { SentIteration } from './iteration-requests.ts'
import { createParentContexts, type SentContext } from './parent-contexts.ts'

/** How many errors are stored so that code gets its own object back if the engine passes it on. */
const storedErrorsMax = 1000

startWatchdog()
const channel = new Socket({ fd: 3 })
// The parent has ended.
channel.on('error', () => {}).on('close', () => process.exit(0))
const storedErrors = new Map<number, unknown>()
let errorCount = 0
const peer = createPeer({
  channel,
  turns: true,
  serve,
  handleNotice,
  onAttached: (facts) => parentContexts.updateFacts(facts as object),
  onBroken: () => process.exit(1),
  keep,
  find: (number) => storedErrors.get(number),
})
const parentContexts = createParentContexts(peer)
let definition: Definition | undefined
/** Its result stays in this process. */
let lastIteration: LastIteration | undefined

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
      return parentContexts.run(code, values, context, definition?.functions ?? none)
    }
    case 'branch': {
      const { code, ...sent } = args as unknown as SentIteration & { readonly code: string }
      return parentContexts.branch(code, sent)
    }
    case 'conclude':
      return toJson(conclude(args as unknown as Findings))
    case 'iterate':
      return runIteration(args as unknown as IterateRequest)
        .then(toJson)
        .finally(flushOutput)
    default:
      throw new Error(`unknown request "${name}"`)
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

interface LastIteration {
  readonly loop: NonNullable<Definition['loop']>
  readonly result: unknown
  readonly previous: unknown
}

interface IterateRequest extends SentIteration {
  readonly input?: Json
  readonly previous?: Json
}

const none: Definition['functions'] = new Map()

function handleNotice(name: string, args: Json): void {
  if (name === 'env') Object.assign(process.env, args)
  if (name === 'abort') parentContexts.abort(args as never)
}

async function runIteration(sent: IterateRequest): Promise<IterationSummary> {
  const loop = definition?.loop
  if (loop === undefined)
    throw new LoopError('bad-request', 'This file has no loop type. Add the key loop.')
  const { input, previous } = sent
  const context = loop.createContext(input, previous)
  const result = await parentContexts.iteration(sent, (it) => loop.iterate(context, it))
  lastIteration = { loop, result, previous }
  return conclude({ checks: [], refusals: [] })
}

/** Concludes the last iteration, with the findings of the engine. */
function conclude(findings: Findings): IterationSummary {
  if (lastIteration === undefined)
    throw new LoopError('bad-request', 'There is no iteration to conclude. Start one first.')
  const { loop, result, previous } = lastIteration
  const extracted = loop.extractProgress(result, previous, findings)
  const progress = extracted === undefined ? undefined : toJson(extracted)
  const met: Record<string, IterationSummary['met'][string]> = {}
  for (const [code, isMet] of definition?.conditions ?? []) {
    // Evaluated on the stored progress, as after a resume. A failure is thrown when the condition is read.
    try {
      met[code] = isMet(progress, result) === true
    } catch (error) {
      met[code] = { error: encodeError(error) }
    }
  }
  return { ...defined({ progress }), met }
}

/** What an iteration printed is in the pipe before its result, so that the run can journal it before it ends. */
async function flushOutput(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve))
  }
}

function keep(error: unknown): number {
  storedErrors.set(++errorCount, error)
  storedErrors.delete(errorCount - storedErrorsMax)
  return errorCount
}

/** Runs in a separate thread, so that a busy loop also ends when the parent process does. */
function startWatchdog(): void {
  new Worker(new URL('./watchdog.js', import.meta.url)).unref()
}
