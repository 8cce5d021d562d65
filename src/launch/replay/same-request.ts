/**
 * Makes two runs of the same work ask the same: the folders of both are one word, and so are their branches,
 * the ids of their commits and the time that a prompt says is left; ids that clients make up for calls of
 * tools are numbered as they come.
 */

import { existsSync, realpathSync } from 'node:fs'
import type { Normalise } from '../../gateway/index.ts'

/** As templates write it (`budget.time`): `7 h 59 min`, `12 min`, `40 s`. */
const timeLeft = /(?<![\d.])(?:\d+ h \d+ min|\d+ min|\d+ s)(?![a-z\d])/g

/**
 * What `ls -l` says of files that a tree does not keep: all of their mode but whether they can be run,
 * and how a disk stores folders.
 */
const listings: readonly Replaced[] = [
  [/d[rwxsStT-]{9}[.+@]? +\d+ +(\S+) +(\S+) +\d+/g, 'd $1 $2'],
  [/([-l][r-][w-][x-])[rwxsStT-]{6}[.+@]? +\d+ +/g, '$1 '],
  [/total \d+(?=\\)/g, 'total'],
]

/** In all formats, as JSON without spaces. */
const callId = /(?<="(?:id|call_id|tool_call_id|tool_use_id)":")[\w-]{8,64}(?=")/g

export interface SameRun {
  readonly folders: readonly string[]
  /** Of their worktrees. */
  readonly branches?: readonly string[]
  /** By whose name the commits of both are known. */
  readonly run?: string
}

export function sameRequest({ folders, branches = [], run }: SameRun): Normalise {
  const names = new Set(
    folders
      .flatMap((folder) => [folder, existsSync(folder) ? realpathSync(folder) : folder])
      // Requests are JSON, where some characters are written otherwise.
      .flatMap((folder) => [folder, JSON.stringify(folder).slice(1, -1)]),
  )
  // One folder may lie in the other.
  const longestFirst = [...names].toSorted((a, b) => b.length - a.length)
  const git = [...branchNames(branches), ...commitIds(run)]
  return (text) => {
    const here = longestFirst.reduce((left, name) => left.replaceAll(name, '<workspace>'), text)
    const replaced: readonly Replaced[] = [...listings, [timeLeft, '<time left>'], ...git]
    return replaced.reduce((left, [what, word]) => left.replaceAll(what, word), numbered(here))
  }
}

type Replaced = readonly [RegExp, string]

/** At once: one name may be in the other. */
function branchNames(branches: readonly string[]): readonly Replaced[] {
  const longestFirst = branches.toSorted((a, b) => b.length - a.length).map(literally)
  return longestFirst.length === 0 ? [] : [[new RegExp(longestFirst.join('|'), 'g'), '<branch>']]
}

/**
 * Only of commits that the run made: its iterations are committed at another time, and so have other ids.
 * As `git log --oneline` has them; ids in full are one word already.
 */
function commitIds(run: string | undefined): readonly Replaced[] {
  if (run === undefined) return []
  const subject = `${literally(run)}: iteration \\d`
  const refs = String.raw`(?: \([^()\n]{0,500}\))?`
  return [[new RegExp(`(?<![0-9a-f])[0-9a-f]{7,64}(?=${refs} ${subject})`, 'g'), '<commit>']]
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The same id is the same number, so that a result still belongs to its call. */
function numbered(text: string): string {
  const known = new Map<string, number>()
  return text.replaceAll(callId, (id) => {
    const number = known.get(id) ?? known.size + 1
    known.set(id, number)
    return `<id ${number}>`
  })
}
