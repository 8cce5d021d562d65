/** One setting with its value and origin. */

import type { SettingRule, SettingValue } from '../../protocol/config/setting-rules.ts'

export type Origin =
  | { readonly type: 'flag' }
  | { readonly type: 'environment'; readonly name: string }
  | {
      readonly type: 'project' | 'user'
      readonly file: string
      readonly line: number
      readonly column: number
    }

export interface ConfigEntry {
  readonly rule: SettingRule
  readonly value: SettingValue
  readonly origin: Origin
}

/** Expands `~` at the start of a path. */
export const withHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path
