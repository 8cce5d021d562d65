/** Where the loop of a run comes from. */

import type { Json } from './json.ts'

/** A loop file, and its content when the run was created. */
export interface Source {
  readonly file: string
  readonly digest: string
  /** Values that override those of the file. */
  readonly changes?: {
    readonly model?: string
    readonly prompt?: string
    readonly dependencies?: 'install' | 'resolve' | 'carry' | 'none'
    /** Commands that must pass in addition to the checks of the file. */
    readonly checks?: { readonly commands: readonly string[]; readonly timeoutMs?: number }
    /** Policy files of the project, in addition to those of the file: absolute paths. */
    readonly policy?: { readonly enforce?: readonly string[]; readonly monitor?: readonly string[] }
    /** Keys that the configuration sets where the file does not. */
    readonly defaults?: { readonly [key: string]: Json }
    /** The longest time that an agent may work. */
    readonly agentTimeMs?: number
    /** Models by role, for agents of which the file names none. */
    readonly models?: { readonly [role: string]: string }
    /** Where finished work is merged. */
    readonly merge?: MergeChange
  }
}

/** Overrides the action `merge` of a loop file. `none`: the work is not merged. */
export interface MergeChange {
  readonly into?: string
  readonly strategy?: 'squash' | 'merge' | 'none'
}
