/** Reads settings from the environment. An empty variable counts as not set. */

import { resolve } from 'node:path'
import { findNearestName, LoopError } from '../../loop/index.ts'
import { settingRules, toEnvironmentVariable } from '../../protocol/config/setting-rules.ts'
import { quoted } from '../../protocol/loop-file/issue-problems.ts'
import type { ConfigEntry } from './config-entry.ts'
import type { Environment } from './find-files.ts'

/** Known variables that are not settings. */
const others = new Set(['LOOPWRIGHT_STATE', 'LOOPWRIGHT_COMMAND', 'LOOPWRIGHT_SESSION'])

export function readEnvironment(environment: Environment): {
  readonly entries: readonly ConfigEntry[]
  readonly notes: readonly string[]
} {
  const entries = settingRules.flatMap((rule): readonly ConfigEntry[] => {
    const names = [toEnvironmentVariable(rule), ...rule.variables]
    const name = names.find((one) => (environment[one] ?? '') !== '')
    if (name === undefined) return []
    const text = environment[name] ?? ''
    const value = rule.read(text)
    if (value !== undefined) {
      const read =
        rule.project === 'more' ? [value].flat().map((path) => resolve(String(path))) : value
      return [{ rule, value: read, origin: { type: 'environment', name } }]
    }
    const message = `The variable ${name} is ${quoted(text)}: expected ${rule.expected}.`
    throw new LoopError('bad-config', `${message} Correct it, or unset it.`)
  })
  const known = settingRules.map(toEnvironmentVariable)
  const notes = Object.keys(environment).flatMap((name) => {
    if (!name.startsWith('LOOPWRIGHT_') || known.includes(name) || others.has(name)) return []
    const meant = findNearestName(name, known)
    return meant === undefined
      ? []
      : [`The variable ${name} is not a setting: did you mean ${meant}?`]
  })
  return { entries, notes }
}
