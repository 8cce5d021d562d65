/**
 * Makes two runs of the same work ask the same: the folders of both are one word, and so is the time that
 * a prompt says is left; ids that clients make up for calls of tools are numbered as they come.
 */

import { existsSync, realpathSync } from 'node:fs'
import type { Normalise } from '../../gateway/index.ts'

/** As templates write it (`budget.time`): `7 h 59 min`, `12 min`, `40 s`. */
const timeLeft = /(?<![\d.])(?:\d+ h \d+ min|\d+ min|\d+ s)(?![a-z\d])/g

/**
 * What `ls -l` says of files that a tree does not keep: all of their mode but whether they can be run,
 * and how a disk stores folders.
 */
const listings: readonly (readonly [RegExp, string])[] = [
  [/d[rwxsStT-]{9}[.+@]? +\d+ +(\S+) +(\S+) +\d+/g, 'd $1 $2'],
  [/([-l][r-][w-][x-])[rwxsStT-]{6}[.+@]? +\d+ +/g, '$1 '],
  [/total \d+(?=\\)/g, 'total'],
]

/** In all formats, as JSON without spaces. */
const callId = /(?<="(?:id|call_id|tool_call_id|tool_use_id)":")[\w-]{8,64}(?=")/g

export function sameRequest(folders: readonly string[]): Normalise {
  const names = new Set(
    folders
      .flatMap((folder) => [folder, existsSync(folder) ? realpathSync(folder) : folder])
      // Requests are JSON, where some characters are written otherwise.
      .flatMap((folder) => [folder, JSON.stringify(folder).slice(1, -1)]),
  )
  // One folder may lie in the other.
  const longestFirst = [...names].toSorted((a, b) => b.length - a.length)
  return (text) => {
    const here = longestFirst.reduce((left, name) => left.replaceAll(name, '<workspace>'), text)
    const replaced: readonly (readonly [RegExp, string])[] = [
      ...listings,
      [timeLeft, '<time left>'],
    ]
    return replaced.reduce((left, [what, word]) => left.replaceAll(what, word), numbered(here))
  }
}

/** The same id is the same number, so that a result still belongs to its call. */
function numbered(text: string): string {
  const known = new Map<string, number>()
  return text.replaceAll(callId, (id) => {
    const number = known.get(id) ?? known.size + 1
    known.set(id, number)
    return `<id ${number}>`
  })
}
