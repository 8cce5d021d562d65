/** How a run in the queue is to be driven: kept with its row, read back after a restart. */

import type { Json } from '../../loop/index.ts'

export interface DriveRequest {
  /** Somebody watches, and answers for what happens without strong walls. */
  readonly attended?: true
  /** For the next start only: go on though the loop's code changed. */
  readonly force?: true
  /** For the next start only: go on with the files as they are. */
  readonly keepFiles?: true
  /** For the next start only: bring along what is no part of the tree that a fork came from. */
  readonly carry?: true
}

const flags = ['attended', 'force', 'keepFiles', 'carry'] as const

/** What it does not know, it leaves out: another version may have written it. */
export function readDriveRequest(json: Json): DriveRequest {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {}
  const given = json as { readonly [name: string]: Json }
  return Object.fromEntries(
    flags.filter((flag) => given[flag] === true).map((flag) => [flag, true]),
  )
}

export const toDriveRequest = (
  options: Readonly<Partial<Record<keyof DriveRequest, boolean>>>,
): DriveRequest =>
  Object.fromEntries(flags.filter((flag) => options[flag] === true).map((flag) => [flag, true]))

/** What still holds once the run is under way. */
export const lasting = ({ attended }: DriveRequest): DriveRequest =>
  attended === undefined ? {} : { attended }
