/** Names of branches and worktrees, derived from the name of a run. */

import { createHash } from 'node:crypto'
import { LoopError } from '../../loop/index.ts'

/** The n-th name that is tried: `run/fix`, `run/fix-2`, `run/fix-3`… */
export const addNumber = (name: string, number: number): string =>
  number === 1 ? name : `${name}-${number}`

/** By the rules of `git check-ref-format --branch`, and not starting with a dash or `refs/`. */
export function isBranchName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex
  const forbidden = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|^refs\/|[/.]$|^@$/
  if (name === '' || name === 'HEAD' || name.length > 200 || forbidden.test(name)) return false
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
}

export function requireBranchName(name: string): string {
  if (isBranchName(name)) return name
  const advice = 'Use letters, digits, hyphens and slashes, as in run/fix-tests.'
  throw new LoopError('bad-name', `${JSON.stringify(name)} is not a valid branch name. ${advice}`)
}

/** A key as a file name and a component of a ref. */
export function toFileKey(key: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,79}$/.test(key)) return key
  return `x${createHash('sha256').update(key).digest('hex').slice(0, 40)}`
}
