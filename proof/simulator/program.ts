/**
 * A loop type as data: what a random loop does, so that one interpreter can run it through the engine
 * and another can say what should have come out.
 */

import type { Amount, Condition, Limits } from '#src/loop/index.ts'

export interface Program {
  readonly name: string
  readonly body: ProgramNode
  readonly input: { readonly start: number; readonly text?: string }
  readonly progress: 'changing' | 'constant' | 'growing' | 'captured'
  readonly until: readonly Until[]
  readonly limits: Partial<Limits>
  readonly usesFiles: boolean
  /**
   * Neither people, nor time, nor the order between branches have a say: whatever the crashes, it
   * ends as it would have without them.
   */
  readonly exact: boolean
}

export type Until =
  | Exclude<Condition, { type: 'custom' | 'any' | 'all' }>
  /** The total of the progress can be divided by this. */
  | { readonly type: 'divisible'; readonly by: number }
  | { readonly type: 'any' | 'all'; readonly of: readonly Until[] }

export type ProgramNode =
  | { readonly type: 'sequence'; readonly nodes: readonly ProgramNode[] }
  | { readonly type: 'parallel'; readonly branches: readonly ProgramNode[] }
  | Gather
  | Guard
  | When
  | Leaf

/** Several steps of one branch under way at once. `all` goes on at the first failure. */
export interface Gather {
  readonly type: 'gather'
  readonly nodes: readonly Leaf[]
  readonly wait: 'all' | 'all-settled'
}

/** Catches what its node throws. `everything` also swallows that the run is being stopped. */
export interface Guard {
  readonly type: 'guard'
  readonly node: ProgramNode
  readonly catches: 'faults' | 'everything'
}

/** Which way it goes depends on what was handed over before. */
export interface When {
  readonly type: 'when'
  readonly by: 'value' | 'shared'
  readonly even: ProgramNode
  readonly odd: ProgramNode
}

export type Leaf = Work | Sleep | Ask | Act | Check | Artifact | Fail

export interface Sleep {
  readonly type: 'sleep'
  readonly name: string
  readonly ms: number
}

export interface Ask {
  readonly type: 'ask'
  readonly name: string
  readonly options: readonly string[]
  readonly deadlineMs: number
}

export interface Act {
  readonly type: 'act'
  readonly kind: string
  readonly verdict: 'allow' | 'deny' | 'ask'
  /** What the executor knows after a crash. */
  readonly finds: 'truth' | 'nothing'
  readonly ms: number
  readonly fails: boolean
}

export interface Check {
  readonly type: 'check'
  readonly name: string
}

export interface Artifact {
  readonly type: 'artifact'
  readonly name: string
  readonly chars: number
}

/** The loop's own code throws, in one iteration or in all. */
export interface Fail {
  readonly type: 'fail'
  readonly kind: 'fault' | 'bug'
  readonly iteration: number | undefined
}

/** A step of code, an agent or a tool. */
export interface Work {
  readonly type: 'work'
  readonly via: 'step' | 'agent' | 'tool'
  readonly name: string
  /** What it does depends on the order in which results came to all branches. */
  readonly usesShared: boolean
  /** It takes these times, one after the other. */
  readonly partsMs: readonly number[]
  readonly writes: Write | undefined
  /** Its result depends on the files it finds. */
  readonly reads: boolean
  readonly readOnly: boolean
  readonly timeoutMs: number | undefined
  readonly attempts: number | undefined
  readonly reserve: Amount | undefined
  /** What it says it spent. */
  readonly spends: Amount | undefined
  /** Calls it makes, each with its own reservation. */
  readonly calls: readonly Call[]
  readonly trouble: Trouble | undefined
  /** Characters that its result has besides the value. */
  readonly chars: number
  /** It does not listen when it is told to end. */
  readonly stubborn: boolean
}

export interface Write {
  readonly path: string
  readonly how: 'set' | 'append' | 'remove'
}

export interface Call {
  readonly worst: Amount
  /** Absent: it is never settled. */
  readonly spent: Amount | undefined
}

export interface Trouble {
  readonly fault: 'transient' | 'permanent' | 'rate-limited' | 'hangs' | 'not-json' | 'kills'
  /** How many attempts of the step, in one iteration, meet it. */
  readonly times: number
  /** In this iteration only. */
  readonly iteration: number | undefined
}

/** A number of 32 bits that depends on both. */
export function mix(a: number, b: number): number {
  let value = Math.imul(a ^ (b + 0x9e3779b9), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** The same for equal values; of long texts only a part is looked at. */
export function digest(value: unknown): number {
  const text = JSON.stringify(value) ?? 'undefined'
  let result = text.length
  const step = Math.max(1, Math.floor(text.length / 500))
  for (let index = 0; index < text.length; index += step)
    result = mix(result, text.charCodeAt(index))
  return result
}
