/**
 * Makes two runs in different folders, at different speeds, ask the same: the folders of both are one
 * word, and so is the time that a prompt says is left.
 */

import { existsSync, realpathSync } from 'node:fs'
import type { Normalise } from '../../gateway/index.ts'

/** As templates write it (`budget.time`): `7 h 59 min`, `12 min`, `40 s`. */
const timeLeft = /(?<![\d.])(?:\d+ h \d+ min|\d+ min|\d+ s)(?![a-z\d])/g

export function sameWorkspace(folders: readonly string[]): Normalise {
  const names = new Set(
    folders
      .flatMap((folder) => [folder, existsSync(folder) ? realpathSync(folder) : folder])
      // Requests are JSON, where some characters are written otherwise.
      .flatMap((folder) => [folder, JSON.stringify(folder).slice(1, -1)]),
  )
  // One folder may lie in the other.
  const longestFirst = [...names].toSorted((a, b) => b.length - a.length)
  return (text) =>
    longestFirst
      .reduce((left, name) => left.replaceAll(name, '<workspace>'), text)
      .replaceAll(timeLeft, '<time left>')
}
