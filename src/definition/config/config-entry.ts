/** One setting, its value, and who says so. */

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

/** `~/…` is the user's; anything else is as it is written. */
export const withHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path
