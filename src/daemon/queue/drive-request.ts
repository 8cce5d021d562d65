/** How to drive a run of the queue. Stored with its row, so that it survives a restart. */

import { namedVariables } from '../../launch/run-environment.ts'
import { defined, type Json } from '../../loop/index.ts'
import type { Environment } from '../../system/environment.ts'

export interface DriveRequest {
  /** Attended: the user accepts a weaker sandbox. */
  readonly attended?: true
  /** For the next start only: resume even if the loop's code changed. */
  readonly force?: true
  /** For the next start only: resume with the files as they are. */
  readonly keepFiles?: true
  /** Variables that the loop names and that its caller had: names, never values. */
  readonly needs?: readonly string[]
  /** For the next start only: copy files that are not part of the tree of the forked run. */
  readonly carry?: true
  /** Skip running the checks on the base before the first iteration. */
  readonly skipPreflight?: true
  /** The loop file, if it was moved. An absolute path. */
  readonly file?: string
  /** The folder, if it was moved. An absolute path. */
  readonly workspace?: string
}

const flags = ['attended', 'force', 'keepFiles', 'carry', 'skipPreflight'] as const
type Flag = (typeof flags)[number]

/** Ignores unknown keys, since another version may have written them. */
export function readDriveRequest(json: Json): DriveRequest {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {}
  const given = json as { readonly [name: string]: Json }
  const { needs } = given
  const names = Array.isArray(needs) ? needs.filter((name) => typeof name === 'string') : []
  const file = textIn(given['file'])
  const workspace = textIn(given['workspace'])
  return {
    ...flagsIn(given),
    ...(names.length === 0 ? {} : { needs: names }),
    ...defined({ file, workspace }),
  }
}

const textIn = (json: Json | undefined): string | undefined =>
  typeof json === 'string' ? json : undefined

export function toDriveRequest(
  options: Readonly<Partial<Record<Flag, boolean>>> & { readonly environment?: Environment },
  { file, workspace }: Pick<DriveRequest, 'file' | 'workspace'> = {},
): DriveRequest {
  const needs = namedVariables(options.environment)
  return {
    ...flagsIn(options),
    ...(needs.length === 0 ? {} : { needs }),
    ...defined({ file, workspace }),
  }
}

/** The options that stay valid after the run has started. */
export const keepLastingOptions = (request: DriveRequest): DriveRequest => {
  const { attended, needs, skipPreflight, file, workspace } = request
  return defined({ attended, skipPreflight, needs, file, workspace })
}

/** As in its row of the queue. */
export const toRow = (request: DriveRequest): { readonly [name: string]: Json } =>
  Object.fromEntries(Object.entries(request))

const flagsIn = (given: Readonly<Partial<Record<Flag, unknown>>>): DriveRequest =>
  Object.fromEntries(flags.filter((flag) => given[flag] === true).map((flag) => [flag, true]))
