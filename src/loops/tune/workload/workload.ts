/** A workload as a run tunes it: its manifest, its cases and its artifacts, as they were when the run began. */

import type { Manifest } from '../../../protocol/index.ts'

export interface Workload {
  /** The path of the manifest, from the root of the workspace. */
  readonly manifestPath: string
  readonly manifest: Manifest
  /** The folder of the manifest: all of its paths are relative to it. Empty: the root of the workspace. */
  readonly folder: string
  /** Every case that is not left out, sealed ones too, in the order of their paths. */
  readonly cases: readonly Case[]
  readonly split: CaseSplit
  readonly original: Version
  /** Decides every order by chance. */
  readonly seed: number
  /** Its commands reach models through the gateway. */
  readonly usesModels?: true
  /** An agent judges outputs besides the commands. */
  readonly review?: { readonly instructions?: string }
}

export interface Case {
  /** Its path from the folder of the manifest. */
  readonly id: string
  /** For names of steps. */
  readonly label: string
  /** What `{name}` stands for. */
  readonly name: string
  /** Where its output is written, from the root of the workspace. */
  readonly output: string
  /** From the root of the workspace. */
  readonly path: string
  readonly expected?: { readonly path: string; readonly digest: string }
}

/** Ids of cases. */
export interface CaseSplit {
  readonly suite: readonly string[]
  readonly holdout: readonly string[]
  readonly focus: readonly string[]
  readonly guards: readonly string[]
  readonly excluded: readonly { readonly id: string; readonly reason: string }[]
}

/** One version of the artifacts: their texts by path, as the manifest has it. */
export interface Version {
  readonly artifacts: { readonly [path: string]: string }
}

/** A path of the manifest, from the root of the workspace. */
export const inFolder = (folder: string, path: string): string =>
  folder === '' ? path : `${folder}/${path}`

export const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/')

/** The cases that are measured in iterations. */
export function suiteCases({ cases, split }: Workload): readonly Case[] {
  const suite = new Set(split.suite)
  return cases.filter(({ id }) => suite.has(id))
}
