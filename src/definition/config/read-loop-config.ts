/** Reads the legacy file `.loop/config`: `key=value` lines, `#` comments, optional quotes. */

import { type LoopConfigKey, loopConfigKeys } from '../../formats/loop-config-keys.ts'
import { findNearestName } from '../../loop/index.ts'
import { settingRules } from '../../protocol/config/setting-rules.ts'
import { quoted } from '../../protocol/loop-file/issue-problems.ts'
import type { LoopFileProblem } from '../loop-file/loop-file-error.ts'
import type { ConfigEntry } from './config-entry.ts'

export interface ReadConfig {
  readonly entries: readonly ConfigEntry[]
  readonly problems: readonly LoopFileProblem[]
  readonly notes: readonly string[]
}

type Of = 'project' | 'user'

export function readLoopConfig(text: string, file: string, of: Of): ReadConfig {
  const entries = new Map<string, ConfigEntry>()
  const problems: LoopFileProblem[] = []
  for (const [index, written] of text.split('\n').entries()) {
    const line = index + 1
    const stripped = written.trim()
    if (stripped === '' || stripped.startsWith('#')) continue
    const column = written.search(/\S/) + 1
    const problem = (path: string, reason: string, at = column): void => {
      problems.push({ file, line, column: at, path, reason })
    }
    const [, key = '', rest = ''] = /^([^=]*?)\s*=\s*(.*)$/.exec(stripped) ?? []
    if (key === '') {
      problem('the line', 'expected key=value, such as iterations=20')
      continue
    }
    const known = Object.hasOwn(loopConfigKeys, key) ? loopConfigKeys[key] : undefined
    if (known === undefined) {
      problem(key, unknownKey(key))
      continue
    }
    const value = withoutQuotes(rest)
    if (value === '' || value === known.none) continue
    const at = written.indexOf('=') + 1 + (written.slice(written.indexOf('=') + 1).search(/\S/) + 1)
    const read = readValue(known, value)
    if (typeof read === 'string') problem(key, read, at)
    else entries.set(read.rule.name, { ...read, origin: { type: of, file, line, column } })
  }
  return { entries: [...entries.values()], problems, notes: [] }
}

function readValue(known: LoopConfigKey, written: string): Omit<ConfigEntry, 'origin'> | string {
  const rule = settingRules.find(({ name }) => name === known.name)
  if (rule === undefined) return 'the setting is unknown'
  const text = known.values?.[written] ?? toText(known, written)
  const value = rule.read(text)
  const words = [rule.expected, ...Object.keys(known.values ?? {})]
  const expected = words.join(' or ')
  const shown = known.unit === 's' ? 'a number of seconds' : expected
  return value === undefined ? `expected ${shown}, found ${quoted(written)}` : { rule, value }
}

function toText({ unit, isSpaced }: LoopConfigKey, written: string): string {
  if (unit !== undefined) return `${written}s`
  return isSpaced === true ? written.split(/[\s,]+/).join('|') : written
}

function unknownKey(key: string): string {
  const meant = findNearestName(key, Object.keys(loopConfigKeys))
  const hint =
    meant === undefined ? 'for a list, see loopctl help config' : `did you mean ${meant}?`
  return `there is no key ${quoted(key)}: ${hint}`
}

/** A comment may follow the value. Inside quotes, `#` does not start a comment. */
function withoutQuotes(rest: string): string {
  const [, , inner] = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(rest) ?? []
  return inner ?? rest.replace(/\s+#.*$/, '').trim()
}
