/**
 * Restricts an untrusted project file: it may lower limits but not raise them, and may set nothing that reaches outside
 * the workspace or starts a program. Ignored settings are reported, with what to do.
 */

import { isAbsolute } from 'node:path'
import type { ConfigEntry } from './config-entry.ts'

export interface Restricted {
  readonly entries: readonly ConfigEntry[]
  readonly notes: readonly string[]
}

export interface RestrictOptions {
  readonly file: string
  readonly isTrusted: boolean
  /** The settings of the user's file. */
  readonly user: readonly ConfigEntry[]
  /** The path of the user's file, which may not exist. */
  readonly userFile: string
}

export function restrictProject(
  entries: readonly ConfigEntry[],
  options: RestrictOptions,
): Restricted {
  const { file, isTrusted, userFile } = options
  const ofUser = entries.filter(({ rule }) => rule.project === 'user')
  const rest = entries.filter(({ rule }) => rule.project !== 'user')
  const refused = isTrusted ? [] : rest.filter((entry) => !mayUntrusted(entry, options.user))
  const names = (some: readonly ConfigEntry[]): string =>
    some.map(({ rule }) => rule.name).join(', ')
  return {
    entries: rest.filter((entry) => !refused.includes(entry)),
    notes: [
      ...(ofUser.length === 0
        ? []
        : [
            `${file}: not used, because the daemon serves every project: ${names(ofUser)}. Put it into ${userFile}.`,
          ]),
      ...(refused.length === 0
        ? []
        : [
            `${file}: not used, because the file is not trusted: ${names(refused)}. Read it, then: loopctl trust ${file}`,
          ]),
    ],
  }
}

function mayUntrusted({ rule, value }: ConfigEntry, user: readonly ConfigEntry[]): boolean {
  switch (rule.project) {
    case 'any':
    // Its policy files can only forbid, and their content must be trusted before they are used.
    case 'more':
      return true
    case 'less': {
      const own = user.find((entry) => entry.rule.name === rule.name)?.value
      return own === undefined || Number(value) <= Number(own)
    }
    case 'off':
      return value === false
    case 'inside':
      return isInside(String(value))
    default:
      return false
  }
}

const isInside = (path: string): boolean =>
  !isAbsolute(path) && !path.startsWith('~') && !path.split(/[\\/]/).includes('..')
