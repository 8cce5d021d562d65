/** Lists every setting with its value and origin. */

import { defined } from '../../loop/index.ts'
import {
  type SettingRule,
  type SettingValue,
  settingRules,
  valueAt,
} from '../../protocol/config/setting-rules.ts'
import type { LoadedConfig, Origin } from './load-config.ts'

export interface DescribedSetting {
  readonly name: string
  /** Parsed: money in micro-dollars, times in milliseconds. Absent: not set. */
  readonly value?: SettingValue
  /** In the notation of config files. */
  readonly text: string
  /** Absent: it is the default. */
  readonly origin?: Origin
  readonly from: string
}

export function describeSettings({
  settings,
  origins,
}: Pick<LoadedConfig, 'settings' | 'origins'>): readonly DescribedSetting[] {
  return settingRules.map((rule) => {
    const value = valueAt(settings, rule)
    const origin = origins[rule.name]
    return {
      name: rule.name,
      ...defined({ value }),
      text: shown(rule, value),
      ...defined({ origin }),
      from: describeOrigin(origin),
    }
  })
}

/** Defaults that are in the code that uses the setting. */
const builtIn: Readonly<Record<string, string>> = {
  'daemon.port': '7700',
  'worktree.branchPrefix': 'run/',
  'worktree.provider': 'auto',
  'worktree.worktrunkProgram': 'wt',
  'worktree.copyIgnored': 'false',
  'checks.timeout': '10m',
  'build.review': 'true',
  'build.reviewFailures': '3',
  'build.verificationFailures': '3',
  'build.completionMode': 'trailing',
  'build.retries': '2',
  'build.retryDelay': '500ms',
  'build.mergeTarget': 'agent/<spec>',
  'build.mergeStrategy': 'squash',
  'build.cleanUp': 'false',
  'skills.maxImplementation': '2',
  'skills.maxReview': '1',
  'skills.references': 'false',
  'skills.maxChars': '20000',
}

const shown = (rule: SettingRule, value: SettingValue | undefined): string =>
  value === undefined || (typeof value === 'object' && value.length === 0)
    ? (builtIn[rule.name] ?? '-')
    : rule.show(value)

export function describeOrigin(origin: Origin | undefined): string {
  if (origin === undefined) return 'default'
  switch (origin.type) {
    case 'flag':
      return 'command line'
    case 'environment':
      return `environment: ${origin.name}`
    case 'project':
    case 'user':
      return `${origin.type}: ${origin.file}:${origin.line}:${origin.column}`
  }
}
