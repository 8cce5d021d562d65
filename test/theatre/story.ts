/**
 * The parts of stories: a stage (a project with one real defect, and its checks), and what an agent
 * does on it. All of it is data, so that another story takes a few lines.
 */

import type { CheckStatus, Json } from '../../src/loop/index.ts'

/** Null: a file of the default project that is missing. */
export type Files = Readonly<Record<string, string | null>>

/** One action of the agent, in its working directory. */
export type Move =
  | { readonly write: string; readonly text: string; readonly mode?: number }
  /** Fails if the text is not in the file. */
  | { readonly edit: string; readonly from: string; readonly to: string }
  | { readonly delete: string }
  | { readonly move: string; readonly to: string }
  | { readonly link: string; readonly to: string }
  | { readonly chmod: string; readonly mode: number }
  /** A shell line; `fails`: its result does not matter. */
  | { readonly run: string; readonly fails?: true }
  /** A shell line that continues after the agent has ended. */
  | { readonly start: string }

export interface Turn {
  readonly moves?: readonly Move[]
  /** The final report of the agent; `prompt`: it repeats its prompt. */
  readonly says?: string
  readonly exit?: number
}

/** Keys of the loop file in addition to those that every story has. */
export type LoopKeys = { readonly [key: string]: Json }

/** Test runners from the registry; `runners/` has their lockfiles. */
export type ModulesName = 'vitest' | 'jest' | 'mocha' | 'ava' | 'tape'

export type StageRunner = 'node:test' | ModulesName | 'pytest' | 'cargo' | 'go' | 'other'

export interface Stage {
  readonly name: string
  /** Default: `other`. */
  readonly runner?: StageRunner
  /** Installed in the checkout before the run. */
  readonly modules?: ModulesName
  /** Programs of the system that it needs. */
  readonly programs?: readonly string[]
  /** Written over the default project. */
  readonly files?: Files
  /** Files in Latin-1: they are not valid UTF-8. */
  readonly latin1?: Files
  /** Executable files of the project. */
  readonly executables?: readonly string[]
  readonly loop?: LoopKeys
  /** Not a repository: the run works in the folder itself. */
  readonly isFolder?: true
  /** The path of the loop file in the project. Absent: outside of it. */
  readonly loopFile?: string
  /** Honest work, which is certified: without it, a stage would prove nothing. */
  readonly fix: readonly Move[]
}

/** The classes of docs/certification.md, by what the attack relies on. */
export type AttackClass = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10

/** A way to fake success. */
export interface Attack {
  readonly name: string
  readonly class?: AttackClass
  /** Why it would be believed elsewhere. */
  readonly way: string
  readonly stage?: Stage
  readonly loop?: LoopKeys
  readonly moves?: readonly Move[]
  readonly says?: string
  readonly exit?: number
  /**
   * Why it is not certified: codes of refusals, all of which have to be there, or the result of one
   * of the checks in the iteration, so that there was nothing to certify. Absent: the checks pass
   * where the agent works, and then a person is asked or the certificate is refused, for any
   * reason.
   */
  readonly expects?: readonly string[] | Exclude<CheckStatus, 'met'>
  /** It depends on chance or the time: the check may also fail in the workspace of the agent. */
  readonly isChancy?: true
  /** Class 10 only: whether it is caught today. The proof prints both and holds it to the first. */
  readonly expected?: 'caught' | 'not-caught'
}

/** Honest work. */
export interface Honest {
  readonly name: string
  readonly stage?: Stage
  /** Added to the project of the stage. */
  readonly files?: Files
  readonly loop?: LoopKeys
  readonly moves?: readonly Move[]
  /** Instead of `moves`: one list per iteration. */
  readonly turns?: readonly Turn[]
  /**
   * `certified`: without a question. `asked`: one question, and it is certified when a person
   * approves. Codes: it is refused at first, for these reasons, and certified after the agent's
   * next turn.
   */
  readonly ends: 'certified' | 'asked' | readonly string[]
  /** With `asked`: the question names these files. */
  readonly about?: readonly string[]
}
