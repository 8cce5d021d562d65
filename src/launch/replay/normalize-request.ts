/**
 * Normalizes requests so that two runs of the same work compare equal: replaces their folders, branches, commit
 * ids and the remaining time in prompts by placeholders, and numbers the ids that clients generate for tool
 * calls.
 */

import { existsSync, realpathSync } from 'node:fs'
import type { Normalize } from '../../gateway/index.ts'

/** In the format of templates (`budget.time`): `7 h 59 min`, `12 min`, `40 s`. */
const timeLeft = /(?<![\d.])(?:\d+ h \d+ min|\d+ min|\d+ s)(?![a-z\d])/g

/**
 * Output of `ls -l` that a tree does not determine: the mode except the executable bit, and the size of
 * folders.
 */
const listings: readonly Replacement[] = [
  [/d[rwxsStT-]{9}[.+@]? +\d+ +(\S+) +(\S+) +\d+/g, 'd $1 $2'],
  [/([-l][r-][w-][x-])[rwxsStT-]{6}[.+@]? +\d+ +/g, '$1 '],
  [/total \d+(?=\\)/g, 'total'],
]

/** In all wire formats, as JSON without spaces. */
const callId = /(?<="(?:id|call_id|tool_call_id|tool_use_id)":")[\w-]{8,64}(?=")/g

export interface EquivalentRuns {
  readonly folders: readonly string[]
  /** The branches of their worktrees. */
  readonly branches?: readonly string[]
  /** The run name in the commit messages of both. */
  readonly run?: string
}

export function createNormalizer({ folders, branches = [], run }: EquivalentRuns): Normalize {
  const names = new Set(
    folders
      .flatMap((folder) => [folder, existsSync(folder) ? realpathSync(folder) : folder])
      // Requests are JSON, where some characters are escaped.
      .flatMap((folder) => [folder, JSON.stringify(folder).slice(1, -1)]),
  )
  // One folder may contain the other.
  const longestFirst = [...names].toSorted((a, b) => b.length - a.length)
  const git = [...branchNames(branches), ...commitIds(run)]
  return (text) => {
    const here = longestFirst.reduce((left, name) => left.replaceAll(name, '<workspace>'), text)
    const replaced: readonly Replacement[] = [...listings, [timeLeft, '<time left>'], ...git]
    return replaced.reduce((left, [what, word]) => left.replaceAll(what, word), numberCallIds(here))
  }
}

type Replacement = readonly [RegExp, string]

/** One pattern for all, because one name may contain another. */
function branchNames(branches: readonly string[]): readonly Replacement[] {
  const longestFirst = branches.toSorted((a, b) => b.length - a.length).map(escapeRegExp)
  return longestFirst.length === 0 ? [] : [[new RegExp(longestFirst.join('|'), 'g'), '<branch>']]
}

/**
 * Only commits that the run made: its iterations are committed at another time, so their ids differ. In the
 * format of `git log --oneline`.
 */
function commitIds(run: string | undefined): readonly Replacement[] {
  if (run === undefined) return []
  const subject = `${escapeRegExp(run)}: iteration \\d`
  const refs = String.raw`(?: \([^()\n]{0,500}\))?`
  return [[new RegExp(`(?<![0-9a-f])[0-9a-f]{7,64}(?=${refs} ${subject})`, 'g'), '<commit>']]
}

const escapeRegExp = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The same id gets the same number, so that a result still belongs to its call. */
function numberCallIds(text: string): string {
  const known = new Map<string, number>()
  return text.replaceAll(callId, (id) => {
    const number = known.get(id) ?? known.size + 1
    known.set(id, number)
    return `<id ${number}>`
  })
}
