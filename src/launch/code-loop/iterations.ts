/**
 * Lends iterations to a loop's process, by number. Its requests are passed to the engine in the same order;
 * code of steps and branches runs in the loop's process when the engine calls it.
 */

import {
  type ArtifactContent,
  type Branches,
  type Iteration,
  type Json,
  type StepContext,
  type TreeId,
} from '../../loop/index.ts'
import { encodeError } from './error-codec.ts'
import { type Op, opSchema, parseSent } from './wire.ts'

/** Runs code in the loop's process. */
export interface CodeRunner {
  step(code: string, context: StepContext): Promise<Json | undefined>
  branch(code: string, sent: Json): Promise<Json | undefined>
  piece(code: string): Promise<Json | undefined>
}

export interface Iterations {
  lend<T>(it: Iteration, work: (sent: Json) => Promise<T>): Promise<T>
  /** Runs synchronously up to its first await, so that requests stay in order. */
  serve(args: Json): Promise<Json | undefined>
  readonly newest: Iteration | undefined
}

export function createIterations(
  runner: CodeRunner,
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
      // The iteration has ended. An answer would only lead to further requests.
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
  runner: CodeRunner,
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
      // The results of branches stay in the loop's process; only their success is returned.
      return it.parallel(branches).then(() => undefined)
    }
    case 'agent':
      return it.agent(op.role, op.task, op.options)
    case 'tool':
      return it.tool(op.name, op.args, op.options)
    case 'command':
      return it.command(op.name, op.task, op.options)
    case 'check':
      return it.check(op.names)
    case 'ask':
      return it.ask(op.name, op.question)
    case 'act':
      return it.act(op.action, op.options)
    case 'judge':
      return it.judge(op.action, op.options)
    case 'certify':
      return it.certify(op.names)
    case 'sleep':
      return it.sleep(op.name, op.ms)
    case 'workspace':
      return callWorkspace(it.workspace, op)
    case 'guidance':
      return it.guidance()
    case 'artifact':
      return it.artifact(op.name, toArtifactContent(op.content, runner))
  }
}

async function callWorkspace(
  workspace: Iteration['workspace'],
  { call, args: [first = '', second = ''] }: Extract<Op, { type: 'workspace' }>,
): Promise<unknown> {
  switch (call) {
    case 'changedSince':
      return workspace?.changedSince(first as TreeId) ?? []
    case 'patchSince':
      return workspace?.patchSince(first as TreeId) ?? ''
    case 'restore':
      return workspace?.restore(first as TreeId)
    case 'read':
      return workspace?.read(first)
    case 'write':
      return workspace?.write(first, second)
    case 'git':
      return workspace?.git()
  }
}

function toArtifactContent(
  content: Extract<Op, { type: 'artifact' }>['content'],
  runner: CodeRunner,
): ArtifactContent {
  if ('text' in content) return content.text
  if ('base64' in content) return Buffer.from(content.base64, 'base64')
  return readPieces(content.pieces, runner)
}

async function* readPieces(code: string, runner: CodeRunner): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = await runner.piece(code)
    if (typeof piece !== 'string') return
    yield Buffer.from(piece, 'base64')
  }
}
