/**
 * An iteration whose engine is in the parent process. Each call is sent there; the code of steps and branches
 * stays here and runs when the engine calls it.
 */

import {
  type Branches,
  type BranchResults,
  type Iteration,
  type IterationWorkspace,
  type Remaining,
  type StepOptions,
  toJson,
} from '../../../loop/index.ts'
import type { Peer } from '../peer.ts'
import type { Op, WorkspaceCall } from '../wire.ts'
import { readPieces, toInlineContent } from './artifact-content.ts'
import {
  createIterationRequests,
  type LocalCode,
  type SentIteration,
} from './iteration-requests.ts'

/** The calls that become steps. */
type Requests = Omit<Iteration, 'number' | 'signal' | 'workspace' | 'budget'>

const noneRemaining: Remaining = { tokens: 0, costMicros: 0, iterations: 0, timeMs: 0 }

export function createIterationProxy(
  peer: Peer,
  sent: SentIteration,
  signal: AbortSignal,
  local: LocalCode,
): { readonly it: Iteration; idle(): Promise<unknown> | undefined } {
  const { ask, withCode, idle } = createIterationRequests(peer, sent.it, local)
  const requests: Requests = {
    step: (name, run, options) =>
      withCode(
        'step',
        (code) => [[code, (context) => local.currentStep.run(name, () => run(context))]],
        (code) => ask({ type: 'step', name, options: plain(options), code }),
      ),
    parallel: async <B extends Branches>(branches: B): Promise<BranchResults<B>> => {
      const names = Object.keys(branches)
      const results = new Map<string, unknown>()
      const runs = (code: string): [string, (it: Iteration) => unknown][] =>
        names.map((name) => [
          `${code}:${name}`,
          async (branch) => {
            results.set(name, await branches[name]?.(branch))
          },
        ])
      await withCode('parallel', runs, (code) => ask({ type: 'parallel', branches: names, code }))
      const entries = names.map((name) => [name, results.get(name)])
      return Object.fromEntries(entries) as BranchResults<B>
    },
    agent: async (role, task, options) =>
      ask({ type: 'agent', role, task: toJson(task) as never, options: plain(options) }),
    tool: async (name, args, options) =>
      ask({ type: 'tool', name, args: toJson(args), options: plain(options) }),
    command: async (name, task, options) =>
      ask({ type: 'command', name, task: toJson(task) as never, options: plain(options) }),
    check: async (names) =>
      ask({ type: 'check', ...(names === undefined ? {} : { names: [...names] }) }),
    guidance: () => ask({ type: 'guidance' }),
    ask: async (name, question) => ask({ type: 'ask', name, question: toJson(question) as never }),
    act: async (action, options = {}) =>
      ask({ type: 'act', action: toJson(action) as never, options: toJson(options) as never }),
    judge: async (action, options = {}) =>
      ask({ type: 'judge', action: toJson(action) as never, options: toJson(options) as never }),
    certify: async (names) =>
      ask({ type: 'certify', ...(names === undefined ? {} : { names: [...names] }) }),
    sleep: (name, ms) => ask({ type: 'sleep', name, ms }),
    artifact: async (name, content) => {
      const whole = toInlineContent(content)
      if (whole !== undefined) return ask({ type: 'artifact', name, content: whole })
      const { next, close } = openPieces(content)
      return withCode(
        'pieces',
        (code) => [[code, next]],
        (code) => ask({ type: 'artifact', name, content: { pieces: code } }),
      ).finally(close) as never
    },
  }
  return {
    it: {
      number: sent.number,
      signal,
      get workspace() {
        const { workspace } = local.facts()
        return workspace === undefined ? undefined : { ...workspace, ...workspaceProxy(ask) }
      },
      budget: { remaining: () => local.facts().remaining ?? noneRemaining },
      ...withHandledRejections(requests),
    },
    idle,
  }
}

/** The pieces of a stream, one by one. */
function openPieces(content: Parameters<typeof readPieces>[0]): {
  next(): Promise<string | null>
  close(): void
} {
  const pieces = readPieces(content)
  return {
    async next() {
      const { value, done } = await pieces.next()
      return done === true ? null : value
    },
    close: () => void pieces.return(undefined).catch(() => undefined),
  }
}

function workspaceProxy(ask: <T>(op: Op) => Promise<T>): Pick<IterationWorkspace, WorkspaceCall> {
  const call = <T>(name: WorkspaceCall, ...args: readonly string[]): Promise<T> =>
    ask({ type: 'workspace', call: name, args })
  return {
    changedSince: (tree) => call('changedSince', tree),
    patchSince: (tree) => call('patchSince', tree),
    read: (path) => call('read', path),
    write: (path, text) => call('write', path, text),
    restore: (tree) => call('restore', tree),
    git: () => call('git'),
  }
}

/** A failed step that is not awaited must not end the process; its failure is in the journal. */
function withHandledRejections(requests: Requests): Requests {
  const entries = Object.entries(requests).map(([name, ask]) => {
    const asked = (...args: readonly unknown[]): Promise<unknown> => {
      const answer = (ask as (...given: readonly unknown[]) => Promise<unknown>)(...args)
      answer.catch(() => undefined)
      return answer
    }
    return [name, asked]
  })
  return Object.fromEntries(entries) as Requests
}

const plain = (options: StepOptions | undefined): never => toJson(options ?? {}) as never
