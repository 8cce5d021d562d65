/**
 * Iterations, lent to a loop's process by a number. What it asks of one is asked of the engine in the
 * same order; code that belongs to a step or a branch runs over there when the engine says so.
 */

import {
  type ArtifactContent,
  type Branches,
  type Iteration,
  type Json,
  type StepContext,
  type TreeId,
} from '../../loop/index.ts'
import { encodeError } from './carried-error.ts'
import { type Op, opSchema, parseSent } from './wire.ts'

/** How code in the loop's process is run. */
export interface Runner {
  step(code: string, context: StepContext): Promise<Json | undefined>
  branch(code: string, sent: Json): Promise<Json | undefined>
  piece(code: string): Promise<Json | undefined>
}

export interface Iterations {
  lend<T>(it: Iteration, work: (sent: Json) => Promise<T>): Promise<T>
  /** Up to its first wait at once, so that the order of asking is kept. */
  serve(args: Json): Promise<Json | undefined>
  readonly newest: Iteration | undefined
}

export function createIterations(
  runner: Runner,
  abort: (iteration: number, reason: Json) => void,
): Iterations {
  const lent = new Map<number, Iteration>()
  let count = 0

  async function lend<T>(it: Iteration, work: (sent: Json) => Promise<T>): Promise<T> {
    const number = ++count
    const { signal } = it
    const onAbort = (): void => abort(number, encodeError(signal.reason))
    lent.set(number, it)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const aborted = signal.aborted ? { aborted: encodeError(signal.reason) } : {}
      return await work({ it: number, number: it.number, ...aborted })
    } finally {
      signal.removeEventListener('abort', onAbort)
      lent.delete(number)
    }
  }

  return {
    lend,
    async serve(args) {
      const { it: number, op } = parseSent(opSchema, args, "The loop's request")
      const it = lent.get(number)
      // It comes too late. An answer would only make it ask again.
      if (it === undefined) return new Promise(() => undefined)
      const value = await perform(it, op, runner, lend)
      return value === undefined ? undefined : (value as Json)
    },
    get newest() {
      return [...lent.values()].at(-1)
    },
  }
}

function perform(
  it: Iteration,
  op: Op,
  runner: Runner,
  lend: Iterations['lend'],
): Promise<unknown> {
  switch (op.type) {
    case 'step':
      return it.step<unknown>(op.name, (context) => runner.step(op.code, context), op.options)
    case 'parallel': {
      const branches: Record<string, Branches[string]> = {}
      for (const name of op.branches) {
        branches[name] = (branch) =>
          lend(branch, (sent) => runner.branch(`${op.code}:${name}`, sent))
      }
      // What branches return stays where it is; only that they ended well comes back.
      return it.parallel(branches).then(() => undefined)
    }
    case 'agent':
      return it.agent(op.role, op.task, op.options)
    case 'tool':
      return it.tool(op.name, op.args, op.options)
    case 'check':
      return it.check(op.names)
    case 'ask':
      return it.ask(op.name, op.question)
    case 'act':
      return it.act(op.action)
    case 'sleep':
      return it.sleep(op.name, op.ms)
    case 'changed-since':
      return it.workspace?.changedSince(op.tree as TreeId) ?? Promise.resolve([])
    case 'artifact':
      return it.artifact(op.name, contentOf(op.content, runner))
  }
}

function contentOf(
  content: Extract<Op, { type: 'artifact' }>['content'],
  runner: Runner,
): ArtifactContent {
  if ('text' in content) return content.text
  if ('base64' in content) return Buffer.from(content.base64, 'base64')
  return piecesOf(content.pieces, runner)
}

async function* piecesOf(code: string, runner: Runner): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = await runner.piece(code)
    if (typeof piece !== 'string') return
    yield Buffer.from(piece, 'base64')
  }
}
